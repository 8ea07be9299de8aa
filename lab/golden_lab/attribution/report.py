"""Measuring ways to attribute on the questions of a study, with intervals and paired differences."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from contracts.errors import InvalidInput
from evaluation.intervals import Interval, bootstrap_mean
from golden_lab.causal_attribution import RankRule, TokenAttributor, passage_relevance, used_passages
from golden_lab.causal_attribution.layout import lay_out
from golden_lab.causal_attribution.model import LocalCausalModel
from golden_lab.causal_attribution.occlusion import occlusion_curves
from golden_lab.refinement.cases import StudyCase


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionOutcome:
    """What one way to attribute did on one question.

    ``abpc`` is the area between the occlusion curves of the first token that the model writes, in probabilities;
    ``first_token_share`` and ``conservation`` are means over the answer's tokens (NaN where there is none).
    ``used`` of the ``passages`` that found room are used by rank, ``flagged`` of these are labelled irrelevant.
    ``seconds`` is what attributing took, ``writing_s`` what writing the same tokens did.
    """

    method: str
    case: str
    abpc: float
    first_token_share: float
    conservation: float
    passages: int
    used: int
    flagged: int
    seconds: float
    writing_s: float


def measure_attribution(
    model: LocalCausalModel,
    attributors: Sequence[TokenAttributor],
    cases: Sequence[StudyCase],
    *,
    tokens: int = 10,
    points: int = 10,
    on_case: Callable[[], object] = lambda: None,
) -> tuple[AttributionOutcome, ...]:
    """Measure each of ``attributors`` on each of ``cases``: the model writes ``tokens`` greedily, and these are
    attributed. Blocking.

    Raises:
        InvalidInput: a question alone is longer than the model reads.
    """
    found: list[AttributionOutcome] = []
    for case in cases:
        room = model.most_tokens - tokens if model.most_tokens else 0
        texts = [passage.chunk.text for passage in case.passages]
        prompt = lay_out(model.tokenizer, case.question, texts, most_tokens=room)
        begun = time.perf_counter()
        answer = model.next_ids(prompt.ids, tokens)
        writing_s = time.perf_counter() - begun
        for attributor in attributors:
            begun = time.perf_counter()
            relevance = attributor.attribute(prompt.ids, answer)
            seconds = time.perf_counter() - begun
            used = used_passages(passage_relevance(relevance.scores, prompt.passages), RankRule())
            curves = occlusion_curves(model, prompt.ids, answer[0], relevance.scores[0], points=points)
            found.append(
                AttributionOutcome(
                    method=attributor.name,
                    case=case.id,
                    abpc=curves.abpc,
                    first_token_share=float(relevance.first_token_share().mean()),
                    conservation=_mean(relevance.conservation()),
                    passages=len(prompt.passages),
                    used=len(used),
                    flagged=sum(not case.relevant[index] for index in used) if case.relevant else 0,
                    seconds=seconds,
                    writing_s=writing_s,
                )
            )
        on_case()
    return tuple(found)


def _mean(values: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else math.nan


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
