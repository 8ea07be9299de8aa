"""The report as Markdown."""

import re
from collections.abc import Iterator, Sequence

from evaluation.report.cells import (
    change_text,
    duration,
    figure_text,
    interval,
    number,
    published_beside_main,
    rows_of,
)
from evaluation.report.comparison import Difference
from evaluation.results import BenchmarkResult, Report, named


def to_markdown(report: Report, changes: Sequence[Difference] | None = None) -> str:
    """Write the report; ``changes`` are the differences to another one, None where there is none to compare with."""
    lines = ["# What the bench measured", "", *_heading(report), "", *_summary(report), ""]
    if report.failures:
        lines += ["## Not measured", ""]
        lines += [f"- {escape(name)}: {escape(reason)}" for name, reason in report.failures.items()]
        lines.append("")
    if changes is not None:
        lines += [*_changes(changes), ""]
    for result in report.benchmarks:
        if result.status == "scored":
            lines += [*_section(result, changes), ""]
    return "\n".join(lines).rstrip() + "\n"


def escape(text: str) -> str:
    """Return ``text`` as Markdown that shows exactly it, on one line, in a table too."""
    flat = " ".join(text.split())
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", flat).replace("&", "&amp;")


def _heading(report: Report) -> Iterator[str]:
    size = "every case" if report.full else "samples"
    yield (
        f"Engine **{escape(report.engine)}** ({escape(report.model)}), revision {escape(report.revision)}, seed "
        f"{report.seed}, {size}; begun {escape(report.begun)} on {escape(report.machine)}; "
        f"{duration(report.seconds)} in all. Intervals are 95 %."
    )


def _summary(report: Report) -> Iterator[str]:
    yield "| intrinsic | benchmark | metric | score | 95 % | cases | published | time |"
    yield "|---|---|---|---|---|---|---|---|"
    for result in report.benchmarks:
        about, main = result.about, result.main
        if main is None:
            reason = "failed" if result.status == "failed" else "not scored"
            yield table_row((about.intrinsic, about.name, about.metric, reason, "", "", "", ""))
            continue
        yield table_row(
            (
                about.intrinsic,
                about.name,
                named(*main.row),
                number(main.value),
                interval(main),
                f"{main.n:,}",
                "; ".join(figure_text(each) for each in published_beside_main(about)),
                duration(result.seconds),
            )
        )


def _changes(changes: Sequence[Difference]) -> Iterator[str]:
    moved = [each for each in changes if each.verdict in ("better", "worse")]
    yield "## Since the last report"
    yield ""
    if not moved:
        yield f"None of {len(changes):,} scores changed by more than chance."
        return
    yield f"{len(moved):,} of {len(changes):,} scores changed by more than chance."
    yield ""
    yield "| benchmark | score | before | now | change |"
    yield "|---|---|---|---|---|"
    for each in moved:
        score = named(each.metric, each.subset, each.system)
        yield table_row((each.benchmark, score, number(each.before), number(each.now), change_text(each)))


def _section(result: BenchmarkResult, changes: Sequence[Difference] | None) -> Iterator[str]:
    about = result.about
    yield f"## {escape(about.name)}"
    yield ""
    yield f"{escape(about.title)}. Source: {escape(about.source)}; licence: {escape(about.licence)}; split: " + (
        f"{escape(about.split)}. {result.cases:,} cases{f' ({escape(result.note)})' if result.note else ''}, "
        f"{duration(result.seconds)}, {duration(result.median_case_s)} a case (median; 95 % below "
        f"{duration(result.p95_case_s)})."
    )
    yield ""
    with_changes = changes is not None
    yield "| metric | subset | system | score | 95 % | n | published |" + (" change |" if with_changes else "")
    yield "|---|---|---|---|---|---|---|" + ("---|" if with_changes else "")
    for row in rows_of(about, result.scores, changes or ()):
        ours = (number(row.score.value), interval(row.score), f"{row.score.n:,}") if row.score else ("", "", "")
        cells = (row.metric, row.subset, row.system, *ours, "; ".join(map(figure_text, row.published)))
        change = (change_text(row.change) if row.score else "",) if with_changes else ()
        yield table_row((*cells, *change))
    if result.worst:
        yield ""
        yield "Worst cases:"
        yield ""
        for case in result.worst:
            trace = "; ".join(f"{key}: {value}" for key, value in case.trace.items())
            yield f"- {escape(case.id)} (loss {case.loss:.2f}) {escape(_short(trace))}".rstrip()


def table_row(cells: Sequence[str]) -> str:
    """Write a row of a table, its cells escaped."""
    return f"| {' | '.join(map(escape, cells))} |"


def _short(text: str, length: int = 600) -> str:
    return text if len(text) <= length else text[:length].rstrip() + " …"
