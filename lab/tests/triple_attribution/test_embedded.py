"""Attribution without a language model."""

import pytest

from golden_lab.triple_attribution.embedded import EmbeddedTripleAttributor
from golden_lab.triples.triple import CandidateTriple, ClaimCandidates, Triple, TripleSource
from tools.embedding.base import Embedder


def triple(text: str) -> Triple:
    subject, predicate, value = text.split(" | ")
    return Triple(subject=subject, predicate=predicate, object=value)


def held_against(claim: str, *candidates: tuple[TripleSource, str]) -> ClaimCandidates:
    return ClaimCandidates(
        claim=triple(claim),
        candidates=tuple(
            CandidateTriple(source=source, rank=n, triple=triple(text)) for n, (source, text) in enumerate(candidates)
        ),
    )


async def test_takes_one_candidate_of_each_source_that_states_the_claim(minilm: Embedder) -> None:
    claim = held_against(
        "printer | shall print | 40 pages per minute",
        ("user", "printer | shall print ≥ | 40 pages per minute"),
        ("user", "printer | shall support | duplex"),
        ("context", "printer | has | two trays"),
        ("reference", "printer | prints | 40 pages per minute"),
        ("reference", "printer | prints | 40 pages each minute"),
    )
    assert (await EmbeddedTripleAttributor(minilm).attribute([claim])).claims[0].evidence == (0, 3)


@pytest.mark.parametrize(
    ("claim", "candidate"),
    [
        ("supply | delivers | 5 V", "supply | delivers | 12 V"),
        ("router | supports | IPv6", "router | does not support | IPv6"),
        ("alarm | does not sound at | night", "alarm | sounds at | night"),
        ("range | is ≤ | 100 m", "range | is ≤ | 50 m"),
        ("tank | shall hold ≥ | 20 litres", "tank | holds | 18 litres"),
        ("printer | has | scanner", "coffee machine | has | milk container"),
    ],
)
async def test_other_numbers_negation_and_topics_are_no_support(minilm: Embedder, claim: str, candidate: str) -> None:
    verdict = await EmbeddedTripleAttributor(minilm).attribute([held_against(claim, ("reference", candidate))])
    assert verdict.claims[0].evidence == ()


@pytest.mark.parametrize(
    ("claim", "candidate"),
    [
        ("tank | shall hold ≥ | 20 litres", "tank | holds | 22 litres"),
        ("lamp | lasts | one hour", "lamp | lasts | 60 minutes"),
        ("pump | shall start within | 2 s", "pump | starts in | 1.5 s"),
        ("supply | delivers | 5 V", "supply | delivers | 5 V"),
    ],
)
async def test_amounts_that_make_the_claim_true_support_it(minilm: Embedder, claim: str, candidate: str) -> None:
    verdict = await EmbeddedTripleAttributor(minilm).attribute([held_against(claim, ("user", candidate))])
    assert verdict.claims[0].evidence == (0,)
