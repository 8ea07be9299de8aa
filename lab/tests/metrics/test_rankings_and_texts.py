"""Ranking metrics against ranx, and texts against gold texts by hand and against rouge-score."""

import json
import math
import os
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from golden_lab.metrics.ranking import ndcg_at, recall_at, reciprocal_rank
from golden_lab.metrics.text import contained_share, exact_match, rouge_l, rouge_n, token_f1, word_accuracy

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


SENTENCES = st.lists(st.sampled_from(["the", "Cat", "sat", "on", "mat-2", "3.5", "x_y"]), max_size=12).map(" ".join)


def test_matches_shares_and_token_f1_by_hand() -> None:
    assert exact_match("The  Eiffel-Tower!", ["Louvre", "eiffeltower"]) == 1
    assert exact_match("Eiffel Tower, Paris", ["Eiffel Tower"]) == 0
    answer = "It opened in 1889, in the Champ de Mars."
    assert contained_share(answer, ["1889", "Champ de Mars", "Gustave Eiffel", ["Seine", "Mars"]]) == 3 / 4
    # "cat sat on mat" against "cat cat mat": cat and mat in common, 4 and 3 words.
    assert token_f1("The cat sat on the mat.", "a cat, cat mat") == pytest.approx(2 * 2 / 7)
    assert (token_f1("", "the"), token_f1("", "cat")) == (1, 0)
    assert rouge_l("größer als Öl", "Größer als Wasser").recall == pytest.approx(2 / 3)


@settings(max_examples=60, deadline=None)
@given(SENTENCES, SENTENCES)
def test_rouge_as_rouge_score(answer: str, gold: str) -> None:
    theirs = RougeScorer(["rouge1", "rouge2", "rougeL"]).score(gold, answer)
    for name, ours in (
        ("rouge1", rouge_n(answer, gold, 1)),
        ("rouge2", rouge_n(answer, gold, 2)),
        ("rougeL", rouge_l(answer, gold)),
    ):
        assert (ours.precision, ours.recall, ours.f1) == pytest.approx(tuple(theirs[name]))


def test_word_accuracy_by_hand() -> None:
    assert word_accuracy("set the flow rote to 5", "set the flow rate to 5") == pytest.approx(5 / 6)
    assert word_accuracy("set flow rate to 5 ml", "set the flow rate to 5") == pytest.approx(4 / 6)
    # The order counts, it is never below 0, and composed letters are decomposed ones.
    assert word_accuracy("b a", "a b") == word_accuracy("x y z", "a") == 0
    assert word_accuracy("Ko\u0308ln", "K\u00f6ln") == 1
