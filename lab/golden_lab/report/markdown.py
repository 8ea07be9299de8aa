"""The report as Markdown."""

import re
from collections.abc import Iterator, Sequence

from golden_lab.report.comparison import ScoreChange
from golden_lab.results import About, BenchmarkResult, Figure, Published, Report, Score, named

_VERDICTS = {"better": "better", "worse": "worse", "same": "within chance"}

# A part of the report: its anchor, its Markdown, and the plots that follow.
Section = tuple[str, str, tuple[Figure, ...]]


def to_markdown(report: Report, changes: Sequence[ScoreChange] | None = None) -> str:
    """Return the report as Markdown; ``changes`` are the differences from another report, if any."""
    return "\n\n".join(text for _, text, _ in sections(report, changes)) + "\n"


def sections(report: Report, changes: Sequence[ScoreChange] | None) -> Iterator[Section]:
    """Yield the parts of the report: overview, failures, changes, and each scored benchmark."""
    yield "overview", "\n".join(_overview(report)), ()
    if report.failures:
        lines = [f"- {escape(name)}: {escape(reason)}" for name, reason in report.failures.items()]
        yield "not-measured", "\n".join(("## Not measured", "", *lines)), ()
    if changes is not None:
        yield "changes", "\n".join(_changes(changes)), ()
    for result in report.benchmarks:
        if result.status == "scored":
            yield _anchor(result.about), "\n".join(_benchmark(result, changes)), result.figures


def escape(text: str) -> str:
    """Return ``text`` on one line, escaped for Markdown, including tables."""
    flat = " ".join(text.split())
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", flat).replace("&", "&amp;")


def table_row(cells: Sequence[str]) -> str:
    """Return a table row with escaped cells."""
    return f"| {' | '.join(map(escape, cells))} |"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table with escaped cells."""
    yield table_row(heads)
    yield f"|{'---|' * len(heads)}"
    yield from map(table_row, rows)


def _anchor(about: About) -> str:
    return re.sub(r"[^a-z0-9-]", "-", about.name.lower())


def _overview(report: Report) -> Iterator[str]:
    size = "every case" if report.full else "samples"
    yield "# What the bench measured"
    yield ""
    yield (
        f"Engine **{escape(report.engine)}** ({escape(report.model)}), revision {escape(report.revision)}, seed "
        f"{report.seed}, {size}; begun {escape(report.begun)} on {escape(report.machine)}; "
        f"{duration(report.seconds)} in all. Intervals are 95 %."
    )
    yield ""
    yield "| intrinsic | benchmark | metric | score | 95 % | cases | published | time |"
    yield "|---|---|---|---|---|---|---|---|"
    for result in report.benchmarks:
        about, main = result.about, result.main
        name = escape(about.name) if result.status == "failed" else f"[{escape(about.name)}](#{_anchor(about)})"
        cells = (about.metric, "failed" if result.status == "failed" else "not scored", "", "", "", "")
        if main is not None:
            published, time = "; ".join(map(figure_text, published_beside_main(about))), duration(result.seconds)
            cells = (named(*main.row), number(main.value), interval(main), f"{main.n:,}", published, time)
        yield f"| {escape(about.intrinsic)} | {name} {table_row(cells)}"


def _changes(changes: Sequence[ScoreChange]) -> Iterator[str]:
    moved = [each for each in changes if each.verdict in ("better", "worse")]
    yield "## Since the last report"
    yield ""
    yield f"{len(moved):,} of {len(changes):,} scores changed by more than chance."
    if moved:
        yield ""
        rows = [
            (each.benchmark, named(*each.now.row), number(each.before.value), number(each.now.value), change_text(each))
            for each in moved
        ]
        yield from table(("benchmark", "score", "before", "now", "change"), rows)


def _benchmark(result: BenchmarkResult, changes: Sequence[ScoreChange] | None) -> Iterator[str]:
    about = result.about
    yield f"## {escape(about.name)}"
    yield ""
    yield (
        f"{escape(about.title)}. Source: {escape(about.source)}; licence: {escape(about.licence)}; split: "
        f"{escape(about.split)}. {result.cases:,} cases{f' ({escape(result.note)})' if result.note else ''}, "
        f"{duration(result.seconds)}."
    )
    yield ""
    heads = ("metric", "subset", "system", "score", "95 %", "n")
    yield from table(heads if changes is None else (*heads, "change"), benchmark_rows(result, changes))
    if result.worst:
        yield ""
        yield "Worst cases:"
        yield ""
        for case in result.worst:
            trace = "; ".join(f"{key}: {value}" for key, value in case.trace.items())
            yield f"- {escape(case.id)} (loss {case.loss:.2f}) {escape(_short(trace))}".rstrip()


def benchmark_rows(result: BenchmarkResult, changes: Sequence[ScoreChange] | None = None) -> list[tuple[str, ...]]:
    """Return the rows of a benchmark's table: scores, then published figures with their source."""
    changed = {each.now.row: each for each in changes or () if each.benchmark == result.about.name}
    rows: list[tuple[str, ...]] = []
    for score in result.scores:
        cells = (*score.row, number(score.value), interval(score), f"{score.n:,}")
        rows.append(cells if changes is None else (*cells, change_text(changed.get(score.row))))
    for each in result.about.published:
        cells = (each.metric, each.subset, source_text(each), number(each.value), "", "")
        rows.append(cells if changes is None else (*cells, ""))
    return rows


def _short(text: str, length: int = 600) -> str:
    return text if len(text) <= length else text[:length].rstrip() + " …"


def published_beside_main(about: About) -> tuple[Published, ...]:
    """Return the published figures for the benchmark's main metric and subset."""
    return tuple(each for each in about.published if (each.metric, each.subset) == (about.metric, about.metric_subset))


def number(value: float) -> str:
    """Format a number with three decimals, a large one with fewer."""
    size = abs(value)
    return f"{value:.3f}" if size < 10 else f"{value:.1f}" if size < 1_000 else f"{value:,.0f}"


def signed(value: float) -> str:
    """Format a change with its sign."""
    text = number(abs(value))
    return f"±{text}" if value == 0 else f"{'+' if value > 0 else '−'}{text}"


def interval(score: Score) -> str:
    """Format the 95% interval."""
    return f"{number(score.low)} to {number(score.high)}"


def figure_text(figure: Published) -> str:
    """Format a published figure with its system, source and differences from our setting."""
    return f"{number(figure.value)} {source_text(figure)}"


def source_text(figure: Published) -> str:
    """Format the origin of a figure: system, source and differences from our setting."""
    differs = f"; differs: {figure.differs}" if figure.differs else ""
    return f"{figure.system} ({figure.source}{differs})"


def change_text(change: ScoreChange | None) -> str:
    """Format the change of a score since the other report."""
    if change is None:
        return "new"
    if change.verdict == "not compared":
        return f"not compared: {change.how}"
    reach = "" if change.low is None or change.high is None else f" ({signed(change.low)} to {signed(change.high)})"
    return f"{signed(change.change)}{reach} {_VERDICTS[change.verdict]}, {change.how}"


def duration(seconds: float) -> str:
    """Format a duration: "42 ms", "3.2 s", "3 min 20 s", "1 h 5 min"."""
    if seconds < 1:
        return f"{1_000 * seconds:.0f} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if minutes else f"{rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
