"""The report on attributed responses: metrics with intervals, the decomposition, and unsupported claims."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contracts.errors import InvalidInput
from golden_lab.intervals import Interval, bootstrap
from golden_lab.report.html import page
from golden_lab.report.markdown import escape, table
from golden_lab.results import Figure
from golden_lab.tables import text_table
from golden_lab.triples.metrics import (
    METRIC_TITLES,
    ClaimCounts,
    ClaimMetrics,
    ConditionPoint,
    Decomposition,
    counts_matrix,
    counts_of,
    decompose,
    metrics_of,
    pooled,
)
from golden_lab.triples.pipeline import AttributedResponse
from golden_lab.triples.plots import count_regions, venn_matrix

_MOST_WORST = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CellReport:
    """One system under one condition: its counts over all responses, and each metric with its 95% interval.

    A metric whose denominator is 0 is None. If a metric can be computed in fewer than half of the resamples, or if
    there is only one response, its interval is the value itself and is not shown.
    """

    system: str
    condition: str
    responses: int
    counts: ClaimCounts
    metrics: Mapping[str, Interval | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsupportedClaim:
    """A claim that is supported by neither the query, the context nor the reference."""

    id: str
    system: str
    condition: str
    claim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrifexReport:
    """The results of a file of responses. ``not_decomposed`` is why there is no decomposition; "" if there is one."""

    engine: str
    model: str
    cells: tuple[CellReport, ...]
    decomposition: Decomposition | None
    not_decomposed: str
    unsupported: tuple[UnsupportedClaim, ...]
    figures: tuple[Figure, ...]


def make_report(responses: Sequence[AttributedResponse], *, engine: str, model: str, seed: int) -> TrifexReport:
    """Report on responses, grouped by system and condition in the order in which these first occur.

    Raises:
        InvalidInput: there are no responses.
    """
    groups: dict[tuple[str, str], list[AttributedResponse]] = {}
    for each in responses:
        groups.setdefault((each.example.system, each.example.condition), []).append(each)
    if not groups:
        raise InvalidInput("there are no responses to report on")
    cells = tuple(_cell(system, condition, found, seed) for (system, condition), found in groups.items())
    decomposition, reason = _decomposition(cells)
    regions = {key: count_regions(found) for key, found in groups.items()}
    return TrifexReport(
        engine=engine,
        model=model,
        cells=cells,
        decomposition=decomposition,
        not_decomposed=reason,
        unsupported=_unsupported(responses),
        figures=(venn_matrix(regions, "Claims by the sources that support them"),),
    )


def render_report(report: TrifexReport) -> str:
    """Write a report as text for a terminal: percentages with their intervals."""
    lines = [f"TRIFEX, engine {report.engine} ({report.model}); in %, with 95 % intervals over responses", ""]
    lines += [*text_table(_rows(report.cells)), "", decomposition_text(report.decomposition, report.not_decomposed), ""]
    lines.append("Claims that no source supports:" if report.unsupported else "Every claim is supported by a source.")
    lines.extend(f"  {_place(each)}: {each.claim}" for each in report.unsupported)
    return "\n".join(lines)


def report_as_json(report: TrifexReport) -> dict[str, Any]:
    """Return a report as plain JSON values; the published figures are omitted."""
    found = asdict(report)
    del found["figures"]
    plain: dict[str, Any] = json.loads(json.dumps(found))
    return plain


def report_as_html(report: TrifexReport) -> str:
    """Write a report as one HTML page that needs no network."""
    head, *rows = _rows(report.cells)
    engine = escape(f"Engine {report.engine} ({report.model}). Percentages with 95 % intervals over responses.")
    overview = (
        "# TRIFEX",
        "",
        engine,
        "",
        *table(head, rows),
        "",
        escape(decomposition_text(report.decomposition, report.not_decomposed)),
    )
    worst = [f"- {escape(f'{_place(each)}: {each.claim}')}" for each in report.unsupported] or ["- none"]
    unsupported = ("## Claims that no source supports", "", *worst)
    parts = (("trifex", overview, report.figures), ("unsupported", unsupported, ()))
    return page("TRIFEX", ((anchor, "\n".join(lines), figures) for anchor, lines, figures in parts))


def _rows(cells: Sequence[CellReport]) -> list[list[str]]:
    """Return the cells of a table with a row for each metric and a column for each system and condition."""
    rows = [["", *(_named(cell) for cell in cells)]]
    rows.append(["responses, claims", *(f"{cell.responses:,}, {cell.counts.generated:,}" for cell in cells)])
    rows.extend([title, *(_shown(cell.metrics[name]) for cell in cells)] for name, title in METRIC_TITLES.items())
    return rows


def _cell(system: str, condition: str, responses: Sequence[AttributedResponse], seed: int) -> CellReport:
    counts = [each.counts for each in responses]
    matrix = counts_matrix(counts)

    # Every metric is computed from the same resamples, so each resample is pooled only once.
    @cache
    def pooled_metrics(drawn: bytes) -> ClaimMetrics:
        return metrics_of(counts_of(matrix[np.frombuffer(drawn, dtype=np.intp)].sum(axis=0)))

    return CellReport(
        system=system,
        condition=condition,
        responses=len(responses),
        counts=pooled(counts),
        metrics={name: _interval(name, pooled_metrics, len(matrix), seed) for name in METRIC_TITLES},
    )


def _interval(name: str, pooled_metrics: Callable[[bytes], ClaimMetrics], count: int, seed: int) -> Interval | None:
    def statistic(rows: NDArray[np.intp]) -> float:
        value = getattr(pooled_metrics(rows.astype(np.intp).tobytes()), name)
        return float("nan") if value is None else float(value)

    value = statistic(np.arange(count))
    if np.isnan(value):
        return None
    try:
        return bootstrap(statistic, count, seed=seed)
    except InvalidInput:
        return Interval(value=value, low=value, high=value)


def _decomposition(cells: Sequence[CellReport]) -> tuple[Decomposition | None, str]:
    systems: dict[str, list[ConditionPoint]] = {}
    for cell in cells:
        found = metrics_of(cell.counts)
        own, knowledge, rate = found.self_knowledge, found.parametric_knowledge_precision, found.parametric_rate
        if own and knowledge and rate:
            point = ConditionPoint(self_knowledge=own, knowledge_precision=knowledge, parametric_rate=rate)
            systems.setdefault(cell.system, []).append(point)
    usable = {name: points for name, points in systems.items() if len(points) > 1}
    if not usable:
        return None, "no system has self-knowledge above 0 under two conditions or more"
    try:
        return decompose(usable), ""
    except InvalidInput as error:
        return None, str(error)


def _unsupported(responses: Sequence[AttributedResponse]) -> tuple[UnsupportedClaim, ...]:
    """Return unsupported claims, starting with the responses that have the largest share of them."""
    ranked = sorted(responses, key=lambda each: -(metrics_of(each.counts).unsupported or 0.0))
    found = [
        UnsupportedClaim(
            id=each.example.id,
            system=each.example.system,
            condition=each.example.condition,
            claim=f"{claim.claim.subject} | {claim.claim.predicate} | {claim.claim.object}",
        )
        for each in ranked
        for claim in each.claims
        if not claim.evidence
    ]
    return tuple(found[:_MOST_WORST])


def decomposition_text(found: Decomposition | None, reason: str) -> str:
    """Return a decomposition in words, or the ``reason`` why there is none."""
    if found is None:
        return f"No decomposition of self-knowledge: {reason}."
    return (
        f"Variance of log SK over conditions ({_number(found.systems, 'system')}): {found.rate_share:.0%} from log PR, "
        f"{found.precision_share:.0%} from log PKP, {found.covariance_share:.0%} from their covariance. "
        f"Coefficients of variation: SK {found.self_knowledge_variation:.3f}, PKP {found.precision_variation:.3f}, "
        f"PR {found.rate_variation:.3f}."
    )


def _named(cell: CellReport) -> str:
    return " / ".join(part for part in (cell.system, cell.condition) if part) or "all responses"


def _place(each: UnsupportedClaim) -> str:
    return " / ".join(part for part in (each.id, each.system, each.condition) if part)


def _shown(interval: Interval | None) -> str:
    if interval is None:
        return "n/a"
    if interval.low == interval.high:
        return f"{100 * interval.value:.1f}"
    return f"{100 * interval.value:.1f} ({100 * interval.low:.1f} to {100 * interval.high:.1f})"


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")
