"""Claims: matching with the hand labels, counts, and the path from texts to candidates."""

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import pytest

from contracts.errors import InvalidInput
from golden_lab.triple_attribution.embedded import EmbeddedTripleAttributor
from golden_lab.triple_extraction.embedded import EmbeddedTripleExtractor
from golden_lab.triple_extraction.normalisation import normalise_triple
from golden_lab.triples.gold_labels import labelled_claims, labelled_texts
from golden_lab.triples.match import match_loosely, match_triples
from golden_lab.triples.metrics import ClaimMetrics, ConditionPoint, decompose, metrics_of, pooled
from golden_lab.triples.pipeline import Example, TriplePipeline, find_candidates
from golden_lab.triples.triple import ExtractedTriples, Triple, TripleSource
from lab.tests.triples.builders import response, triple
from tests.hashing_embedder import HashingEmbedder
from tools.embedding.base import Matrix


def test_halves_share_no_scene_and_no_text() -> None:
    assert not {each.group for each in labelled_claims("fit")} & {each.group for each in labelled_claims("score")}
    assert not {each.id for each in labelled_texts("fit")} & {each.id for each in labelled_texts("score")}


def test_labelled_triples_are_claims_in_normal_form() -> None:
    for text in (*labelled_texts("fit"), *labelled_texts("score")):
        for labelled in text.triples:
            normal = normalise_triple(labelled)
            assert normal is not None, (text.id, labelled.text)
            assert normal.text.casefold() == labelled.text.casefold(), text.id


def test_spelling_variants_match_and_different_claims_do_not(subtests: pytest.Subtests) -> None:
    for predicted, gold, hits in [
        ("the pumps | must deliver | 5V", "pump | shall deliver | 5 V", 1),
        ("pump | shall deliver at least | 5 V", "pump | shall deliver ≥ | 5 V", 1),
        ("relay card (RC-8) | reports | coil voltage", "RC-8 relay card | reports | coil voltage", 1),
        ("staff | can work | from home", "staff | can work from | home", 1),
        ("pump | delivers | 6 V", "pump | delivers | 5 V", 0),
        ("pump | delivers ≥ | 5 V", "pump | delivers ≤ | 5 V", 0),
        ("pump | does not deliver | oil", "pump | delivers | oil", 0),
        ("pump | should deliver | oil", "pump | shall deliver | oil", 0),
        ("fan | delivers | oil", "pump | delivers | oil", 0),
        ("pump | delivers | oil", "pump | delivers | hot water and steam to the third floor", 0),
    ]:
        with subtests.test(predicted=predicted, gold=gold):
            assert match_triples([triple(predicted)], [triple(gold)]).hits == hits


def test_matching_is_one_to_one_with_as_many_pairs_as_possible() -> None:
    gold = [triple("pump | delivers | hot oil"), triple("pump | delivers | oil")]
    matching = match_triples([triple("pump | delivers | hot oil"), triple("pump | delivers | hot oil fast")], gold)
    assert matching.pairs == ((0, 1), (1, 0)) or matching.pairs == ((0, 0), (1, 1))
    twice = match_triples([triple("pump | delivers | oil")] * 2, gold[1:])
    assert (twice.hits, twice.predicted, twice.gold) == (1, 2, 1)


def test_loose_matching_compares_words_only() -> None:
    predicted, listed = triple("oil pump of the city | was built | in 1990"), triple("city | oil pump built | 1990")
    assert match_triples([predicted], [listed]).hits == 1
    assert match_loosely([triple("He | moved to | Rome in 1990")], [triple("Rome | moved 1990 | he")]).hits == 1
    assert match_loosely([triple("He | left | Rome")], [triple("ship | reached | harbour")]).hits == 0
    assert match_loosely([], [triple("a | is | b")]).hits == 0


def test_claim_metrics_match_values_computed_by_hand() -> None:
    supported = ("R", "RU", "RC", "UC", "C", "R", "", "")
    found = metrics_of(response("a", *supported, reference=10).counts)
    assert found == ClaimMetrics(
        precision=4 / 8, recall=4 / 10, f1=pytest.approx(2 * 0.5 * 0.4 / 0.9), parametric_rate=4 / 8,
        parametric_knowledge_precision=2 / 4, self_knowledge=2 / 8, user_utilisation=2 / 8, context_utilisation=3 / 8,
        unsupported=2 / 8, any_source=6 / 8,
    )  # fmt: skip
    large, small = response("large", *["R"] * 9, reference=9), response("small", "", reference=1)
    assert metrics_of(pooled([large.counts, small.counts])).precision == 0.9
    none = metrics_of(response("none").counts)
    assert none == ClaimMetrics(**{**dict.fromkeys(asdict(none)), "recall": 0.0})


