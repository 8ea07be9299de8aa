"""Every implementation of Summariser keeps the contract."""

import json

import pytest

from contracts.errors import ChatUnavailable
from intrinsics.summarisation.base import Summariser
from intrinsics.summarisation.embedded import EmbeddedSummariser
from intrinsics.summarisation.llm import PromptedSummariser
from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel
from tools.embedding.hashing import HashingEmbedder
from tools.fallback import with_fallback

SECTION = """Circulation pumps
The P-200 is a circulation pump for closed cooling circuits. It moves 12 litres a minute at 48 V.
A differential pressure switch (DPS) stops the pump when the inlet valve is closed.
The bearing is greased every 500 hours with the grease named on the plate.
The pump is started with the green button after the mains switch is on.
In winter the circuit is filled with a mixture of water and glycol.
"""


def _reply(request: ChatRequest) -> str:
    summary = "The P-200 circulation pump moves 12 litres a minute at 48 V; a DPS stops it."
    return json.dumps({"summary": summary, "questions": ["What is the P-200?", "What does DPS stand for?", "When?"]})


def _degraded() -> Summariser:
    down = PromptedSummariser(ScriptedChatModel([ChatUnavailable("The chat server does not answer.")] * 9))
    return with_fallback(down, EmbeddedSummariser(HashingEmbedder()))


@pytest.fixture(
    params=[
        lambda: EmbeddedSummariser(HashingEmbedder()),
        lambda: PromptedSummariser(ScriptedChatModel(_reply)),
        _degraded,
    ],
    ids=["embedded", "llm", "degrading"],
)
def summariser(request: pytest.FixtureRequest) -> Summariser:
    built: Summariser = request.param()
    return built


async def test_summarises_in_fewer_words(summariser: Summariser, degraded: bool) -> None:
    summary = await summariser.summarise(SECTION, title="Cooling")
    assert "P-200" in summary.text
    assert len(summary.text) < len(SECTION)
    assert all(question.endswith("?") for question in summary.questions)
    assert len(set(summary.questions)) == len(summary.questions)
    assert summary.provenance.implementation in {"embedded", "llm"}
    assert summary.provenance.model
    assert bool(summary.provenance.degraded) is degraded
