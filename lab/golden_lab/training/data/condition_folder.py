"""The folder of controlled retrieval: the training file of each variant, the test set, and what they are made of."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from contracts.errors import InvalidInput
from golden_lab.training.data.chunking import TokenSpans
from golden_lab.training.data.conditioned import conditioned_line, write_conditioned_lines
from golden_lab.training.data.conditions import GIVEN, VARIANTS, ConditionBuilder, hold_out, unified_test_set
from golden_lab.training.data.examples import TrainingExample, write_examples
from golden_lab.training.data.leaks import Leak, drop_leaks, find_leaks
from golden_lab.training.data.prompting import retrieved_messages
from golden_lab.training.data.statistics import ConditionStatistics, statistics_of
from golden_lab.training.data.values import ConditionedExample, Triplet
from tools.prompts import Prompt

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
