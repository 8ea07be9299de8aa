"""The laboratory's table of intrinsics, from a report of all benchmarks."""

from collections.abc import Sequence

from evaluation.report.cells import figure_text, interval, number, published_beside_main
from evaluation.report.markdown import escape, table_row
from evaluation.results import Published, Report, Score, named


def intrinsics_table(report: Report) -> str:
    """Write the table of intrinsics: a row for each benchmark that was scored, in the report's order.

    Of several published figures the best and the one nearest to ours are shown; the report has all of them.
    """
    lines = [
        f"Measured at revision {escape(report.revision)} with {escape(report.model)}, seed {report.seed}"
        f"{'' if report.full else ', samples'}; {escape(report.machine)}.",
        "",
        f"| intrinsic | measured on | metric | {escape(report.engine)} engine (95 %) | published |",
        "|---|---|---|---|---|",
    ]
    for result in report.benchmarks:
        main = result.main
        if main is None:
            continue
        figures = published_beside_main(result.about)
        shown = _telling(figures, main)
        more = len(figures) - len(shown)
        figure_cells = [figure_text(each) for each in shown] + ([f"{more} more in the report"] if more else [])
        measured_on = result.about.title + (f" ({result.note})" if result.note else "")
        metric = named(*main.row)
        cells = (
            result.about.intrinsic.replace("_", " "),
            measured_on,
            metric,
            f"{number(main.value)} ({interval(main)})",
            "; ".join(figure_cells),
        )
        lines.append(table_row(cells))
    return "\n".join(lines) + "\n"


def _telling(figures: Sequence[Published], ours: Score) -> tuple[Published, ...]:
    """Return the best published figure and the one nearest to ours, the nearest first."""
    if not figures:
        return ()
    sign = 1 if ours.higher_is_better else -1
    nearest = min(figures, key=lambda each: abs(each.value - ours.value))
    best = max(figures, key=lambda each: sign * each.value)
    return tuple(dict.fromkeys((nearest, best)))
