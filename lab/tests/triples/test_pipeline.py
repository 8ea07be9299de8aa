"""From texts to claims, candidates and counts."""

from collections.abc import Sequence

import numpy as np

from golden_lab.triple_attribution.embedded import EmbeddedTripleAttributor
from golden_lab.triple_extraction.embedded import EmbeddedTripleExtractor
from golden_lab.triples.metrics import metrics_of
from golden_lab.triples.pipeline import Example, TriplePipeline, find_candidates
from golden_lab.triples.triple import ExtractedTriples, Triple, TripleSource
from tests.hashing_embedder import HashingEmbedder
from tools.embedding.base import Matrix


class PlacedEmbedder(HashingEmbedder):
    """Places a text at the angle that its object names in degrees, and keeps count of calls and texts."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[list[str]] = []

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self.calls.append(list(texts))
        angles = np.radians([float(text.split()[-1]) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def at(angle: float, name: str = "x") -> Triple:
    return Triple(subject=name, predicate="at", object=str(angle))


async def test_the_nearest_two_user_two_context_three_reference() -> None:
    sources: dict[TripleSource, list[Triple]] = {
        "reference": [at(80), at(5), at(40), at(10)],
        "user": [at(30), at(1), at(-20)],
        "context": [at(90)],
    }
    embedder = PlacedEmbedder()
    (found,) = await find_candidates([at(0, "claim")], sources, embedder)
    assert [(each.source, each.rank, each.triple.object) for each in found.candidates] == [
        ("user", 0, "1"),
        ("user", 1, "-20"),
        ("context", 0, "90"),
        ("reference", 0, "5"),
        ("reference", 1, "10"),
        ("reference", 2, "40"),
    ]


class CountingExtractor(EmbeddedTripleExtractor):
    """Keeps the texts that it read."""

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


async def test_claims_are_attributed_to_where_they_stand_and_a_text_that_comes_again_is_read_once() -> None:
    extractor = CountingExtractor()
    pipeline = TriplePipeline(extractor, EmbeddedTripleAttributor(HashingEmbedder()), HashingEmbedder())
    found = await pipeline.attribute(EXAMPLE)
    assert [(each.claim.object, sorted(each.sources)) for each in found.claims] == [
        ("2000 W", ["context"]),
        ("wood", ["reference"]),
        ("music", []),
    ]
    counts = found.counts
    assert (counts.generated, counts.reference_claims, counts.context_claims) == (3, 2, 1)
    metrics = metrics_of(counts)
    assert (metrics.parametric_rate, metrics.parametric_knowledge_precision) == (2 / 3, 1 / 2)
    await pipeline.attribute(EXAMPLE)
    assert len(extractor.texts) == 4
