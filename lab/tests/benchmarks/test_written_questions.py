"""The benchmark of question writing: passages of two kinds, questions asked back of them, and what that comes to."""

from pathlib import Path
from typing import Any

import pytest

from evaluation.results import Outcome
from golden_lab.benchmarks.written_questions import (
    COUNT,
    ELSEWHERE,
    FOUND,
    HERE,
    PEOPLE,
    RIGHT,
    WITH_QUESTION,
    WITH_RIGHT,
    WRITER,
    benchmarks,
)
from golden_lab.run import Run
from golden_lab.wiring.measuring import build_engine
from golden_retriever.settings import Settings
from lab.tests.benchmarks import annotated_sets as sets
from tools.embedding.hashing import HashingEmbedder

BRIDGE = "Old Oak Bridge was opened in 1904. It is 310 metres long and carries two railway tracks over the valley."
CHIP = (
    "# Boot\n\n## Reset\n\nThe Boot Management Controller (BMC) holds the device in reset until its keys are loaded. "
    "The maximum boot time is 250 milliseconds. The controller reads its keys from the fuses of the device, checks "
    "them against the stored digest, and then lets the processor run the first stage of the firmware from its memory."
)


def write_sets(data: Path) -> None:
    rivers, bridges = sets.groups_of("squad2", "score", 2)
    squad2 = [
        {
            "id": f"q{number}",
            "title": title,
            "para": number,
            "question": question,
            "context": context,
            "answers": answers,
            "is_impossible": not answers,
        }
        for number, (title, question, context, answers) in enumerate(
            [
                (rivers, "How long is the Danube?", sets.FACT, ["2850 km"]),
                (rivers, "Who painted the Danube?", sets.FACT, []),
                (bridges, "When was Old Oak Bridge opened?", BRIDGE, ["1904"]),
            ]
        )
    ]
    sets.write_rows(data / "squad2" / "dev_v2.0_half.jsonl.gz", squad2)
    specifications = [
        {"id": name, "title": "Boot of a chip", "text": CHIP} for name in ("caliptra-spec", "some-other-spec")
    ]
    sets.write_rows(data / "hwspecs" / "docs.jsonl.gz", specifications)


async def test_each_passage_is_asked_with_another_beside_it(tmp_path: Path) -> None:
    write_sets(tmp_path / "data")
    (benchmark,), run = benchmarks(), Run(data=tmp_path / "data", work=tmp_path / "work")
    engine = build_engine(Settings.model_validate({}), embedder=HashingEmbedder())
    cases = benchmark.load(run)
    danube, bridge, chip = cases.cases
    assert (danube.passage.text, danube.other.text, danube.question) == (sets.FACT, BRIDGE, "How long is the Danube?")
    assert bridge.other.text == sets.FACT
    assert (chip.group, chip.question, chip.passage.document_title) == ("caliptra-spec > Boot", "", "Boot of a chip")
    async with benchmark.prepare(cases, engine, run) as measure:
        outcomes = [await measure(case) for case in cases.cases]
    people = outcomes[0].values["checks"][PEOPLE]
    assert people[0][FOUND] is True
    assert outcomes[2].values["checks"][PEOPLE] == []
    # The specification spells an abbreviation out, of which the templates make a question.
    assert outcomes[2].values["written"] >= 1
    assert outcomes[2].values["checks"][WRITER][0][ELSEWHERE] in (True, False)
    scores = {(each.metric, each.system, each.subset) for each in benchmark.score(outcomes, run).scores}
    assert (benchmark.about.metric, benchmark.about.metric_system, benchmark.about.metric_subset) in scores
    assert (FOUND, PEOPLE, "encyclopedia") in scores
    assert (FOUND, PEOPLE, "specifications") not in scores


def test_scores_by_hand(tmp_path: Path) -> None:
    def checks(here: bool, elsewhere: bool, found: bool) -> dict[str, bool]:
        return {HERE: here, ELSEWHERE: elsewhere, RIGHT: here and elsewhere, FOUND: found}

    def outcome(number: int, written: int, asked: list[dict[str, bool]]) -> Outcome:
        values: dict[str, Any] = {"written": written, "subset": "encyclopedia", "group": str(number)}
        return Outcome(id=str(number), values={**values, "checks": {WRITER: asked, PEOPLE: []}})

    outcomes = [
        outcome(1, 3, [checks(True, True, True), checks(False, True, True)]),
        outcome(2, 1, [checks(True, True, False)]),
        outcome(3, 0, []),
        outcome(4, 0, []),
    ]
    scores = benchmarks()[0].score(outcomes, Run(data=tmp_path, work=tmp_path)).scores
    found = {each.metric: each.value for each in scores if not each.subset}
    assert found[WITH_QUESTION] == 0.5
    assert found[WITH_RIGHT] == 0.25
    assert found[COUNT] == 1
    assert [found[each] for each in (HERE, ELSEWHERE, RIGHT, FOUND)] == pytest.approx([2 / 3, 1, 2 / 3, 2 / 3])
