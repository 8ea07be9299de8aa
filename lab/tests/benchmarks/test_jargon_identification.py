"""Spans of abbreviations on sentences that the test writes, in the formats of the public sets."""

from pathlib import Path

import pytest

from contracts.jargon import MinedTerm
from contracts.text import Span
from golden_lab.benchmarks.jargon_identification import BOTH, LONG, MINER, SHORT, benchmarks, find_forms
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.splits import half
from lab.tests.benchmarks.measure import measure_all, value, write_rows

DEFINED = ["The", "pump", "voltage", "limiter", "(", "PVL", ")", "is", "off", "."]
OF_DEFINED = ["O", "B-long", "I-long", "I-long", "O", "B-short", "O", "O", "O", "O"]
UNDEFINED = ["We", "measured", "the", "QZR", "of", "each", "die", "and", "the", "Zorb", "."]
OF_UNDEFINED = ["O", "O", "O", "B-short", "O", "O", "O", "O", "O", "B-short", "O"]


# The names of sentences in the scored half, and of one that is not.
FIRST, SECOND = [name for name in (f"DEV-{at}" for at in range(40)) if half("sdu21_ai", name) == "score"][:2]
FITTED = next(name for name in (f"DEV-{at}" for at in range(40)) if half("sdu21_ai", name) == "fit")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    rows = [
        {"id": FIRST, "tokens": DEFINED, "labels": OF_DEFINED},
        {"id": SECOND, "tokens": UNDEFINED, "labels": OF_UNDEFINED},
        {"id": FITTED, "tokens": DEFINED, "labels": OF_DEFINED},
    ]
    write_rows(tmp_path / "sdu21_ai" / "dev.jsonl.gz", rows)
    return Run(data=tmp_path, work=tmp_path)


def mined(term: str, name: str) -> MinedTerm:
    return MinedTerm(term=term, extended_name=name, evidence="", page=1, score=1.0)


def test_mined_forms_are_found_where_they_stand_closest_together() -> None:
    text = "MEK is new. Media encryption keys (MEKs) wrap data."
    assert find_forms(mined("MEK", "Media encryption key"), text) == (Span(35, 39), Span(12, 33))
    assert find_forms(mined("LOCK", "Key block"), "L.O.C.K. is it") == (Span(0, 8), None)
    assert find_forms(mined("EC", "energy policy"), "energy policies (EC)") == (Span(17, 19), Span(0, 15))


async def test_forms_are_scored_by_exact_span(engine: Engine, run: Run) -> None:
    (benchmark, _) = benchmarks()
    outcomes, scores = await measure_all(benchmark, engine, run)
    assert set(outcomes) == {FIRST, SECOND}
    assert outcomes[FIRST].values[SHORT] == [1, 1, 1]
    assert outcomes[FIRST].values[LONG] == [1, 1, 1]
    assert outcomes[FIRST].loss == 0.0
    # "Zorb" looks like a name: of two marked short forms one is found.
    assert outcomes[SECOND].values[SHORT] == [1, 1, 2]
    assert outcomes[SECOND].loss == 0.5
    assert outcomes[SECOND].trace["short forms expected"] == "QZR; Zorb"
    assert value(scores, "precision", subset=SHORT) == 1.0
    assert value(scores, "recall", subset=SHORT) == pytest.approx(2 / 3)
    assert value(scores, "F1", subset=SHORT) == pytest.approx(0.8)
    assert value(scores, "F1", subset=LONG) == 1.0
    # The shared task's F1 is that of the mean precision (1) and the mean recall (5/6).
    assert value(scores, "F1", subset=BOTH) == pytest.approx(2 * (5 / 6) / (1 + 5 / 6))
    assert value(scores, "recall", system=MINER, subset=SHORT) == pytest.approx(1 / 3)
