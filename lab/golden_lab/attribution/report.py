"""The report on ways to attribute: each with intervals, and each pair on the same questions."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from contracts.errors import InvalidInput
from evaluation.intervals import Interval, bootstrap_mean
from golden_lab.attribution.measuring import AttributionOutcome

# Source: the study of refinement that the product builds on, tables 7 and 14. Other models, other prompts.
PUBLISHED = (
    "published ABPC on 15 questions of ALCE, Qwen3-4B: input x gradient +0.077 [0.023, 0.156], 13 of 15 positive",
    "published on Llama-3.2-3B, 5 questions (logits): AttnLRP 54.9, first token 7.3 %, conservation .35; "
    "input x gradient 31.1, 3.9 %, .003",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodScore:
    """One way to attribute over all questions. ``cost`` is its time in units of writing the same tokens."""

    method: str
    questions: int
    abpc: Interval
    positive: int
    first_token_share: Interval
    conservation: Interval | None
    used_share: float
    flagged_share: float
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """How far the ABPC of ``first`` lies above that of ``second`` on the same questions."""

    first: str
    second: str
    difference: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionReport:
    """What was measured, on which model."""

    model: str
    seed: int
    methods: tuple[MethodScore, ...]
    pairs: tuple[PairedDifference, ...]
    notes: tuple[str, ...] = ()


def make_report(
    outcomes: Sequence[AttributionOutcome], *, model: str, seed: int, notes: Sequence[str] = ()
) -> AttributionReport:
    """Score ``outcomes`` by method, with 95 % bootstrap intervals over questions.

    Raises:
        InvalidInput: there is no outcome.
    """
    if not outcomes:
        raise InvalidInput("there is no question to score attribution on")
    by_method: dict[str, list[AttributionOutcome]] = {}
    for outcome in outcomes:
        by_method.setdefault(outcome.method, []).append(outcome)
    pairs = [
        PairedDifference(
            first=first,
            second=second,
            difference=bootstrap_mean(
                [one.abpc - two.abpc for one, two in zip(by_method[first], by_method[second], strict=True)], seed=seed
            ),
        )
        for first, second in combinations(by_method, 2)
    ]
    methods = [_score(method, rows, seed) for method, rows in by_method.items()]
    return AttributionReport(model=model, seed=seed, methods=tuple(methods), pairs=tuple(pairs), notes=tuple(notes))


def as_json(report: AttributionReport) -> dict[str, Any]:
    """Return the report as plain values."""
    return asdict(report)


def render(report: AttributionReport) -> str:
    """Return the report as Markdown."""
    lines = [
        f"# Attribution on {report.model}",
        "",
        "| method | questions | ABPC | positive | first token | conservation | used | of these irrelevant | cost |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for each in report.methods:
        conserved = _shown(each.conservation) if each.conservation is not None else "–"
        lines.append(
            f"| {each.method} | {each.questions} | {_shown(each.abpc)} | {each.positive} | "
            f"{_shown(each.first_token_share, percent=True)} | {conserved} | {each.used_share:.0%} | "
            f"{each.flagged_share:.0%} | {each.cost:.1f} × writing |"
        )
    for pair in report.pairs:
        lines += ["", f"{pair.first} − {pair.second}, ABPC on the same questions: {_shown(pair.difference)}"]
    lines += ["", *(f"* {note}" for note in (*report.notes, *PUBLISHED)), ""]
    return "\n".join(lines)


def _score(method: str, rows: Sequence[AttributionOutcome], seed: int) -> MethodScore:
    conserved = [row.conservation for row in rows if math.isfinite(row.conservation)]
    return MethodScore(
        method=method,
        questions=len(rows),
        abpc=bootstrap_mean([row.abpc for row in rows], seed=seed),
        positive=sum(row.abpc > 0 for row in rows),
        first_token_share=bootstrap_mean([row.first_token_share for row in rows], seed=seed),
        conservation=bootstrap_mean(conserved, seed=seed) if conserved else None,
        used_share=_share(sum(row.used for row in rows), sum(row.passages for row in rows)),
        flagged_share=_share(sum(row.flagged for row in rows), sum(row.used for row in rows)),
        cost=_share(sum(row.seconds for row in rows), sum(row.writing_s for row in rows)),
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _shown(interval: Interval, *, percent: bool = False) -> str:
    unit, digits = (100, 1) if percent else (1, 3)
    value, low, high = (f"{unit * each:.{digits}f}" for each in (interval.value, interval.low, interval.high))
    return f"{value}{' %' if percent else ''} [{low}, {high}]"
