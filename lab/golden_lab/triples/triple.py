"""Claims as subject–predicate–object triples, and which sources support them."""

from collections.abc import Sequence
from typing import Literal, Protocol

from pydantic import BaseModel

from contracts.provenance import Provenance

TripleSource = Literal["user", "context", "reference", "response"]


class Triple(BaseModel, frozen=True):
    """One claim, atomic and self-contained, in normal form.

    ``subject`` is lowercase, singular, without articles, with the name of a part in brackets after its category;
    ``predicate`` contains modality and comparator ("shall maintain ≥"); ``object`` keeps literals and units as written.
    ``sentence`` is the index of the sentence in the source text that states the claim, -1 if unknown.

    Source: Oestreich et al., "Parametric Knowledge and Retrieval Behavior in RAG Fine-Tuning for Electronic Design
    Automation" (TRIFEX), appendix C.1.
    """

    subject: str
    predicate: str
    object: str
    sentence: int = -1

    @property
    def text(self) -> str:
        """The triple as one line, which is embedded."""
        return f"{self.subject} {self.predicate} {self.object}"


class ExtractedTriples(BaseModel, frozen=True):
    """The claims of one text, in order, without duplicates."""

    triples: tuple[Triple, ...]
    provenance: Provenance


class CandidateTriple(BaseModel, frozen=True):
    """A triple that may support a claim: its source, and its rank by similarity in that source (counted from 0)."""

    source: TripleSource
    rank: int
    triple: Triple


class ClaimCandidates(BaseModel, frozen=True):
    """A claim of the response with the triples that may support it."""

    claim: Triple
    candidates: tuple[CandidateTriple, ...]


class ClaimSupport(BaseModel, frozen=True):
    """The smallest set of candidates (numbered from 0) that supports a claim; empty if it is not supported."""

    evidence: tuple[int, ...]


class AttributionVerdict(BaseModel, frozen=True):
    """The support of each claim, in the order of the claims."""

    claims: tuple[ClaimSupport, ...]
    provenance: Provenance


class TripleExtractor(Protocol):
    """Extracts the claims of a text as subject–predicate–object triples."""

    async def extract(self, text: str) -> ExtractedTriples:
        """Return the claims that ``text`` states, normalised, and nothing else. Empty text has none."""
        ...


class TripleAttributor(Protocol):
    """Determines, for each claim, which of its candidates support it."""

    async def attribute(self, claims: Sequence[ClaimCandidates]) -> AttributionVerdict:
        """Judge each claim against its own candidates; a claim without candidates has no support."""
        ...
