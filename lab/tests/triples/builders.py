"""Handmade triples and responses."""

from golden_lab.triples.pipeline import AttributedClaim, AttributedResponse, Example
from golden_lab.triples.triple import CandidateTriple, Triple, TripleSource

LETTERS: dict[str, TripleSource] = {"R": "reference", "U": "user", "C": "context"}


def triple(text: str) -> Triple:
    """Make a triple from "subject | predicate | object"."""
    subject, predicate, value = text.split(" | ")
    return Triple(subject=subject, predicate=predicate, object=value)


def response(name: str, *sources: str, condition: str = "", system: str = "", reference: int = 4) -> AttributedResponse:
    """Make a response with a claim for each of ``sources``: "RU" has support from reference and user, "" from none."""
    claims = []
    for number, letters in enumerate(sources):
        claim = Triple(subject=name, predicate="has", object=f"part {number}")
        evidence = tuple(CandidateTriple(source=LETTERS[letter], rank=0, triple=claim) for letter in letters)
        claims.append(AttributedClaim(claim=claim, evidence=evidence))
    example = Example(id=name, query="q", context="c", reference="r", response="a", system=system, condition=condition)
    return AttributedResponse(example=example, claims=tuple(claims), reference_claims=reference, context_claims=2)
