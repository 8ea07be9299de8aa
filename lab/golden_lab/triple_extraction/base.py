"""The contract of triple extraction."""

from typing import Protocol

from golden_lab.triples.triple import ExtractedTriples


class TripleExtractor(Protocol):
    """Reads the claims of a text as subject–predicate–object triples."""

    async def extract(self, text: str) -> ExtractedTriples:
        """Return the claims that ``text`` states, normalised; nothing that it does not say. Empty text has none."""
        ...
