"""The folder of controlled retrieval: the training file of each variant, the test set, and what they hold."""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from contracts.errors import InvalidInput
from golden_lab.training.data.conditions import (
    GIVEN,
    VARIANTS,
    ConditionBuilder,
    conditioned_line,
    hold_out,
    unified_test_set,
    write_conditioned_lines,
)
from golden_lab.training.data.examples import TrainingExample, write_examples
from golden_lab.training.data.passages import CONDITIONS, Condition, ConditionedExample, TokenSpans, Triplet
from golden_lab.training.data.prompting import retrieved_messages
from tools.language import find_words, fold
from tools.prompts import Prompt

LeakKind = Literal["id", "source", "query", "reference", "context"]

# Long enough to be no phrase of the trade, short enough to find a copied sentence.
# Source: Brown et al. 2020, "Language Models are Few-Shot Learners", appendix C: 13-grams.
RUN_WORDS = 13
# A reference or context of fewer words, such as "5 V", is what different questions may well share.
_FEWEST_WORDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """Something of a test triplet that stands in a training triplet: ``text`` is what they share."""

    kind: LeakKind
    train: str
    test: str
    text: str


def find_leaks(train: Sequence[Triplet], test: Sequence[Triplet], *, words: int = RUN_WORDS) -> tuple[Leak, ...]:
    """Return what of ``test`` stands in ``train``: the first of each kind for each test triplet.

    Ids and sources are compared as they are, queries by their folded words, references and contexts by runs of
    ``words`` folded words (a whole text where it is shorter; one of fewer than five words tells nothing).
    """
    seen: dict[tuple[LeakKind, str], str] = {}
    for triplet in train:
        for kind, key, _ in _marks(triplet, words):
            seen.setdefault((kind, key), triplet.id)
    found: dict[tuple[LeakKind, str], Leak] = {}
    for triplet in test:
        for kind, key, text in _marks(triplet, words):
            if (kind, key) in seen and (kind, triplet.id) not in found:
                found[kind, triplet.id] = Leak(kind=kind, train=seen[kind, key], test=triplet.id, text=text)
    return tuple(found.values())


def drop_leaks(
    train: Sequence[Triplet], test: Sequence[Triplet], *, words: int = RUN_WORDS
) -> tuple[tuple[Triplet, ...], tuple[Triplet, ...]]:
    """Split ``train`` into what shares nothing with ``test``, in the sense of ``find_leaks``, and what does."""
    held = {(kind, key) for triplet in test for kind, key, _ in _marks(triplet, words)}
    leaking = [any((kind, key) in held for kind, key, _ in _marks(triplet, words)) for triplet in train]
    return (
        tuple(each for each, leaks in zip(train, leaking, strict=True) if not leaks),
        tuple(each for each, leaks in zip(train, leaking, strict=True) if leaks),
    )


def _marks(triplet: Triplet, words: int) -> Iterator[tuple[LeakKind, str, str]]:
    """Yield what a triplet is known by: the kind, a key that is equal where it is the same, and the text behind it."""
    yield "id", triplet.id, triplet.id
    if triplet.source:
        yield "source", triplet.source, triplet.source
    yield "query", " ".join(_folded(triplet.query)), triplet.query
    for kind, text in (("reference", triplet.reference), ("context", triplet.context)):
        for run in _runs(_folded(text), words):
            yield kind, run, run  # type: ignore[misc]  # the pairs above are of this kind


def _runs(folded: Sequence[str], words: int) -> Iterable[str]:
    if len(folded) < _FEWEST_WORDS:
        return ()
    return {" ".join(folded[at : at + words]) for at in range(max(1, len(folded) - words + 1))}


def _folded(text: str) -> list[str]:
    return [fold(word.text) for word in find_words(text)]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCounts:
    """Tokens of one part over all examples: mean, median, 95th percentile and the most; 0 where there are none."""

    mean: float
    median: float
    p95: float
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionStatistics:
    """The examples of one condition: how many, the tokens of their parts, and the share of chunks that are relevant."""

    condition: Condition
    examples: int
    query: TokenCounts
    context: TokenCounts
    reference: TokenCounts
    relevant_share: float


def statistics_of(examples: Sequence[ConditionedExample], spans_of: TokenSpans) -> tuple[ConditionStatistics, ...]:
    """Return the statistics of each condition that occurs, in the order of ``CONDITIONS``."""
    found = []
    for condition in CONDITIONS:
        rows = [each for each in examples if each.condition == condition]
        if not rows:
            continue
        labels = [label for each in rows for label in each.relevant]
        found.append(
            ConditionStatistics(
                condition=condition,
                examples=len(rows),
                query=_counts([len(spans_of(each.query)) for each in rows]),
                context=_counts([sum(len(spans_of(chunk)) for chunk in each.chunks) for each in rows]),
                reference=_counts([len(spans_of(each.reference)) for each in rows]),
                relevant_share=sum(labels) / len(labels) if labels else 0.0,
            )
        )
    return tuple(found)


