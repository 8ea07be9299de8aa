"""Every implementation of TermMiner keeps the contract."""

import json

import pytest

from intrinsics.term_mining.base import TermMiner
from intrinsics.term_mining.embedded import EmbeddedTermMiner
from intrinsics.term_mining.llm import PromptedTermMiner
from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel
from tools.fallback import with_fallback

TEXT = "Each logical unit number (LUN) has a status."
DEFINED = {"term": "LUN", "expansion": "logical unit number", "evidence": TEXT}


def _reply(request: ChatRequest) -> str:
    return json.dumps({"terms": [DEFINED] if TEXT in request.messages[-1].content else []})


@pytest.fixture(
    params=[
        EmbeddedTermMiner,
        lambda: PromptedTermMiner(ScriptedChatModel(_reply)),
        lambda: with_fallback(PromptedTermMiner(ScriptedChatModel([])), EmbeddedTermMiner()),
    ],
    ids=["embedded", "llm", "degrading"],
)
def miner(request: pytest.FixtureRequest) -> TermMiner:
    built: TermMiner = request.param()
    return built


async def test_finds_a_term_with_its_evidence_and_page_and_nothing_in_nothing(miner: TermMiner, degraded: bool) -> None:
    found = await miner.mine(TEXT, page=3)
    assert bool(found.provenance.degraded) is degraded
    (mined,) = found.terms
    assert (mined.term, mined.extended_name, mined.page) == ("LUN", "logical unit number", 3)
    assert "logical unit number (LUN)" in mined.evidence
    assert 0.5 <= mined.score <= 1.0
    found = await miner.mine("")
    assert found.terms == ()
    assert found.provenance.implementation in {"embedded", "llm"}
