"""The retrieval benchmark on a collection that the test writes, in the format of the public one."""

from pathlib import Path

import pytest
from sqlalchemy import select

from database.connection import open_database
from golden_lab.benchmarks.document_augmentation import WITH, WITHOUT
from golden_lab.benchmarks.document_augmentation import benchmarks as augmentation_benchmarks
from golden_lab.benchmarks.retrieval import NOT_STANDALONE, STANDALONE, benchmarks
from golden_lab.engine import Engine
from golden_lab.run import Run
from lab.tests.benchmarks.measure import measured
from lab.tests.datasets.test_corpora import write_mtrag
from library.tables import chunks


async def test_every_system_and_form_is_scored_and_what_is_kept_gives_the_same(engine: Engine, tmp_path: Path) -> None:
    write_mtrag(tmp_path / "data")
    govt = next(each for each in benchmarks() if each.about.name == "mtrag-retrieval-govt")
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
    (augmentation,) = augmentation_benchmarks()
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
