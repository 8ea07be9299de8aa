"""A triple attributor without a language model."""

import time
from collections.abc import Sequence

from contracts.provenance import Provenance
from contracts.triples import AttributionVerdict, ClaimCandidates, ClaimSupport
from tools.embedding.base import Embedder

_COSINE = 0.75


class EmbeddedTripleAttributor:
    """Judges by cosine."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def attribute(self, claims: Sequence[ClaimCandidates]) -> AttributionVerdict:
        """Judge each claim against its own candidates; a claim without candidates has no support."""
        started = time.perf_counter()
        texts = [text for each in claims for text in (each.claim.text, *(one.triple.text for one in each.candidates))]
        vectors = await self._embedder.embed_documents(texts) if texts else None
        found = []
        row = 0
        for each in claims:
            count = len(each.candidates)
            cosines = vectors[row + 1 : row + 1 + count] @ vectors[row] if vectors is not None else []
            found.append(ClaimSupport(evidence=tuple(n for n in range(count) if cosines[n] >= _COSINE)))
            row += 1 + count
        return AttributionVerdict(
            claims=tuple(found),
            provenance=Provenance(
                implementation="embedded",
                model=self._embedder.name,
                milliseconds=(time.perf_counter() - started) * 1_000,
            ),
        )
