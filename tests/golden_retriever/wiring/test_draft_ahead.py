"""Whose drafts are begun ahead of the gate: a language model's, unless the setting says no."""

from dataclasses import replace
from typing import Any

import pytest

from golden_retriever.settings import Settings
from golden_retriever.wiring.choosing import EngineChooser
from golden_retriever.wiring.engines import build_services
from golden_retriever.wiring.judgements.writing import build_writer
from intrinsics.answer_generation import StartingAnswerWriter
from tests.agent.scripted import Script
from tests.conformance.reading_cases import PASSAGES, make_brief, write
from tools.chat.scripted import ScriptedChatModel
from tools.embedding.hashing import HashingEmbedder


@pytest.mark.parametrize(
    ("settings", "ahead"),
    [
        ({}, True),
        ({"profile": "quality"}, True),
        ({"degrade": "refuse"}, True),
        ({"draft_ahead": False}, False),
        ({"draft_ahead": False, "degrade": "refuse"}, False),
        ({"profile": "embedded"}, False),
        ({"engines": "answer_generation=embedded"}, False),
    ],
)
def test_a_language_models_drafts_are_unless_the_setting_says_no(settings: dict[str, Any], ahead: bool) -> None:
    script = Script()
    services = build_services(
        Settings(llm_base_url="http://127.0.0.1:9/v1", **settings),
        HashingEmbedder(),
        script.searcher,
        script.services().lexical,
        script.dictionary,
        ScriptedChatModel([]),
    )
    assert isinstance(services.answer_writer, StartingAnswerWriter) == ahead


async def test_what_was_begun_is_what_is_written() -> None:
    chat = ScriptedChatModel(["It runs at 48 V.", "something else"])
    settings = Settings(llm_base_url="http://127.0.0.1:9/v1")  # type: ignore[call-arg]
    writer = build_writer(EngineChooser(settings, chat), HashingEmbedder(), ahead=True)
    assert isinstance(writer, StartingAnswerWriter)
    brief = make_brief("What voltage?", PASSAGES)
    begun = writer.begin(brief)
    _, draft = await write(writer, replace(brief, begun=begun))
    await begun.end()
    assert draft.text == "It runs at 48 V."
    assert len(chat.requests) == 1
