"""Whole exchanges of what reads and attributes claims on a chat server, kept in ``exchanges/``."""

from pathlib import Path
from typing import Any

from golden_lab.triple_attribution.llm import PromptedTripleAttributor
from golden_lab.triple_extraction.llm import PromptedTripleExtractor
from golden_lab.triples.triple import CandidateTriple, ClaimCandidates, Triple
from tests.intrinsics.test_written_exchanges import TEXT, check_exchange
from tools.chat.base import ChatModel

FOLDER = Path(__file__).parent / "exchanges"


async def extract(chat: ChatModel) -> Any:
    found = await PromptedTripleExtractor(chat).extract(TEXT)
    return {"triples": [each.text for each in found.triples], "version": found.provenance.prompt_version}


async def attribute(chat: ChatModel) -> Any:
    claim = Triple(subject="ballast pump (BLP)", predicate="trips <", object="20 V")
    said = Triple(subject="BLP", predicate="trips below", object="20 V")
    other = Triple(subject="BLP", predicate="has", object="fuse")
    candidates = (
        CandidateTriple(source="user", rank=0, triple=other),
        CandidateTriple(source="context", rank=0, triple=said),
    )
    found = await PromptedTripleAttributor(chat).attribute([ClaimCandidates(claim=claim, candidates=candidates)])
    return {"evidence": [list(each.evidence) for each in found.claims], "version": found.provenance.prompt_version}


async def test_claims_are_read_as_it_is_kept() -> None:
    await check_exchange(FOLDER / "triple_extraction.json", extract)


async def test_claims_are_attributed_as_it_is_kept() -> None:
    await check_exchange(FOLDER / "triple_attribution.json", attribute)
