"""The table of scores on the benchmarks' page."""

from dataclasses import replace

from golden_lab.results import Published, Report
from lab.tests.report.reports import report, result, score
from scripts.intrinsics_table import intrinsics_table


def sample() -> Report:
    failed = replace(result(name="broken"), status="failed", reason="no data", scores=())
    return report(result(score(0.8)), failed)


def test_the_table_has_a_row_for_each_scored_benchmark() -> None:
    lines = intrinsics_table(sample()).splitlines()
    assert len(lines) == 5
    assert lines[4].startswith("| faithfulness | Claims ")
    assert lines[4].endswith("| F1 | 0.800 (0.750 to 0.850) | 0.700 theirs |")
    assert "revision v1-3-gabc, seed 7, samples" in lines[0]


def test_the_published_figure_nearest_to_ours_is_shown_in_a_short_cell() -> None:
    values = {"nearest " * 30: 0.78, "best": 0.95, "worst": 0.1}
    published = tuple(
        Published(metric="F1", value=value, system=name, source="a, table 1") for name, value in values.items()
    )
    made = result(score(0.8))
    line = intrinsics_table(report(replace(made, about=replace(made.about, published=published)))).splitlines()[4]
    assert "| 0.780 nearest nearest " in line
    assert max(map(len, line.split(" | "))) <= 120