# SK, PKP and PR, in percent, of five fine-tuned models: without context, with relevant, irrelevant and noisy context.
# Source: TRIFEX (Oestreich et al.), Table 2.
PUBLISHED = {
    "w/o context": [(43.52, 76.69, 56.75), (28.06, 74.14, 37.85), (40.45, 77.50, 52.20), (28.08, 75.79, 37.05)],
    "w/ relevant": [(41.33, 73.24, 56.43), (26.61, 74.85, 35.56), (18.03, 43.58, 41.36), (27.98, 74.65, 37.48)],
    "PA-RAG": [(41.59, 76.34, 54.47), (24.26, 75.29, 32.22), (40.75, 78.60, 51.84), (27.10, 74.96, 36.16)],
    "RAFT": [(39.85, 72.92, 54.64), (23.43, 73.71, 31.79), (45.00, 79.62, 56.52), (28.48, 78.26, 36.39)],
    "w/ all": [(43.54, 75.75, 57.47), (28.21, 73.56, 38.35), (42.29, 76.75, 55.10), (27.58, 75.81, 36.39)],
}


def point(own: float, knowledge: float, rate: float) -> ConditionPoint:
    return ConditionPoint(self_knowledge=own, knowledge_precision=knowledge, parametric_rate=rate)


def test_decomposition_of_the_published_table_matches_the_paper() -> None:
    """Section 4.2 reports about 75% from PR and 19% from PKP, and variations of 0.239, 0.058 and 0.209."""
    systems = {name: [point(*(value / 100 for value in cell)) for cell in cells] for name, cells in PUBLISHED.items()}
    found = decompose(systems)
    assert found.rate_share == pytest.approx(0.75, abs=0.005)
    assert found.precision_share == pytest.approx(0.19, abs=0.005)
    assert 0 < found.covariance_share < 0.1
    assert found.self_knowledge_variation == pytest.approx(0.239, abs=0.001)
    assert found.precision_variation == pytest.approx(0.058, abs=0.0005)
    assert found.rate_variation == pytest.approx(0.209, abs=0.0005)
    assert (found.systems, found.conditions) == (5, 4)


def test_values_without_a_decomposition_are_refused(subtests: pytest.Subtests) -> None:
    for systems, what in [
        ({}, "no system"),
        ({"a": [point(0.1, 0.5, 0.2)]}, "at least two"),
        ({"a": [point(0.0, 0.5, 0.0), point(0.1, 0.5, 0.2)]}, "no logarithm"),
        ({"a": [point(0.1, 0.5, 0.2), point(0.1, 0.5, 0.2)]}, "no variance"),
    ]:
        with subtests.test(what=what), pytest.raises(InvalidInput, match=what):
            decompose(systems)


class PlacedEmbedder(HashingEmbedder):
    """Places a text at the angle in degrees that its object names."""

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        angles = np.radians([float(text.split()[-1]) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def at(angle: float, name: str = "x") -> Triple:
    return Triple(subject=name, predicate="at", object=str(angle))


async def test_candidates_are_two_user_two_context_and_three_reference_triples() -> None:
    sources: dict[TripleSource, list[Triple]] = {
        "reference": [at(80), at(5), at(40), at(10)],
        "user": [at(30), at(1), at(-20)],
        "context": [at(90)],
    }
    (found,) = await find_candidates([at(0, "claim")], sources, PlacedEmbedder())
    assert [(each.source, each.rank, each.triple.object) for each in found.candidates] == [
        ("user", 0, "1"),
        ("user", 1, "-20"),
        ("context", 0, "90"),
        ("reference", 0, "5"),
        ("reference", 1, "10"),
        ("reference", 2, "40"),
    ]


class CountingExtractor(EmbeddedTripleExtractor):
    def __init__(self) -> None:
        self.texts: list[str] = []

    async def extract(self, text: str) -> ExtractedTriples:
        self.texts.append(text)
        return await super().extract(text)


EXAMPLE = Example(
    id="e1",
    query="The kettle shall boil one litre.",
    context="The kettle draws 2000 W.",
    reference="The kettle boils one litre. The handle is made of wood.",
    response="The kettle draws 2000 W. The handle is made of wood. The lid plays music.",
)


async def test_claims_are_attributed_and_repeated_texts_are_extracted_once() -> None:
    extractor = CountingExtractor()
    pipeline = TriplePipeline(extractor, EmbeddedTripleAttributor(HashingEmbedder()), HashingEmbedder())
    first, again = [await pipeline.attribute(EXAMPLE) for _ in range(2)]
    assert first == again
    assert [sorted(each.sources) for each in first.claims] == [["context"], ["reference"], []]
    assert len(extractor.texts) == 4
