"""The benchmark of query expansion on a collection that the test writes."""

from pathlib import Path

from golden_lab.benchmarks.query_expansion import benchmarks
from golden_lab.engine import Engine
from golden_lab.run import Run
from lab.tests.datasets.test_corpora import write_mtrag


async def test_a_question_is_searched_alone_and_with_other_wordings_in_its_own_domain(
    engine: Engine, tmp_path: Path
) -> None:
    write_mtrag(tmp_path, "govt")
    write_mtrag(tmp_path, "cloud")
    (expansion,) = benchmarks()
    run = Run(data=tmp_path, work=tmp_path / "work")
    cases = expansion.load(run)
    assert {case.domain for case in cases.cases} == {"govt", "cloud"}
    # The test's two domains have the same questions: one of them is enough to be measured.
    govt = [case for case in cases.cases if case.domain == "govt"]
    async with expansion.prepare(cases, engine, run) as measure:
        outcomes = [await measure(case) for case in govt]
    scores = {(each.system, each.metric, each.subset): each for each in expansion.score(outcomes, 7)}
    # Ten passages: a hundred places hold them all wherever anything is found by meaning.
    assert scores["gold rewrite", "Recall@100", ""].value == 1.0
    assert scores["gold rewrite and other wordings", "Recall@100", "govt"].value == 1.0
    assert scores["our rewrite and other wordings", "Recall@50", ""].n == len(govt)
    assert not any(subset == "cloud" for _, _, subset in scores)
    assert any(outcome.trace["our rewrite and other wordings"] for outcome in outcomes)
