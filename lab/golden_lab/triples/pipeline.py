"""The pipeline: a response's claims, the claims of its three sources, and which of these support each."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.triples import CandidateTriple, Triple, TripleSource
from golden_lab.engine import Engine
from golden_lab.triple_attribution import TripleAttributor
from golden_lab.triple_extraction import TripleExtractor
from golden_lab.triples.candidates import find_candidates
from golden_lab.triples.metrics import ClaimCounts, Region, count_claims
from tools.embedding.base import Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A response with the query and context that it was made from, and the reference that it should match.

    ``system`` names what made it, ``condition`` how the context was found ("relevant", "irrelevant"); "" for the only.
    """

    id: str
    query: str
    context: str
    reference: str
    response: str
    system: str = ""
    condition: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributedClaim:
    """A claim of a response with the triples that support it."""

    claim: Triple
    evidence: tuple[CandidateTriple, ...]

    @property
    def sources(self) -> frozenset[TripleSource]:
        """The sources that support it."""
        return frozenset(each.source for each in self.evidence)

    @property
    def region(self) -> Region:
        """Whether reference, user and context support it."""
        return "reference" in self.sources, "user" in self.sources, "context" in self.sources


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributedResponse:
    """A response's claims with their sources, and how many claims the reference and the context make."""

    example: Example
    claims: tuple[AttributedClaim, ...]
    reference_claims: int
    context_claims: int

    @property
    def counts(self) -> ClaimCounts:
        """The counts that the metrics are made of."""
        return count_claims(
            [each.region for each in self.claims],
            reference_claims=self.reference_claims,
            context_claims=self.context_claims,
        )


class TriplePipeline:
    """Extracts, searches and attributes. A text that comes again, as a reference does, is read once.

    Source: TRIFEX, figure 1 and section 3.3.
    """

    def __init__(self, extractor: TripleExtractor, attributor: TripleAttributor, embedder: Embedder) -> None:
        self._extractor = extractor
        self._attributor = attributor
        self._embedder = embedder
        self._read: dict[str, tuple[Triple, ...]] = {}

    @classmethod
    def of(cls, engine: Engine) -> "TriplePipeline":
        """Make the pipeline of an engine's implementations."""
        return cls(engine.triple_extractor, engine.triple_attributor, engine.embedder)

    async def attribute(self, example: Example) -> AttributedResponse:
        """Return the claims of an example's response, each with the triples that support it.

        Raises:
            Unavailable: a language model does not answer, or not in the form asked for.
        """
        sources: dict[TripleSource, Sequence[Triple]] = {
            "user": await self._triples(example.query),
            "context": await self._triples(example.context),
            "reference": await self._triples(example.reference),
        }
        claims = await self._triples(example.response)
        found = await find_candidates(claims, sources, self._embedder)
        verdict = await self._attributor.attribute(found)
        return AttributedResponse(
            example=example,
            claims=tuple(
                AttributedClaim(
                    claim=each.claim, evidence=tuple(each.candidates[number] for number in support.evidence)
                )
                for each, support in zip(found, verdict.claims, strict=True)
            ),
            reference_claims=len(sources["reference"]),
            context_claims=len(sources["context"]),
        )

    async def _triples(self, text: str) -> tuple[Triple, ...]:
        if text not in self._read:
            self._read[text] = (await self._extractor.extract(text)).triples
        return self._read[text]
