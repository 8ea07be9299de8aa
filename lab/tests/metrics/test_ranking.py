"""Ranking metrics, by hand and against ranx."""

import json
import math
import os
import random
import subprocess
import sys

import pytest

from golden_lab.metrics.ranking import ndcg_at, recall_at, reciprocal_rank

DEPTHS = (1, 3, 10)
NAMES = [f"p{at}" for at in range(15)]

# Without its compiler ranx answers in seconds instead of minutes; the switch must be set before it is imported.
RANX = """
import json, sys
from ranx import Qrels, Run, evaluate
given = json.load(sys.stdin)
run = {q: {name: float(-at) for at, name in enumerate(ranked)} for q, ranked in given["ranked"].items()}
metrics = [f"{m}@{k}" for m in ("recall", "ndcg", "mrr") for k in given["depths"]]
scores = evaluate(Qrels(given["gains"]), Run(run), metrics, return_mean=False)
print(json.dumps({"order": list(Qrels(given["gains"]).keys()), **{m: list(map(float, scores[m])) for m in metrics}}))
"""


def test_an_id_that_comes_again_counts_once() -> None:
    assert ndcg_at(["a", "a", "b"], {"a", "b"}, 3) == pytest.approx((1 + 1 / 2) / (1 + 1 / math.log2(3)))


def test_as_ranx() -> None:
    drawn = random.Random(5)
    gains = {f"q{at}": dict.fromkeys(drawn.sample(NAMES, drawn.randint(1, 6)), 1) for at in range(40)}
    ranked = {query: drawn.sample(NAMES, drawn.randint(1, 15)) for query in gains}
    reply = subprocess.run(
        [sys.executable, "-c", RANX],
        input=json.dumps({"gains": gains, "ranked": ranked, "depths": DEPTHS}),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = json.loads(reply.stdout)
    assert set(theirs["order"]) == set(gains)
    for k in DEPTHS:
        for name, metric in (("recall", recall_at), ("mrr", reciprocal_rank)):
            ours = [metric(ranked[query], gains[query].keys(), k) for query in theirs["order"]]
            assert ours == pytest.approx(theirs[f"{name}@{k}"])
        assert [ndcg_at(ranked[q], gains[q], k) for q in theirs["order"]] == pytest.approx(theirs[f"ndcg@{k}"])
