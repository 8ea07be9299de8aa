"""The benchmark of question augmentation: a question for each sense, and who is found by which wording."""

import json
from pathlib import Path

import pytest

from evaluation.results import Outcome
from golden_lab.benchmarks.augmenting import (
    AS_ASKED,
    AUGMENTED,
    GAIN,
    IN_PLACE,
    benchmarks,
    passages_of,
    sense_questions,
)
from golden_lab.datasets.uses import document_uses
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.splits import half

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

    path = data / "jargon_ambiguous" / "ambiguous.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(json.dumps(row(term)) for term in (TERM, FITTED)), encoding="utf-8")


def test_each_sense_is_asked_for_once_and_no_passage_spells_it_out(tmp_path: Path) -> None:
    write_uses(tmp_path)
    uses = document_uses(tmp_path, "score")
    phone, ships = sense_questions(uses)
    assert phone.text == ships.text == f"What is {TERM}?"
    assert phone.text[phone.place.start : phone.place.end] == TERM
    assert (phone.gold, len(phone.relevant)) == (PHONE, 2)
    assert (ships.gold, len(ships.relevant)) == (SHIPS, 1)
    texts = [each.text for each in passages_of(uses).passages]
    assert not any(PHONE in text or SHIPS in text for text in texts)


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


def test_gains_are_taken_question_by_question() -> None:
    def outcome(number: int, asked: float, worked_in: float) -> Outcome:
        def row(value: float) -> dict[str, float]:
            return {"nDCG@5": value, "nDCG@10": value, "MRR": value, "Recall@10": value}

        values = {AS_ASKED: row(asked), AUGMENTED: row(worked_in), IN_PLACE: row(0.0), "group": str(number)}
        return Outcome(id=str(number), values=values)

    outcomes = [outcome(1, 0.5, 0.75), outcome(2, 0.25, 0.75)]
    scores = benchmarks()[0].score(outcomes, 7)
    found = {(each.system, each.metric): each.value for each in scores}
    assert found[AUGMENTED, GAIN] == pytest.approx(0.375)
    assert found[IN_PLACE, GAIN] == pytest.approx(-0.375)
