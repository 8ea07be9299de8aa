"""The fusion of two lists: what raises a chunk, what cannot."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.search.fusion import FoundLists, FusionWeights, fuse, jargon_share_of

WEIGHTS = FusionWeights.stored()


def found(dense: dict[str, float], lexical: dict[str, float], depth: int = 100) -> FoundLists:
    return FoundLists(dense=dense, lexical=lexical, cosines=dense, depth=depth)


def test_without_words_the_cosine_decides() -> None:
    scores = fuse(found({"a": 0.9, "b": 0.5, "c": 0.1}, {}), WEIGHTS)
    assert sorted(scores, key=lambda id: -scores[id]) == ["a", "b", "c"]


def test_a_word_in_one_chunk_of_many_lifts_it_to_the_top() -> None:
    dense = {f"c{row}": 0.5 - row / 1_000 for row in range(100)}
    scores = fuse(found(dense, {"c40": 3.0}), WEIGHTS)
    assert max(scores, key=lambda id: scores[id]) == "c40"


def test_a_word_in_every_chunk_decides_nothing() -> None:
    dense = {f"c{row}": 0.5 - row / 100 for row in range(20)}
    scores = fuse(found(dense, dict.fromkeys(dense, 2.0)), WEIGHTS)
    assert max(scores, key=lambda id: scores[id]) == "c0"


def test_the_nearer_the_nearest_the_more_meaning_counts() -> None:
    assert WEIGHTS.dense_share(0.8, 0) > WEIGHTS.dense_share(0.6, 0) > WEIGHTS.dense_share(0.4, 0)
    assert WEIGHTS.dense_share(0.6, 1.0) < WEIGHTS.dense_share(0.6, 0.0)
    assert WEIGHTS.dense_share(-1, 1) == WEIGHTS.least
    assert WEIGHTS.dense_share(1, 0) == WEIGHTS.most


SCORES = st.dictionaries(st.sampled_from("abcdefghij"), st.floats(-1, 1), max_size=10)


@given(dense=SCORES, lexical=st.dictionaries(st.sampled_from("abcdefghij"), st.floats(0, 1e6), max_size=10))
def test_every_chunk_gets_one_bounded_score(dense: dict[str, float], lexical: dict[str, float]) -> None:
    scores = fuse(found(dense, lexical), WEIGHTS)
    assert scores.keys() == dense.keys() | lexical.keys()
    assert all(abs(score) <= WEIGHTS.limit for score in scores.values())


def test_the_share_of_jargon(subtests: pytest.Subtests) -> None:
    for question, jargon, share in [
        ("What is tPROG?", ["tPROG"], 1.0),
        ("How long is the program time tPROG?", ["TPROG"], 0.25),
        ("What does the IT department do?", ["IT"], 0.5),
        ("What does wear levelling do?", ["wear levelling"], 1.0),
        ("the of", [], 0.0),
        ("", ["x"], 0.0),
    ]:
        with subtests.test(question=question):
            assert jargon_share_of(question, jargon) == pytest.approx(share)
