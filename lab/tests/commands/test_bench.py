"""``golden-lab bench`` from the real command line, on little."""

import json
from pathlib import Path

import pytest

from lab.tests.command_line import golden_lab
from tests.golden_retriever.served import environment_for


def test_a_small_bench_prints_plain_values(tmp_path: Path) -> None:
    result = golden_lab(
        "bench", "jargon", "--terms", "50", "--questions", "4", "--rounds", "1", "--json",
        environment=environment_for(tmp_path / "bot"), folder=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert result.stderr.splitlines() == ["50 terms"]
    content = json.loads(result.stdout)
    assert [size["terms"] for size in content["sizes"]] == [50]
    assert (content["bench"], content["questions"], content["rounds"], content["seed"]) == ("jargon", 4, 1, 0)
    assert not (tmp_path / "bot").exists(), "the bench leaves the bot's own data alone"


@pytest.mark.slow
def test_a_small_ingestion_is_measured_beside_the_bare_engines(tmp_path: Path) -> None:
    result = golden_lab(
        "bench", "ingest", "--pages", "2", "--scans", "0", "--rounds", "1", "--workers", "1", "--no-whole", "--json",
        environment=environment_for(tmp_path / "bot"), folder=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    content = json.loads(result.stdout)
    assert (content["bench"], content["pages"], content["workers"]) == ("ingest", 2, 1)
    assert [each["name"] for each in content["comparisons"]] == ["born-digital", "passages"]
    assert all(each["ratio"] > 0 and each["ours_per_s"] > 0 for each in content["comparisons"])
    assert content["whole"] == []
    assert not (tmp_path / "bot").exists(), "the bench leaves the bot's own data alone"
