"""Questions under controlled retrieval: chooses the passages for each question, and holds out questions."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from contracts.errors import InvalidInput
from contracts.text import Span
from golden_lab.json_lines import read_json_lines, read_numbered_forms
from golden_lab.training.data.examples import ExampleMessage, excerpts, filled
from golden_lab.training.data.questions import read_passage_questions
from tools.prompts import Prompt
from tools.tokenizer_files import open_tokenizer

Condition = Literal["none", "relevant", "irrelevant", "noisy"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)
# The conditions in each variant of a data set, with one example of each for every triplet. Source: TRIFEX (Oestreich et
# al.), table 1; RAFT: Zhang et al. 2024; PA-RAG: Bhushan et al. 2025.
VARIANTS: Mapping[str, tuple[Condition, ...]] = {
    "without-context": ("none",),
    "with-relevant": ("relevant",),
    "pa-rag": ("relevant", "irrelevant"),
    "raft": ("noisy", "irrelevant"),
    "with-all": CONDITIONS,
}
# Three chunks of 128 tokens; in noisy contexts, one or two are relevant. Source: TRIFEX, section 3.1.
GIVEN, CHUNK_TOKENS = 3, 128
_MOST_RELEVANT_OF_NOISY = 2

# Returns the span of each token of a text, in order.
TokenSpans = Callable[[str], Sequence[Span]]


def token_spans(path: Path) -> TokenSpans:
    """Return a function that returns the span of each token of a text, in order, without special tokens.

    ``path`` is a ``tokenizer.json``, or a folder that contains one.

    Raises:
        ConfigurationError: the file is missing or is not a tokenizer.
    """
    file = path / "tokenizer.json" if path.is_dir() else path
    tokenizer = open_tokenizer(file, advice="Name the tokenizer.json of the model.")

    def spans_of(text: str) -> list[Span]:
        encoding = tokenizer.encode(text, add_special_tokens=False)
        return [Span(start, end) for start, end in encoding.offsets if end > start]

    return spans_of


class Triplet(BaseModel):
    """The basis of training data: a ``query``, its ``reference`` answer, and the ``context`` with the answer.

    ``source`` is the origin of the context, such as a document: triplets of one source are held out together; a triplet
    without one is its own group. In a file, ``id`` may be missing; then the line number is used.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = ""
    query: str = Field(min_length=1)
    reference: str = Field(min_length=1)
    context: str = Field(min_length=1)
    source: str = ""

    @property
    def group(self) -> str:
        """The group that the triplet is held out with."""
        return self.source or self.id


