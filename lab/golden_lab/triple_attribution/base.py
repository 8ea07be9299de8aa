"""The contract of triple attribution."""

from collections.abc import Sequence
from typing import Protocol

from golden_lab.triples.triple import AttributionVerdict, ClaimCandidates


class TripleAttributor(Protocol):
    """Says which of its candidates support each claim."""

    async def attribute(self, claims: Sequence[ClaimCandidates]) -> AttributionVerdict:
        """Judge each claim against its own candidates; a claim without candidates has no support."""
        ...
