"""Ranking metrics, by hand and against ranx."""

import json
import math
import os
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import InvalidInput
from golden_lab.metrics.ranking import ndcg_at, recall_at, reciprocal_rank

DEPTHS = (1, 3, 10)
NAMES = [f"p{at}" for at in range(15)]
RANKINGS = st.lists(st.sampled_from(NAMES), unique=True, max_size=15)
GAINS = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 3), min_size=1)

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


def test_recall_by_hand() -> None:
    assert recall_at(["a", "x", "b", "d"], {"a", "b", "d"}, 3) == pytest.approx(2 / 3)


def test_ndcg_by_hand() -> None:
    gained, best = 1 + 2 / math.log2(4), 2 + 1 / math.log2(3) + 1 / math.log2(4)
    assert ndcg_at(["a", "x", "b", "c"], {"a": 1, "b": 2, "c": 1}, 3) == pytest.approx(gained / best)
    assert ndcg_at(["x", "a"], ["a"], 5) == pytest.approx(1 / math.log2(3))


def test_reciprocal_rank_by_hand() -> None:
    assert reciprocal_rank(["x", "y", "a", "b"], {"a", "b"}) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x", "y", "a", "b"], {"a", "b"}, 2) == 0


def test_an_id_that_comes_again_counts_once() -> None:
    assert ndcg_at(["a", "a", "b"], {"a", "b"}, 3) == pytest.approx((1 + 1 / 2) / (1 + 1 / math.log2(3)))


def test_nothing_found_is_0() -> None:
    assert recall_at([], {"a"}, 5) == ndcg_at([], {"a"}, 5) == reciprocal_rank([], {"a"}) == 0


@pytest.mark.slow
def test_as_ranx() -> None:
    drawn = random.Random(5)
    gains = {
        f"q{at}": {name: drawn.randint(1, 3) for name in drawn.sample(NAMES, drawn.randint(1, 6))} for at in range(40)
    }
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


@given(RANKINGS, GAINS, st.integers(1, 20))
def test_bounds_and_the_best_order(ranked: list[str], gains: dict[str, int], k: int) -> None:
    for value in (ndcg_at(ranked, gains, k), recall_at(ranked, gains, k)):
        assert 0 <= value <= 1
    best = sorted(gains, key=lambda name: -gains[name])
    assert ndcg_at(best, gains, k) == pytest.approx(1)
    assert recall_at(ranked, gains, k) <= recall_at(ranked, gains, k + 1)
    assert reciprocal_rank(ranked, gains, k) <= reciprocal_rank(ranked, gains)


def test_a_question_without_gold_is_refused() -> None:
    for metric in (recall_at, ndcg_at, reciprocal_rank):
        with pytest.raises(InvalidInput, match="gold"):
            metric(["a"], [], 3)
        with pytest.raises(InvalidInput, match="k must be"):
            metric(["a"], ["a"], 0)
    for gain in (-1.0, math.nan):
        with pytest.raises(InvalidInput, match='"a"'):
            ndcg_at(["a"], {"a": gain, "b": 1}, 3)
    with pytest.raises(InvalidInput, match="gold"):
        ndcg_at(["a"], {"a": 0.0}, 3)
