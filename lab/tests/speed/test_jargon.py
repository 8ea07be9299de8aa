"""The measurement of small dictionaries: shapes and counts, never seconds."""

import dataclasses
import json

import pytest

from contracts.errors import InvalidInput
from golden_lab.speed.jargon import TARGET_TERMS, JargonSpeed, measure_jargon
from golden_lab.speed.jargon_measuring import baseline
from golden_lab.speed.jargon_questions import KINDS
from golden_lab.speed.jargon_report import render_speed, speed_as_json
from golden_lab.speed.timing import summarise

STAGES = ("identification", "senses", "look-up", "reading", "baseline")


@pytest.fixture(scope="module")
def speed() -> JargonSpeed:
    steps: list[str] = []
    speed = measure_jargon([100, 50, 50], questions=12, seed=5, rounds=2, on_step=steps.append)
    assert steps == [f"{size} terms: {what}" for size in (50, 100) for what in ("importing", "measuring")]
    return speed


def test_every_stage_is_timed_on_every_question(speed: JargonSpeed) -> None:
    assert [size.terms for size in speed.sizes] == [50, 100]
    for size in speed.sizes:
        assert size.senses >= size.terms
        assert size.process.spellings >= size.terms
        for stage in STAGES:
            found = size.stage(stage)
            assert found is not None
            # 12 questions in 2 rounds; those without a term have no senses to be looked up.
            assert found.timing.calls == (18 if stage == "senses" else 24)
            assert found.timing.p95_ms >= found.timing.median_ms > 0
        assert {each.kind for each in size.process.stages if each.stage == "look-up"} == {"", *KINDS}
        assert size.stage("senses", "none") is None


def test_a_timing_of_look_ups_that_find_nothing_would_mean_nothing(speed: JargonSpeed) -> None:
    for size in speed.sizes:
        assert set(size.process.found) == set(KINDS)
        assert size.process.found["known"] >= 2 / 3
        assert size.process.found["none"] == 1.0


def test_memory_and_import_are_measured(speed: JargonSpeed) -> None:
    for size in speed.sizes:
        assert size.import_s > 0
        assert size.database_mb > 0
        assert 0 < size.process.before_mb <= size.process.peak_mb + 1
        assert size.process.baseline_load_s is not None


def test_ratios_are_positive_and_one_for_the_smallest(speed: JargonSpeed) -> None:
    first, second = speed.sizes
    for stage in STAGES:
        assert speed.to_smallest(first, stage) == pytest.approx(1.0)
        times = speed.to_smallest(second, stage)
        assert times is not None
        assert times > 0


def test_the_json_is_plain_and_whole(speed: JargonSpeed) -> None:
    content = json.loads(json.dumps(speed_as_json(speed), allow_nan=False))
    assert {"revision", "machine", "seed", "questions", "rounds", "targets", "sizes"} <= set(content)
    assert content["seed"] == 5
    for size in content["sizes"]:
        rows = {(row["stage"], row["kind"]): row for row in size["stages"]}
        assert rows["identification", "known"]["baseline_to_this"] > 0
        assert rows["baseline", "all"]["baseline_to_this"] is None
        assert rows["senses", "all"]["to_smallest"] > 0


def test_the_table_names_sizes_stages_and_the_baseline(speed: JargonSpeed) -> None:
    text = render_speed(speed)
    for part in (
        "50 terms",
        "100 terms",
        "import into SQLite",
        "memory added by the first load",
        "load after one edit",
        "misspelt terms",
        "baseline,",
    ):
        assert part in text
    assert all(len(line) <= 120 for line in text.splitlines())


def test_targets_are_held_against_the_slowest_kind_of_the_large_dictionary(speed: JargonSpeed) -> None:
    assert speed.targets() == ()
    slow = summarise([(7.5,)])
    size = speed.sizes[1]
    stages = tuple(
        dataclasses.replace(each, timing=slow) if (each.stage, each.kind) == ("look-up", "misspelt") else each
        for each in size.process.stages
        if each.stage != "look-up" or each.kind == "misspelt"
    )
    process = dataclasses.replace(size.process, stages=stages, peak_mb=120.0, reload_s=0.08)
    large = dataclasses.replace(size, terms=TARGET_TERMS, process=process)
    found = dataclasses.replace(speed, sizes=(speed.sizes[0], large))
    assert [(target.value, target.limit, target.met) for target in found.targets()] == [
        (7.5, 5.0, False),
        (120.0, 300.0, True),
        (80.0, 100.0, True),
    ]
    text = render_speed(found)
    assert "MISSED  look-up, median in ms, 100,000 terms: 7.50, below 5" in text
    assert "met     process, peak in MB, 100,000 terms: 120.00, below 300" in text


async def test_the_baseline_finds_the_longest_whole_spelling_in_any_letter_case() -> None:
    find = baseline(["LUN", "logical unit", "logical unit number", "a.b"])
    assert await find("Is a LUN a Logical Unit Number? LUNA and axb are none.") == ["lun", "logical unit number"]


def test_no_size_and_no_round_are_refused() -> None:
    for sizes, rounds in (([], 1), ([50], 0)):
        with pytest.raises(InvalidInput, match="at least one size"):
            measure_jargon(sizes, questions=4, seed=0, rounds=rounds)