def _counts(values: Sequence[int]) -> TokenCounts:
    ordered = sorted(values)
    return TokenCounts(
        mean=sum(ordered) / len(ordered),
        median=float(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2,
        p95=float(ordered[math.ceil(0.95 * len(ordered)) - 1]),
        most=ordered[-1],
    )


_SHOWN_LEAKS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionFolder:
    """What was written: the statistics of training and test data, and how many training triplets were dropped.

    ``files`` are the names of the files with the SHA-256 of their bytes.
    """

    train: tuple[ConditionStatistics, ...]
    test: tuple[ConditionStatistics, ...]
    train_triplets: int
    test_triplets: int
    dropped: int
    files: dict[str, str]


def write_condition_folder(
    triplets: Sequence[Triplet],
    folder: Path,
    prompt: Prompt,
    spans_of: TokenSpans,
    *,
    variants: Sequence[str] = tuple(VARIANTS),
    test: int = 0,
    seed: int = 0,
    leaks_dropped: bool = False,
    made_of: dict[str, str] | None = None,
) -> ConditionFolder:
    """Write ``train-VARIANT.jsonl`` for each of ``variants``, ``test.jsonl`` and ``statistics.json`` into ``folder``.

    At least ``test`` triplets are held out, 0: a tenth; whole sources, by ``seed``. ``made_of`` says in the statistics
    what they are made of. Equal arguments write equal bytes.

    Raises:
        InvalidInput: a variant is not known, sources are too few, or text of the training data stands in the test set
            and ``leaks_dropped`` does not say that it should be left out.
        ConfigurationError: the prompt names another variable than ``context`` and ``question``.
    """
    unknown = [name for name in variants if name not in VARIANTS]
    if unknown:
        raise InvalidInput(f"there is no variant {unknown[0]!r}: choose of {', '.join(VARIANTS)}", field="variant")
    count = test or max(1, len(triplets) // 10)
    kept, held = hold_out(triplets, count, seed=seed, fewest_others=GIVEN)
    dropped: tuple[Triplet, ...] = ()
    if leaks_dropped:
        kept, dropped = drop_leaks(kept, held)
    leaks = find_leaks(kept, held)
    if leaks:
        raise InvalidInput(_told(leaks), field="data")
    if not kept:
        raise InvalidInput("all training data leaks into the test set: nothing is left to train on", field="data")
    builder = ConditionBuilder(kept, spans_of, seed=seed)
    groups = {each.id: each.source for each in triplets}
    tested = unified_test_set(held, spans_of, seed=seed)
    # Everything is built before anything is written: what cannot be built leaves no half of a folder.
    built = {name: builder.variant(name) for name in variants}
    files = {
        f"train-{name}.jsonl": write_examples(
            folder / f"train-{name}.jsonl", [_example(each, prompt, groups[each.id]) for each in rows]
        )
        for name, rows in built.items()
    }
    lines = [conditioned_line(each, prompt, source=groups[each.id]) for each in tested]
    files["test.jsonl"] = write_conditioned_lines(folder / "test.jsonl", lines)
    written = ConditionFolder(
        train=statistics_of(builder.variant("with-all"), spans_of),
        test=statistics_of(tested, spans_of),
        train_triplets=len(kept),
        test_triplets=len(held),
        dropped=len(dropped),
        files=files,
    )
    sizes = {name: len(rows) for name, rows in built.items()}
    _write_statistics(folder / "statistics.json", written, sizes, seed, prompt, made_of or {})
    return written


def _example(example: ConditionedExample, prompt: Prompt, source: str) -> TrainingExample:
    return TrainingExample(
        id=f"{example.id}/{example.condition}",
        group=source or example.id,
        messages=retrieved_messages(prompt, example.query, example.chunks),
        completion=example.reference,
        condition=example.condition,
        source=source,
    )


def _write_statistics(
    path: Path, written: ConditionFolder, sizes: dict[str, int], seed: int, prompt: Prompt, made_of: dict[str, str]
) -> None:
    values = {
        "seed": seed,
        "prompt": hashlib.sha256(prompt.model_dump_json().encode()).hexdigest(),
        **made_of,
        "examples": sizes,
        **asdict(written),
    }
    path.write_text(json.dumps(values, indent=2, ensure_ascii=False) + "\n", "utf-8")


def _told(leaks: Sequence[Leak]) -> str:
    shown = [
        f'  {leak.kind}: test {leak.test}, train {leak.train}: "{leak.text[:90]}"' for leak in leaks[:_SHOWN_LEAKS]
    ]
    more = [f"  and {len(leaks) - _SHOWN_LEAKS} more"] if len(leaks) > _SHOWN_LEAKS else []
    return "\n".join(
        [
            f"text of the training data stands in the test set, in {len({leak.test for leak in leaks})} of its "
            "questions: a test would measure memory. Leave these training rows out with --drop-leaks.",
            *shown,
            *more,
        ]
    )
