"""The benchmark of question augmentation: a question for each sense, and who is found by which wording."""

from pathlib import Path

from golden_lab.benchmarks.question_augmentation import (
    AS_ASKED,
    AUGMENTED,
    IN_PLACE,
    benchmarks,
)
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.splits import half
from lab.tests.benchmarks.measure import write_rows

TERM, FITTED = (
    next(name for name in ("SMS", "SMT", "SMU", "SMV", "SMW") if half("jargon_ambiguous", name) == part)
    for part in ("score", "fit")
)
PHONE, SHIPS = "short message service", "ship mooring station"


def write_uses(data: Path) -> None:
    def row(term: str) -> dict[str, object]:
        senses = [
            {
                "expansion": PHONE,
                "n_examples": 2,
                "examples": [
                    {"passage": f"Type a short text message and send it by {PHONE} ({term})."},
                    {"passage": f"Every {term} message is short and costs a cent."},
                ],
            },
            {
                "expansion": SHIPS,
                "n_examples": 1,
                "examples": [{"passage": f"A ship is tied to the {term} by ropes for mooring at the station."}],
            },
        ]
        return {"corpus": "aws", "acronym": term, "senses": senses, "undefined_uses": []}

    write_rows(data / "jargon_ambiguous" / "ambiguous.jsonl", map(row, (TERM, FITTED)))


async def test_the_sense_that_was_picked_is_worked_in_and_found(engine: Engine, tmp_path: Path) -> None:
    write_uses(tmp_path / "data")
    (benchmark,), run = benchmarks(), Run(data=tmp_path / "data", work=tmp_path / "work")
    cases = benchmark.load(run)
    assert cases.note == "2 senses of 1 abbreviations, 3 passages"
    async with benchmark.prepare(cases, engine, run) as measure:
        phone, ships = [await measure(case) for case in cases.cases]
    assert ships.trace[AUGMENTED] == f"What is {TERM}?\n{TERM} means {SHIPS}."
    assert ships.trace[IN_PLACE] == f"What is {SHIPS}?"
    # Ship, mooring and station stand in the one passage that is meant.
    assert ships.values[AUGMENTED]["MRR"] == 1
    assert ships.loss == 0
    # Both senses are asked for in the same words, which can bring only one of them first.
    assert {phone.values[AS_ASKED]["MRR"], ships.values[AS_ASKED]["MRR"]} != {1.0}
    scores = {(each.system, each.metric) for each in benchmark.score([phone, ships], 7)}
    assert (benchmark.about.metric_system, benchmark.about.metric) in scores
