"""The table on the benchmarks page, made from a report on all benchmarks."""

from golden_lab.report.markdown import escape, interval, number, published_beside_main, table_row
from golden_lab.results import Report, named

CELL_WIDTH = 110


def intrinsics_table(report: Report) -> str:
    """Write a row for each benchmark with a score, in the report's order, with the published figure nearest to ours.

    Cells are short: the report has the other published figures, their sources, and how their settings differ.
    """
    lines = [
        f"Measured at revision {escape(report.revision)}, seed {report.seed}{'' if report.full else ', samples'}; "
        f"{escape(report.machine)}. Engine: {escape(report.engine)}.",
        "",
        "| Judgement | Measured on | Metric | Score (95% interval) | Nearest published |",
        "|---|---|---|---|---|",
    ]
    for result in report.benchmarks:
        main = result.main
        if main is None:
            continue
        figures = published_beside_main(result.about)
        nearest = min(figures, key=lambda each: abs(each.value - main.value), default=None)
        cells = (
            result.about.intrinsic.replace("_", " "),
            result.about.title,
            named(*main.row),
            f"{number(main.value)} ({interval(main)})",
            f"{number(nearest.value)} {nearest.system}" if nearest else "",
        )
        lines.append(table_row([shortened(each) for each in cells]))
    return "\n".join(lines) + "\n"


def shortened(text: str) -> str:
    """Return the text, cut between words if it is too long for a cell."""
    return text if len(text) <= CELL_WIDTH else text[:CELL_WIDTH].rpartition(" ")[0] + " …"
