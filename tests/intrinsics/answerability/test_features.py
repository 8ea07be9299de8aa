"""The features of answerability: what the best statement of the passages is worth to the question."""

from collections.abc import Callable

import numpy as np
import pytest

from contracts.text import Passage
from intrinsics.answerability.features import (
    ANSWERABILITY_FEATURES,
    STATED_FEATURES,
    answerability_features,
    stated_features,
)
from tools.embedding.base import Embedder
from tools.evidence.reading import EvidenceReader
from tools.reading import StatementScorer


async def told(embedder: Embedder, question: str, passages: list[Passage]) -> dict[str, float]:
    row = await stated_features(StatementScorer(embedder=embedder), question, (), passages)
    return dict(zip(STATED_FEATURES, row.tolist(), strict=True))


async def test_a_statement_that_answers_scores_above_one_that_does_not(
    minilm: Embedder, handbook: tuple[Passage, ...]
) -> None:
    there = await told(minilm, "What is the supply voltage of DDR3?", list(handbook))
    absent = await told(minilm, "How many days of holiday does an employee get?", list(handbook))
    for name in ("stated_score", "stated_lead", "stated_coverage"):
        assert there[name] > absent[name]
    assert there["stated_type"] == 1.0


async def test_the_type_says_nothing_where_any_statement_might_answer(
    minilm: Embedder, handbook: tuple[Passage, ...]
) -> None:
    assert (await told(minilm, "Does DDR4 use a lower voltage than DDR3?", list(handbook)))["stated_type"] == 0.5


async def test_nothing_stated_is_worth_nothing(minilm: Embedder) -> None:
    assert not any((await told(minilm, "What is the supply voltage of DDR3?", [])).values())


async def test_one_row_has_a_finite_number_for_each_feature(
    minilm: Embedder, handbook: tuple[Passage, ...], make_passage: Callable[..., Passage]
) -> None:
    question = "What is the supply voltage of DDR3?"
    for passages in (handbook, [make_passage("DDR3")]):
        evidence = await EvidenceReader(minilm).read(question, passages)
        stated = await stated_features(StatementScorer(embedder=minilm), question, (), passages)
        row = answerability_features(evidence, stated)
        assert row.shape == (len(ANSWERABILITY_FEATURES),)
        assert np.isfinite(row).all()


async def test_passages_without_text_have_no_features(minilm: Embedder) -> None:
    evidence = await EvidenceReader(minilm).read("What is the supply voltage of DDR3?", [])
    with pytest.raises(ValueError, match="without text"):
        answerability_features(evidence, np.zeros(len(STATED_FEATURES)))
