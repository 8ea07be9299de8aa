"""Questions under controlled retrieval: which passages stand beside the right one, by variant."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby, pairwise
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from contracts.errors import InvalidInput
from contracts.text import Span
from golden_lab.json_lines import read_forms, read_json_lines, write_json_lines
from golden_lab.training.data.examples import ExampleMessage
from golden_lab.training.data.passages import (
    CONDITIONS,
    Condition,
    ConditionedExample,
    ContextChunk,
    TokenSpans,
    Triplet,
    context_chunks,
)
from golden_lab.training.data.prompting import retrieved_messages
from golden_lab.training.data.questions import read_passage_questions
from tools.prompts import Prompt


def read_triplets(path: Path) -> tuple[Triplet, ...]:
    """Read a file of passages with their questions (as golden-lab train data writes it) or of plain triplets.

    Raises:
        InvalidInput: it is not there or empty, or a line is wrong; the text names file, line and field.
    """
    first = next(read_json_lines(path, where="make one with golden-lab train data"), None)
    if first is None:
        raise InvalidInput(f"{path} holds no line", field="path")
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
    lines = enumerate(read_forms(path, Triplet), start=1)
    return tuple(each if each.id else each.model_copy(update={"id": f"line-{number:06}"}) for number, each in lines)


# Which conditions each variant of a data set holds, one example each for every triplet.
# Source: TRIFEX (Oestreich et al.), table 1; RAFT: Zhang et al. 2024; PA-RAG: Bhushan et al. 2025.
VARIANTS: Mapping[str, tuple[Condition, ...]] = {
    "without-context": ("none",),
    "with-relevant": ("relevant",),
    "pa-rag": ("relevant", "irrelevant"),
    "raft": ("noisy", "irrelevant"),
    "with-all": CONDITIONS,
}
# Source: the same, section 3.1: three chunks; of noisy ones one or two are relevant.
GIVEN = 3
_MOST_RELEVANT_OF_NOISY = 2


class ConditionBuilder:
    """Builds the examples of ``triplets`` under any condition, the same ones for the same ``seed``.

    What is drawn for a query depends on its id, the condition and the seed, and on which other triplets there are, not
    on their order. Irrelevant chunks come from ``triplets`` of other groups alone: nothing that is held out from these
    can come in.
    """

    def __init__(self, triplets: Sequence[Triplet], spans_of: TokenSpans, *, seed: int) -> None:
        """Cut every context.

        Raises:
            InvalidInput: two triplets have one id, a context is empty, or there is nothing that is irrelevant to some.
        """
        ordered = sorted(triplets, key=lambda each: each.id)
        twice = next((one.id for one, two in pairwise(ordered) if one.id == two.id), None)
        if twice is not None:
            raise InvalidInput(f"the id {twice} stands twice: each triplet needs its own", field="id")
        self._triplets = {each.id: each for each in ordered}
        self._own = {each.id: context_chunks(each, spans_of) for each in ordered}
        self._seed = seed
        # A group's chunks lie side by side, so that all others are two ranges.
        self._pool: list[ContextChunk] = []
        self._ranges: dict[str, Span] = {}
        for group, members in groupby(sorted(ordered, key=lambda each: each.group), key=lambda each: each.group):
            start = len(self._pool)
            self._pool += [chunk for each in members for chunk in self._own[each.id]]
            self._ranges[group] = Span(start, len(self._pool))

    def variant(self, name: str) -> tuple[ConditionedExample, ...]:
        """Build the data set of a variant: its conditions one after the other for each triplet.

        Raises:
            InvalidInput: there is no such variant, or too few triplets of other groups.
        """
        if name not in VARIANTS:
            raise InvalidInput(f"there is no variant {name!r}: choose one of {', '.join(VARIANTS)}", field="variant")
        return tuple(self.example(each, condition) for each in self._triplets for condition in VARIANTS[name])

    def example(self, triplet_id: str, condition: Condition) -> ConditionedExample:
        """Build one example.

        Raises:
            InvalidInput: too few triplets are of other groups.
        """
        triplet = self._triplets[triplet_id]
        draw = random.Random(f"{self._seed}/{condition}/{triplet_id}")
        chunks = self._given(triplet, condition, draw)
        return ConditionedExample(
            id=triplet_id,
            condition=condition,
            query=triplet.query,
            chunks=tuple(chunk.text for chunk in chunks),
            relevant=tuple(chunk.triplet == triplet_id for chunk in chunks),
            reference=triplet.reference,
        )

    def _given(self, triplet: Triplet, condition: Condition, draw: random.Random) -> list[ContextChunk]:
        own = self._own[triplet.id]
        match condition:
            case "none":
                return []
            case "relevant":
                return list(own)
            case "irrelevant":
                return self._beside(triplet, GIVEN, draw)
            case "noisy":
                count = min(draw.randint(1, _MOST_RELEVANT_OF_NOISY), len(own))
                mixed = draw.sample(own, count) + self._beside(triplet, GIVEN - count, draw)
                draw.shuffle(mixed)
                return mixed

    def _beside(self, triplet: Triplet, count: int, draw: random.Random) -> list[ContextChunk]:
        own = self._ranges[triplet.group]
        size = own.end - own.start
        if len(self._pool) - size < count:
            raise InvalidInput(
                f"{triplet.id}: fewer than {count} chunks are of other sources than {triplet.group}: add documents",
                field="source",
            )
        places = draw.sample(range(len(self._pool) - size), count)
        return [self._pool[place if place < own.start else place + size] for place in places]


def unified_test_set(triplets: Sequence[Triplet], spans_of: TokenSpans, *, seed: int) -> tuple[ConditionedExample, ...]:
    """Put every held-out query under all four conditions, with chunks of held-out contexts alone.

    Source: TRIFEX (Oestreich et al.), section 3.3.

    Raises:
        InvalidInput: as of ``ConditionBuilder``.
    """
    return ConditionBuilder(triplets, spans_of, seed=seed).variant("with-all")


def hold_out(
    triplets: Sequence[Triplet], count: int, *, seed: int, fewest_others: int = 0
) -> tuple[tuple[Triplet, ...], tuple[Triplet, ...]]:
    """Split into those to train on and at least ``count`` to test on, hardly more; a group lies on one side.

    Beside each held-out group lie ``fewest_others`` triplets of other held-out groups: what is irrelevant to it.

    Raises:
        InvalidInput: there are not more than ``count`` triplets, or too few groups to leave any for training.
    """
    sizes = Counter(each.group for each in triplets)
    waiting = sorted(sizes)
    random.Random(seed).shuffle(waiting)
    held: dict[str, int] = {}
    while waiting and (sum(held.values()) < count or _others(held) < fewest_others):
        room = count - sum(held.values())
        # The first drawn that fits, else the smallest: one long document does not take all the training data away.
        fitting = next((each for each in waiting if sizes[each] <= room), None)
        chosen = fitting or min(waiting, key=lambda each: sizes[each])
        waiting.remove(chosen)
        held[chosen] = sizes[chosen]
    if not waiting or _others(held) < fewest_others:
        raise InvalidInput(
            f"{len(triplets)} triplets of {len(sizes)} sources cannot hold out {count} and keep any: hold out fewer, "
            "or add documents",
            field="test",
        )
    return (
        tuple(each for each in triplets if each.group not in held),
        tuple(each for each in triplets if each.group in held),
    )


def _others(held: Mapping[str, int]) -> int:
    """Return how many lie beside the largest group."""
    return sum(held.values()) - max(held.values(), default=0)


class ConditionedLine(BaseModel):
    """One line: a query under one condition of retrieval.

    ``id`` is the triplet's, equal under all four conditions; with ``condition`` it names the line. ``relevant`` says of
    each of ``chunks`` whether it is of the query's own context, and ``source`` which document that is from. A model is
    sent ``messages`` and should answer ``reference``.
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

    @model_validator(mode="after")
    def _labels_its_chunks(self) -> "ConditionedLine":
        if len(self.chunks) != len(self.relevant):
            raise ValueError("relevant: one label for each of chunks")
        return self


def conditioned_line(example: ConditionedExample, prompt: Prompt, *, source: str) -> ConditionedLine:
    """Return the line of an example.

    Raises:
        ConfigurationError: the prompt names another variable than ``context`` and ``question``.
    """
    messages = retrieved_messages(prompt, example.query, example.chunks)
    return ConditionedLine(**asdict(example), source=source, messages=messages)


def write_conditioned_lines(path: Path, lines: Iterable[ConditionedLine]) -> str:
    """Write a test set, and return the SHA-256 of its bytes."""
    return write_json_lines(path, (each.model_dump() for each in lines))
