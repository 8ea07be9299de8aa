"""The folder of controlled retrieval: a training file for each variant, the test set, and statistics."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from contracts.errors import InvalidInput
from golden_lab.json_lines import write_json_lines
from golden_lab.training.data.conditions import (
    VARIANTS,
    ConditionBuilder,
    ConditionedLine,
    TokenSpans,
    Triplet,
    hold_out,
)
from golden_lab.training.data.examples import TrainingExample, write_examples
from tools.language import find_words, fold
from tools.prompts import Prompt

# Long enough not to match common technical phrases, short enough to find a copied sentence. Source: Brown et al.
# 2020, "Language Models are Few-Shot Learners", appendix C: 13-grams.
RUN_WORDS = 13
# Different questions may share a reference or context with fewer words, such as "5 V".
_FEWEST_WORDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionFolder:
    """A summary of the folder: the numbers of triplets, and of those left out because the test set contains their text.

    ``examples`` and ``tokens`` (the mean length of a context) are counted by condition, in the training data of all
    conditions. ``files`` maps file names to the SHA-256 of the files.
    """

    train_triplets: int
    test_triplets: int
    left_out: int
    examples: Mapping[str, int]
    tokens: Mapping[str, float]
    files: Mapping[str, str]


def write_condition_folder(
    triplets: Sequence[Triplet],
    folder: Path,
    prompt: Prompt,
    spans_of: TokenSpans,
    *,
    variants: Sequence[str] = tuple(VARIANTS),
    test: int = 0,
    seed: int = 0,
) -> ConditionFolder:
    """Write ``train-VARIANT.jsonl`` for each of ``variants``, ``test.jsonl`` and ``statistics.json`` into ``folder``.

    At least ``test`` triplets (0: a tenth) are held out, as whole sources drawn with ``seed``. Every held-out query
    occurs under all four conditions, with chunks from held-out contexts only (source: TRIFEX (Oestreich et al.),
    section 3.3). Training triplets that share text with a held-out one are left out. Equal arguments give equal files.

    Raises:
        InvalidInput: a variant is unknown, there are too few sources, or nothing is left to train on.
        ConfigurationError: the prompt names a variable other than ``context`` and ``question``.
    """
    kept, held = hold_out(triplets, test or max(1, len(triplets) // 10), seed=seed)
    learnt = without_leaks(kept, held)
    if not learnt:
        raise InvalidInput("all training data is also in the test set: nothing is left to train on", field="data")
    builder = ConditionBuilder(learnt, spans_of, prompt, seed=seed)
    # Everything is built before anything is written, so that an error does not leave a partial folder.
    built = {name: builder.variant(name) for name in variants}
    tested = ConditionBuilder(held, spans_of, prompt, seed=seed).variant("with-all")
    files = {
        f"train-{name}.jsonl": write_examples(folder / f"train-{name}.jsonl", map(_example, rows))
        for name, rows in built.items()
    }
    files["test.jsonl"] = write_json_lines(folder / "test.jsonl", (each.model_dump() for each in tested))
    counts: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    for each in builder.variant("with-all"):
        counts[each.condition] += 1
        tokens[each.condition] += sum(len(spans_of(chunk)) for chunk in each.chunks)
    written = ConditionFolder(
        train_triplets=len(learnt),
        test_triplets=len(held),
        left_out=len(kept) - len(learnt),
        examples={name: len(rows) for name, rows in built.items()},
        tokens={name: tokens[name] / counts[name] for name in counts},
        files=files,
    )
    statistics = json.dumps({"seed": seed, **asdict(written)}, indent=2, ensure_ascii=False)
    (folder / "statistics.json").write_text(statistics + "\n", "utf-8")
    return written


def without_leaks(train: Sequence[Triplet], test: Sequence[Triplet]) -> tuple[Triplet, ...]:
    """Return the triplets of ``train`` that share no id, source, query or longer text with any of ``test``.

    Queries are compared by their folded words, references and contexts by runs of 13 words. A shorter text is compared
    as a whole, and a text of fewer than 5 words is ignored.
    """
    held = {mark for triplet in test for mark in _marks(triplet)}
    return tuple(each for each in train if held.isdisjoint(_marks(each)))


def _marks(triplet: Triplet) -> Iterator[tuple[str, str]]:
    """Yield the keys that two triplets must not share."""
    yield "id", triplet.id
    if triplet.source:
        yield "source", triplet.source
    yield "query", " ".join(_folded(triplet.query))
    for kind, text in (("reference", triplet.reference), ("context", triplet.context)):
        words = _folded(text)
        if len(words) >= _FEWEST_WORDS:
            for at in range(max(1, len(words) - RUN_WORDS + 1)):
                yield kind, " ".join(words[at : at + RUN_WORDS])


def _folded(text: str) -> list[str]:
    return [fold(word.text) for word in find_words(text)]


def _example(line: ConditionedLine) -> TrainingExample:
    return TrainingExample(
        id=f"{line.id}/{line.condition}",
        group=line.source or line.id,
        messages=line.messages,
        completion=line.reference,
        condition=line.condition,
        source=line.source,
    )
