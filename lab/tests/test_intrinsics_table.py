"""The table of intrinsics that the laboratory's page shows."""

from dataclasses import replace

from evaluation.results import Published, Report
from scripts.intrinsics_table import intrinsics_table
from tests.evaluation.report.reports import report, result, score


def sample() -> Report:
    failed = replace(result(name="broken"), status="failed", reason="no data", scores=())
    return report(result(score(0.8)), failed)


def test_the_table_of_intrinsics_has_a_row_for_each_scored_benchmark() -> None:
    lines = intrinsics_table(sample()).splitlines()
    assert lines[2] == "| intrinsic | measured on | metric | embedded engine (95 %) | published |"
    assert len(lines) == 5
    assert lines[4].startswith("| faithfulness | Claims ")
    assert "| F1 | 0.800 (0.750 to 0.850) | 0.700 theirs (Somebody 2024, table 3; differs: test " in lines[4]
    assert "revision v1-3-gabc with small, seed 7, samples" in lines[0]


def test_of_many_published_figures_the_nearest_and_the_best_are_shown() -> None:
    values = {"nearest": 0.78, "best": 0.95, "worst": 0.1, "middle": 0.6}
    published = tuple(
        Published(metric="F1", value=value, system=name, source="a, table 1") for name, value in values.items()
    )
    made = result(score(0.8))
    line = intrinsics_table(report(replace(made, about=replace(made.about, published=published)))).splitlines()[4]
    assert line.endswith("| 0.780 nearest (a, table 1); 0.950 best (a, table 1); 2 more in the report |")
