"""Every implementation of TripleAttributor keeps the contract."""

import json
import re

import pytest

from golden_lab.triple_attribution import TripleAttributor
from golden_lab.triple_attribution.embedded import EmbeddedTripleAttributor
from golden_lab.triple_attribution.llm import PromptedTripleAttributor
from golden_lab.triples.triple import CandidateTriple, ClaimCandidates, Triple
from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel
from tools.embedding.hashing import HashingEmbedder

FAN = Triple(subject="fan", predicate="runs at", object="12 V")
SALARY = Triple(subject="salary", predicate="is paid on", object="last Friday")
CLAIMS = (
    ClaimCandidates(
        claim=FAN,
        candidates=(
            CandidateTriple(source="context", rank=0, triple=SALARY),
            CandidateTriple(source="reference", rank=0, triple=FAN),
        ),
    ),
    ClaimCandidates(claim=SALARY, candidates=()),
    ClaimCandidates(claim=SALARY, candidates=(CandidateTriple(source="user", rank=0, triple=FAN),)),
)


def _reply(request: ChatRequest) -> str:
    """Judge as a model would that takes only equal triples for support."""
    found = []
    for block in re.split(r"(?m)^claim (?=\d)", request.messages[-1].content)[1:]:
        index, rest = block.split(": ", 1)
        claim, *candidates = rest.splitlines()
        shown = [line.split(": ", 1)[1] for line in candidates if line.startswith("  [")]
        found.append({"index": int(index), "evidence": [n for n, text in enumerate(shown) if text == claim]})
    return json.dumps(found)


@pytest.fixture(
    params=[
        lambda: EmbeddedTripleAttributor(HashingEmbedder()),
        lambda: PromptedTripleAttributor(ScriptedChatModel(_reply)),
        lambda: PromptedTripleAttributor(ScriptedChatModel(_reply), batch=1),
    ]
)
def attributor(request: pytest.FixtureRequest) -> TripleAttributor:
    built: TripleAttributor = request.param()
    return built


async def test_one_support_for_each_claim_in_order(attributor: TripleAttributor) -> None:
    verdict = await attributor.attribute(CLAIMS)
    assert [each.evidence for each in verdict.claims] == [(1,), (), ()]


async def test_says_who_judged(attributor: TripleAttributor) -> None:
    provenance = (await attributor.attribute(CLAIMS)).provenance
    assert provenance.implementation in {"embedded", "llm"}
    assert provenance.model
