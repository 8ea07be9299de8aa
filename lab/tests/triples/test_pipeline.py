"""The whole way from texts to counts."""

from golden_lab.triple_attribution.embedded import EmbeddedTripleAttributor
from golden_lab.triple_extraction.embedded import EmbeddedTripleExtractor
from golden_lab.triples.metrics import metrics_of
from golden_lab.triples.pipeline import Example, TriplePipeline
from golden_lab.triples.triple import ExtractedTriples
from tests.hashing_embedder import HashingEmbedder


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
