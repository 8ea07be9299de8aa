"""Turns a file of responses into claims with the sources that support them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from contracts.errors import InvalidInput
from golden_lab.engine import Engine
from golden_lab.json_lines import read_forms
from golden_lab.triples.metrics import ClaimCounts, Region, count_claims
from golden_lab.triples.triple import (
    CandidateTriple,
    ClaimCandidates,
    Triple,
    TripleAttributor,
    TripleExtractor,
    TripleSource,
)
from tools.embedding.base import Embedder

# The number of triples in each source that a claim is compared with: seven in all. Source: TRIFEX, section 3.3.
NEAREST: Mapping[TripleSource, int] = {"user": 2, "context": 2, "reference": 3}


async def find_candidates(
    claims: Sequence[Triple], sources: Mapping[TripleSource, Sequence[Triple]], embedder: Embedder
) -> tuple[ClaimCandidates, ...]:
    """Return each claim with each source's nearest triples by cosine, nearest first (all triples of a small source).

    Every text is embedded once, all in one call. If cosines are equal, the triple that comes first in its source wins.
    """
    by_source = {name: tuple(sources.get(name, ())) for name in NEAREST}
    if not claims or not any(by_source.values()):
        return tuple(ClaimCandidates(claim=claim, candidates=()) for claim in claims)
    texts = list(dict.fromkeys(each.text for some in (claims, *by_source.values()) for each in some))
    place = {text: row for row, text in enumerate(texts)}
    vectors = (await embedder.embed_documents(texts)).astype(np.float64)
    chosen: list[list[CandidateTriple]] = [[] for _ in claims]
    for name, triples in by_source.items():
        if triples:
            one, other = (vectors[[place[each.text] for each in some]] for some in (claims, triples))
            # Equal texts have equal vectors, and rounding errors must not change their order.
            order = np.argsort(-np.round(one @ other.T, 9), axis=1, kind="stable")[:, : NEAREST[name]]
            for found, row in zip(chosen, order.tolist(), strict=True):
                found += [CandidateTriple(source=name, rank=rank, triple=triples[at]) for rank, at in enumerate(row)]
    return tuple(
        ClaimCandidates(claim=claim, candidates=tuple(found)) for claim, found in zip(claims, chosen, strict=True)
    )


class Example(BaseModel, frozen=True):
    """A response with its query and context, and the reference that it should match.

    ``system`` names the system, ``condition`` the retrieval condition ("relevant", ...); "" if there is only one.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    id: str = Field(min_length=1)
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
        """The sources that support the claim."""
        return frozenset(each.source for each in self.evidence)

    @property
    def region(self) -> Region:
        """Whether reference, user and context support the claim."""
        return "reference" in self.sources, "user" in self.sources, "context" in self.sources


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributedResponse:
    """The claims of a response with their sources, and the numbers of claims in the reference and the context."""

    example: Example
    claims: tuple[AttributedClaim, ...]
    reference_claims: int
    context_claims: int

    @property
    def counts(self) -> ClaimCounts:
        """The counts from which the metrics are computed."""
        return count_claims(
            [each.region for each in self.claims],
            reference_claims=self.reference_claims,
            context_claims=self.context_claims,
        )


class TriplePipeline:
    """Extracts claims, finds candidates and attributes the claims. A repeated text, such as a reference, is read once.

    Source: TRIFEX, figure 1 and section 3.3.
    """

    def __init__(self, extractor: TripleExtractor, attributor: TripleAttributor, embedder: Embedder) -> None:
        self._extractor = extractor
        self._attributor = attributor
        self._embedder = embedder
        self._read: dict[str, tuple[Triple, ...]] = {}

    @classmethod
    def of(cls, engine: Engine) -> "TriplePipeline":
        """Build the pipeline from the implementations of an engine."""
        return cls(engine.triple_extractor, engine.triple_attributor, engine.embedder)

    async def attribute(self, example: Example) -> AttributedResponse:
        """Return the claims of an example's response, each with the triples that support it.

        Raises:
            Unavailable: a language model does not answer, or not in the requested form.
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


def read_examples(path: Path) -> tuple[Example, ...]:
    """Read examples, one JSON object per line; blank lines are ignored.

    Raises:
        InvalidInput: the file cannot be read or contains no examples, a line has the wrong form, or an id occurs twice
            for one system and condition; the message names the file and, if known, the line and the field.
    """
    found: dict[tuple[str, str, str], Example] = {}
    for example in read_forms(path, Example):
        key = (example.system, example.condition, example.id)
        if key in found:
            raise InvalidInput(f'{path}: the id "{example.id}" occurs twice for one system and condition', field="id")
        found[key] = example
    if not found:
        raise InvalidInput(f"{path} contains no example: give one JSON object per line", field="path")
    return tuple(found.values())
