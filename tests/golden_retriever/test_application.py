"""The wired application, from files on disk to answers: what a person would see of it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from contracts.jargon import Correction
from contracts.question import Asker, SensePick
from golden_retriever.settings import Settings
from golden_retriever.web import build_question_check
from golden_retriever.wiring import Application, open_application
from library.suggested_questions import SuggestedQuestionStore
from serving.question_check import QuestionCheck
from tests.example_library import bot_over

PUMPS = (("P-200", 12), ("P-310", 30), ("X-45", 7), ("Z-9", 61))
GUIDE = """# Kestrel operations guide

## Storage

Each self-healing ring (SHR) keeps three copies of a record. An SHR is resized by the platform team on Tuesdays.
The retention of audit records is 400 days.

## Escalation

Call the duty officer at extension 5521 when an SHR loses two copies.
"""


@pytest.fixture
async def application(tmp_path: Path) -> AsyncIterator[Application]:
    async with bot_over(tmp_path, {"guide.md": GUIDE}) as opened:
        yield opened


async def test_mined_meaning_is_used_and_marked_as_coming_from_documents(application: Application) -> None:
    answer = await application.chatbot.ask("Who resizes an SHR?")
    assert answer.outcome == "answered"
    assert "platform team" in answer.text
    (reading,) = answer.readings
    assert reading.status == "documents"
    assert reading.sense.extended_name == "self-healing ring"
    assert {citation.document_name for citation in answer.citations} == {"guide.md"}
    # The term is unknown to people who may not read the document.
    answer = await application.chatbot.ask("What is an SHR?", asker=Asker(groups=frozenset({"others"})))
    assert answer.outcome != "answered"
    assert "healing" not in answer.text


async def test_common_abbreviation_does_not_stop_a_question_and_deletion_works(application: Application) -> None:
    answer = await application.chatbot.ask("Which CPU does the duty officer's telephone have?")
    assert answer.outcome == "closest_passages"
    assert (await application.chatbot.ask("How long are audit records kept?")).outcome == "answered"
    (document,) = application.store.documents()
    application.store.delete_document(document.id)
    answer = await application.chatbot.ask("How long are audit records kept?")
    assert answer.outcome == "declined"
    assert "400" not in answer.text


@pytest.mark.parametrize("keep_questions", [True, False])
async def test_correction_stores_its_question_only_if_questions_are_kept(tmp_path: Path, keep_questions: bool) -> None:
    settings = Settings(data_dir=tmp_path, keep_questions=keep_questions)
    async with open_application(settings, one_shot=True) as application:
        application.jargon.add_sense("PLR", "Physical Layer Retransmission", context="Protocols")
        application.jargon.add_sense("PLR", "Parts Lost Ratio", context="Test")
        asked, pick = "What does PLR stand for?", SensePick(term="PLR", extended_name="Parts Lost Ratio")
        answer = await application.chatbot.ask(asked, picks=[pick])
        assert "Parts Lost Ratio" in answer.text
        assert application.jargon.corrections() == (
            Correction(
                term="PLR", extended_name="Parts Lost Ratio", context="Test", question=asked if keep_questions else ""
            ),
        )


HANDBOOK = """# Handbook of the pumps

## How often is the oil filter changed?

The oil filter is changed every 500 hours, by the crew of the hall.

## Replacing a fuse

1. Switch the pump off and pull the plug.
2. Open the grey cover with the hexagon key.
3. Put a fuse of 16 A in and close the cover.

## Models

| Model | Flow rate | Supply voltage |
|---|---|---|
| P-200 | 12 l/min | 48 V |
| P-300 | 30 l/min | 96 V |

## Words

The pump level register (PLR) holds the level of the water. What is the colour of the moon?
"""


async def test_suggested_questions_are_answered_from_their_source_and_kept_once(tmp_path: Path) -> None:
    async with bot_over(tmp_path, {"handbook.md": HANDBOOK}) as application:
        offered, check = SuggestedQuestionStore(application.store.engine), build_question_check(application)
        await check.update()
        (document,) = application.store.documents()
        kept = offered.of_documents([document.id])
        kinds = {each.kind for each in kept}
        assert kinds == {"asked", "procedure", "cell", "term"}
        assert "How do I replace a fuse?" in {each.text for each in kept}
        assert all(each.certainty >= 0.7 for each in kept)
        assert len(await application.services.example_questions(None)) == 4
        for each in kept:
            answer = await application.chatbot.ask(each.text, history=())
            assert (answer.outcome, answer.citations[0].document_id) == ("answered", document.id)
        await check.update()
        assert offered.of_documents([document.id]) == kept


async def test_a_large_library_is_checked_until_there_are_examples(tmp_path: Path) -> None:
    notes = {f"note-{number}.md": f"Note {number} is empty." for number in range(40)}
    pumps = {f"pump-{name}.md": f"| Pump | Flow rate |\n|---|---|\n| {name} | {rate} l/min |" for name, rate in PUMPS}
    async with bot_over(tmp_path, notes | pumps) as application:
        offered = SuggestedQuestionStore(application.store.engine)
        check = QuestionCheck(application.store, application.services, look_every_s=0.01, pause_s=0.0)
        run = asyncio.create_task(check.run())
        for _ in range(600):
            if len(offered.examples()) == 4:
                break
            await asyncio.sleep(0.1)
        run.cancel()
        assert set(offered.examples()) == {f"What is the flow rate of {name}?" for name, _ in PUMPS}