class ConditionedLine(BaseModel):
    """A query under one condition of retrieval: a line of the test set.

    ``id`` is the id of the triplet, the same under all four conditions. ``relevant`` states for each of ``chunks``
    whether it comes from the query's own context, and ``source`` names the document of that context. A model is sent
    ``messages`` and should answer ``reference``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1)
    source: str = ""
    condition: Condition
    query: str = Field(min_length=1)
    chunks: tuple[str, ...]
    relevant: tuple[bool, ...]
    reference: str = Field(min_length=1)
    messages: tuple[ExampleMessage, ...] = Field(min_length=1)


def read_triplets(path: Path) -> tuple[Triplet, ...]:
    """Read a file of passages with their questions (as golden-lab train data writes it) or of plain triplets.

    Raises:
        InvalidInput: it does not exist or is empty, or a line is wrong; the message names the file, line and field.
    """
    first = next(read_json_lines(path, where="make one with golden-lab train data"), None)
    if first is None:
        raise InvalidInput(f"{path} is empty", field="path")
    if "passage" in first[1]:
        return tuple(
            Triplet(
                id=each.id,
                query=each.question,
                reference=each.answer,
                context=each.passage,
                source=each.source.document,
            )
            for each in read_passage_questions(path)
        )
    lines = read_numbered_forms(path, Triplet)
    return tuple(each if each.id else each.model_copy(update={"id": f"line-{number:06}"}) for number, each in lines)


def context_chunks(triplet: Triplet, spans_of: TokenSpans) -> tuple[str, ...]:
    """Cut the context of ``triplet`` into up to three chunks of up to 128 tokens; the rest is dropped.

    Raises:
        InvalidInput: the context has no tokens.
    """
    spans = spans_of(triplet.context)
    if not spans:
        raise InvalidInput(f"{triplet.id}: its context is empty, so nothing can be retrieved for it", field="context")
    starts = range(0, min(len(spans), CHUNK_TOKENS * GIVEN), CHUNK_TOKENS)
    # Some tokenizers include the space before a word in its token, so a chunk could begin with a space.
    return tuple(
        triplet.context[spans[at].start : spans[min(at + CHUNK_TOKENS, len(spans)) - 1].end].strip() for at in starts
    )


class ConditionBuilder:
    """Combines ``triplets`` with any condition of retrieval, in the same way for the same ``seed``.

    The chunks for a query depend on its id, the condition, the seed and the other triplets, but not on their order.
    Irrelevant chunks come only from other groups in ``triplets``, so that no held-out text can be included.
    """

    def __init__(self, triplets: Sequence[Triplet], spans_of: TokenSpans, prompt: Prompt, *, seed: int) -> None:
        """Cut every context into chunks.

        Raises:
            InvalidInput: two triplets have the same id, or a context is empty.
        """
        self._triplets = sorted(triplets, key=lambda each: each.id)
        twice = next((one.id for one, two in pairwise(self._triplets) if one.id == two.id), None)
        if twice is not None:
            raise InvalidInput(f"the id {twice} occurs twice: each triplet needs a unique id", field="id")
        self._own = {each.id: context_chunks(each, spans_of) for each in self._triplets}
        self._prompt, self._seed = prompt, seed
        self._pool = [(each.group, chunk) for each in self._triplets for chunk in self._own[each.id]]
        self._sizes = Counter(group for group, _ in self._pool)

    def variant(self, name: str) -> tuple[ConditionedLine, ...]:
        """Build the data set of a variant: for each triplet, one line per condition of the variant.

        Raises:
            InvalidInput: there is no such variant, or there are too few triplets of other groups.
            ConfigurationError: the prompt names a variable other than ``context`` and ``question``.
        """
        if name not in VARIANTS:
            raise InvalidInput(f"there is no variant {name!r}: choose one of {', '.join(VARIANTS)}", field="variant")
        return tuple(self._line(each, condition) for each in self._triplets for condition in VARIANTS[name])

    def _line(self, triplet: Triplet, condition: Condition) -> ConditionedLine:
        draw = random.Random(f"{self._seed}/{condition}/{triplet.id}")
        given = self._given(triplet, condition, draw)
        chunks = tuple(chunk for chunk, _ in given)
        return ConditionedLine(
            id=triplet.id,
            source=triplet.source,
            condition=condition,
            query=triplet.query,
            chunks=chunks,
            relevant=tuple(relevant for _, relevant in given),
            reference=triplet.reference,
            messages=filled(self._prompt, context=excerpts(chunks), question=triplet.query),
        )

    def _given(self, triplet: Triplet, condition: Condition, draw: random.Random) -> list[tuple[str, bool]]:
        own = [(chunk, True) for chunk in self._own[triplet.id]]
        match condition:
            case "none":
                return []
            case "relevant":
                return own
            case "irrelevant":
                return self._beside(triplet, GIVEN, draw)
            case "noisy":
                count = min(draw.randint(1, _MOST_RELEVANT_OF_NOISY), len(own))
                mixed = draw.sample(own, count) + self._beside(triplet, GIVEN - count, draw)
                draw.shuffle(mixed)
                return mixed

    def _beside(self, triplet: Triplet, count: int, draw: random.Random) -> list[tuple[str, bool]]:
        if len(self._pool) - self._sizes[triplet.group] < count:
            raise InvalidInput(
                f"{triplet.id}: fewer than {count} chunks are from sources other than {triplet.group}: add documents",
                field="source",
            )
        places: dict[int, None] = {}
        while len(places) < count:
            place = draw.randrange(len(self._pool))
            if self._pool[place][0] != triplet.group:
                places[place] = None
        return [(self._pool[place][1], False) for place in places]


def hold_out(triplets: Sequence[Triplet], count: int, *, seed: int) -> tuple[tuple[Triplet, ...], tuple[Triplet, ...]]:
    """Split into triplets for training and ``count`` or slightly more for testing; groups are not split.

    For each held-out group, at least ``GIVEN`` triplets of other groups are held out, for irrelevant chunks.

    Raises:
        InvalidInput: there are at most ``count`` triplets, or too few groups to leave any for training.
    """
    sizes = Counter(each.group for each in triplets)
    waiting = sorted(sizes)
    random.Random(seed).shuffle(waiting)
    held: dict[str, int] = {}

    def others() -> int:
        return sum(held.values()) - max(held.values(), default=0)

    while waiting and (sum(held.values()) < count or others() < GIVEN):
        room = count - sum(held.values())
        # The first drawn source that fits, otherwise the smallest: one long document must not use up the training data.
        fitting = next((each for each in waiting if sizes[each] <= room), None)
        chosen = fitting or min(waiting, key=lambda each: sizes[each])
        waiting.remove(chosen)
        held[chosen] = sizes[chosen]
    if not waiting or others() < GIVEN:
        raise InvalidInput(
            f"{len(triplets)} triplets of {len(sizes)} sources are too few to hold out {count}: hold out fewer, "
            "or add documents",
            field="test",
        )
    return (
        tuple(each for each in triplets if each.group not in held),
        tuple(each for each in triplets if each.group in held),
    )
