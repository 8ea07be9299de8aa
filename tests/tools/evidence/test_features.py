"""The features of passages: of each by itself, whatever stands beside it."""

import numpy as np

from contracts.text import Passage
from tests.intrinsics.conftest import PassageMaker, handbook, make_passage  # noqa: F401 - they are fixtures
from tools.embedding.hashing import HashingEmbedder
from tools.evidence.features import PASSAGE_FEATURES, passage_features, unit_scores
from tools.evidence.reading import EvidenceReader

QUESTION = "What is the supply voltage of DDR3, and how are bad blocks marked?"
# How common a term is among all passages is the one thing that a passage's features take from the others.
OWN = [at for at, name in enumerate(PASSAGE_FEATURES) if name != "aspect_window"]


async def test_a_passage_has_the_same_features_beside_others(
    handbook: tuple[Passage, ...],  # noqa: F811
    make_passage: PassageMaker,  # noqa: F811
) -> None:
    reader = EvidenceReader(HashingEmbedder())
    empty = make_passage("  ", 9)
    rows = passage_features(await reader.read(QUESTION, [empty, *handbook, empty]))
    assert not rows[[0, -1]].any()
    assert rows[1:-1].any(axis=1).all()
    for passage, row in zip(handbook, rows[1:-1], strict=True):
        alone = passage_features(await reader.read(QUESTION, [passage]))[0]
        np.testing.assert_allclose(row[OWN], alone[OWN], atol=1e-6)


async def test_the_window_of_the_best_sentence_ends_with_its_passage(make_passage: PassageMaker) -> None:  # noqa: F811
    texts = ["The pump P-200 needs 48 V. Nothing is here.", "A hall is closed.", "Nothing. The pump P-200 needs 48 V."]
    passages = [make_passage(text, at) for at, text in enumerate(texts)]
    evidence = await EvidenceReader(HashingEmbedder()).read("Which voltage does the pump P-200 need?", passages)
    rows = dict(zip(PASSAGE_FEATURES, passage_features(evidence).T, strict=True))
    assert rows["covered_window"][0] == rows["covered_window"][2] > rows["covered_window"][1]
    assert rows["typed_near"].tolist() == [1.0, 0.0, 1.0]
    best = [float(unit_scores(evidence)[evidence.units_of(at)].max()) for at in range(3)]
    assert rows["joint_best"].tolist() == best


async def test_no_passages_have_no_features() -> None:
    evidence = await EvidenceReader(HashingEmbedder()).read(QUESTION, [])
    assert passage_features(evidence).shape == (0, len(PASSAGE_FEATURES))
