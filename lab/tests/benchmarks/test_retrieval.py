"""The benchmarks of search on a collection that the test writes: retrieval, augmentation, expansion, reranking."""

import gzip
from pathlib import Path

import pytest
from sqlalchemy import select

from database.connection import open_database
from golden_lab.benchmarks import document_augmentation, query_expansion, reranking, retrieval
from golden_lab.benchmarks.document_augmentation import WITH, WITHOUT
from golden_lab.benchmarks.retrieval import NOT_STANDALONE, STANDALONE
from golden_lab.engine import Engine
from golden_lab.run import Run
from lab.tests.benchmarks.measure import measured
from lab.tests.datasets.test_corpora import TOPICS, write_mtrag
from library.tables import chunks


async def test_every_system_and_form_is_scored_and_what_is_kept_gives_the_same(engine: Engine, tmp_path: Path) -> None:
    write_mtrag(tmp_path / "data")
    govt = next(each for each in retrieval.benchmarks() if each.about.name == "mtrag-retrieval-govt")
    run = Run(data=tmp_path / "data", work=tmp_path / "work")
    cases = govt.load(run)
    assert cases.cases
    runs = []
    for _ in range(2):
        async with govt.prepare(cases, engine, run) as measure:
            runs.append([await measure(case) for case in cases.cases])
    assert runs[0] == runs[1]
    scores = {(each.system, each.metric, each.subset): each for each in govt.score(runs[0], 7)}
    # A standalone question names its topic, which one passage of the pool holds.
    assert scores["BM25, gold rewrite", "nDCG@5", ""].value == 1.0
    assert scores["hybrid, gold rewrite", "Recall@5", ""].value == 1.0
    # "Where?" names nothing: half of the last turns find nothing by their words.
    assert scores["BM25, last turn", "Recall@20", ""].value == 0.5
    assert scores["hybrid, last turn", "Recall@5", STANDALONE].n == len(cases.cases) / 2
    assert scores["hybrid, our rewrite", "Recall@5", NOT_STANDALONE].n == len(cases.cases) / 2
    assert ("hybrid+reranking, our rewrite", "MRR@20", "") in scores
    assert (govt.about.metric_system, govt.about.metric, govt.about.metric_subset) in scores


async def test_augmentation_is_scored_on_the_same_passages_with_and_without(engine: Engine, tmp_path: Path) -> None:
    write_mtrag(tmp_path / "data")
    (augmentation,) = document_augmentation.benchmarks()
    run = Run(data=tmp_path / "data", work=tmp_path / "work")
    outcomes = await measured(augmentation, engine, run)
    kinds = []
    for file in sorted((tmp_path / "work" / "libraries").iterdir()):
        database = open_database(f"sqlite:///{file}")
        with database.connect() as connection:
            kinds.append(set(connection.execute(select(chunks.c.kind)).scalars()))
        database.dispose()
    assert sorted(kinds, key=len) == [{"passage"}, {"passage", "section", "summary"}]
    scores = {(each.system, each.metric): each for each in augmentation.score(outcomes, 7)}
    assert scores[WITHOUT, "Recall@5"].value == 1.0
    gained = scores["", "Recall@5 gained"].value
    assert gained == pytest.approx(scores[WITH, "Recall@5"].value - scores[WITHOUT, "Recall@5"].value)


async def test_a_question_is_searched_alone_and_with_other_wordings_in_its_own_domain(
    engine: Engine, tmp_path: Path
) -> None:
    write_mtrag(tmp_path, "govt")
    write_mtrag(tmp_path, "cloud")
    (expansion,) = query_expansion.benchmarks()
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


def write_runs(data: Path) -> None:
    """Write lists of three in which the right passage stands last."""
    (data / "mtrag" / "runs").mkdir(parents=True)
    for name in reranking.RUNS:
        lines = []
        for row in range(len(TOPICS)):
            found = ("other0-0-9", "other1-0-9", f"doc{row}-0-9")
            for turn in (1, 2):
                # Written worst first: the ranks say the order.
                for rank in (3, 2, 1):
                    lines.append(f"conversation{row}<::>{turn}\t{found[rank - 1]}\t{rank}\t{1 / rank}")
        path = data / "mtrag" / "runs" / f"{name}.rewrite.cloud.tsv.gz"
        path.write_bytes(gzip.compress("\n".join(lines).encode()))


async def test_lists_are_scored_as_they_were_and_reranked(engine: Engine, tmp_path: Path) -> None:
    write_mtrag(tmp_path, "cloud")
    write_runs(tmp_path)
    (benchmark,) = reranking.benchmarks()
    run = Run(data=tmp_path, work=tmp_path / "work")
    outcomes = await measured(benchmark, engine, run)
    scores = {(each.system, each.metric): each.value for each in benchmark.score(outcomes, 7)}
    # The right one of three in the third place: 1 / log2(4) of the best order's gain.
    assert scores["ELSER", "nDCG@5"] == pytest.approx(0.5)
    assert scores["ELSER", "Recall@1"] == 0.0
    assert scores["ELSER", "MRR"] == pytest.approx(1 / 3)
    # The right passage alone has the words of its question; reranking neither adds nor loses one.
    assert scores["ELSER, reranked", "Recall@1"] == 1.0
    assert scores["ELSER, reranked", "Recall@5"] == scores["ELSER", "Recall@5"] == 1.0
