"""The measurement of small dictionaries: shapes and counts, never seconds."""

import pytest

from contracts.errors import InvalidInput
from golden_lab.speed.jargon import TARGET_TERMS, measure_jargon, render_jargon
from golden_lab.speed.made_jargon import KINDS

STAGES = ("identification", "look-up", "reading")


def test_every_stage_is_timed_on_every_question_for_each_size() -> None:
    steps: list[str] = []
    result = measure_jargon([100, 50, 50], questions=12, seed=5, rounds=2, on_step=steps.append)
    assert steps == [f"{size} terms: {what}" for size in (50, 100) for what in ("importing", "measuring")]
    assert [size["terms"] for size in result["sizes"]] == [50, 100]
    for size in result["sizes"]:
        assert size["spellings"] >= size["terms"] <= size["senses"]
        assert [(each["stage"], each["kind"]) for each in size["stages"]] == [(s, k) for s in STAGES for k in KINDS]
        # 3 questions of each kind in 2 rounds.
        assert all(each["calls"] == 6 and each["p95_ms"] >= each["median_ms"] > 0 for each in size["stages"])
        assert size["found"]["known"] >= 2 / 3
        assert size["found"]["none"] == 1.0
        assert 0 < size["before_mb"] <= size["peak_mb"] + 1
    assert {each["to_smallest"] for each in result["sizes"][0]["stages"]} == {1.0}
    assert result["targets"] == []
    text = render_jargon(result)
    assert "50 terms" in text
    assert "look-up, misspelt terms" in text


def test_targets_are_of_the_slowest_kind_and_of_the_large_dictionary() -> None:
    from golden_lab.speed.jargon import _targets

    stages = [{"stage": "look-up", "median_ms": 4.0}, {"stage": "look-up", "median_ms": 6.0}]
    size = {"terms": TARGET_TERMS, "stages": stages, "peak_mb": 250.0, "reload_s": 0.05}
    assert [(each["value"], each["met"]) for each in _targets(size)] == [(6.0, False), (250.0, True), (50.0, True)]


def test_nothing_to_measure_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least one size"):
        measure_jargon([], questions=4, seed=0)
