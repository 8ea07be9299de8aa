"""The benchmark of passage reranking on lists that the test writes."""

import gzip
from pathlib import Path

import pytest

from golden_lab.benchmarks.reranking import RUNS, benchmarks
from golden_lab.engine import Engine
from golden_lab.run import Run
from lab.tests.benchmarks.measure import measured
from lab.tests.datasets.test_corpora import TOPICS, write_mtrag


def write_runs(data: Path) -> None:
    """Write lists of three in which the right passage stands last."""
    (data / "mtrag" / "runs").mkdir(parents=True)
    for name in RUNS:
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
    (reranking,) = benchmarks()
    run = Run(data=tmp_path, work=tmp_path / "work")
    outcomes = await measured(reranking, engine, run)
    scores = {(each.system, each.metric): each.value for each in reranking.score(outcomes, 7)}
    # The right one of three in the third place: 1 / log2(4) of the best order's gain.
    assert scores["ELSER", "nDCG@5"] == pytest.approx(0.5)
    assert scores["ELSER", "Recall@1"] == 0.0
    assert scores["ELSER", "MRR"] == pytest.approx(1 / 3)
    # The right passage alone has the words of its question; reranking neither adds nor loses one.
    assert scores["ELSER, reranked", "Recall@1"] == 1.0
    assert scores["ELSER, reranked", "Recall@5"] == scores["ELSER", "Recall@5"] == 1.0
