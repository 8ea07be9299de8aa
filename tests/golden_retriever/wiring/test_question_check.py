"""Questions to offer: what the bot answers of a document, with the embedded engine."""

from pathlib import Path

from golden_retriever.settings import Settings
from golden_retriever.web import build_question_check
from golden_retriever.wiring import open_application
from library.suggested_questions import SuggestedQuestionStore

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


async def test_what_is_answered_from_its_place_is_kept_once(tmp_path: Path) -> None:
    (tmp_path / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    async with open_application(Settings(data_dir=tmp_path / "data", workers=1), one_shot=True) as application:
        await application.pipeline.ingest([tmp_path / "handbook.md"])
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
