"""Corrections in the wired application: stored with their question, or without it where the settings say so."""

from pathlib import Path

import pytest

from contracts.jargon import Correction
from contracts.question import SensePick
from golden_retriever.settings import Settings
from golden_retriever.wiring import open_application

ASKED = "What does PLR stand for?"


@pytest.mark.parametrize("keep_questions", [True, False])
async def test_a_correction_is_stored_with_its_question_only_where_questions_are_kept(
    tmp_path: Path, keep_questions: bool
) -> None:
    settings = Settings(data_dir=tmp_path, keep_questions=keep_questions)
    async with open_application(settings, one_shot=True) as application:
        application.jargon.add_sense("PLR", "Physical Layer Retransmission", context="Protocols")
        application.jargon.add_sense("PLR", "Parts Lost Ratio", context="Test")
        pick = SensePick(term="PLR", extended_name="Parts Lost Ratio")
        answer = await application.chatbot.ask(ASKED, picks=[pick])
        assert "Parts Lost Ratio" in answer.text
        assert application.jargon.corrections() == (
            Correction(
                term="PLR",
                extended_name="Parts Lost Ratio",
                context="Test",
                question=ASKED if keep_questions else "",
            ),
        )
