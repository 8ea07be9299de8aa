"""Summaries of documents: what asks for one, which document is meant, and what is answered from its summaries."""

from dataclasses import replace
from unittest.mock import AsyncMock

import pytest

from agent.chatbot import Chatbot
from agent.document_summaries import find_document, summary_subject
from agent.services import Services
from contracts.question import Asker
from contracts.search import Groups
from contracts.text import Chunk, ChunkKind, Document, Passage
from tests.agent.scripted import Script
from tools.language import split_sentences

# The document's sections: heading, page, passage, and summary with a question.
SECTIONS = (
    ("Keys", 1, "A locker key is given out on the first day. Lost keys cost 40 euros.",
     "A locker key is given out on the first day. Keys, all: 40.\nWhat do lost keys cost?"),
    ("Canteen hours", 2, "The canteen opens at 7:30. On Fridays it serves fish.",
     "The canteen opens at 7:30. On Fridays it serves fish.\nWhen does the canteen open?"),
)  # fmt: skip


def document(name: str, title: str) -> Document:
    return Document(id=name, name=name, path=f"/{name}", media_type="", content_hash="1", title=title, pages=2)


GUIDE = document("welcome-guide.pdf", "First days at the plant")


def chunk(kind: ChunkKind, number: int, text: str, **place: object) -> Chunk:
    heading, page, *_ = SECTIONS[number]
    return Chunk(id=f"{kind}-{number}", document_id=GUIDE.id, kind=kind, ordinal=number, text=text, page=page,
                 last_page=page, heading_path=(heading,), document_title=GUIDE.title, **place)  # type: ignore[arg-type]  # fmt: skip


PASSAGES = [chunk("passage", number, each[2], section_id=f"section-{number}") for number, each in enumerate(SECTIONS)]
SUMMARIES = [chunk("summary", number, each[3], section_id=f"section-{number}") for number, each in enumerate(SECTIONS)]


class GuideLibrary:
    """A library of the guide alone."""

    def documents(self, *, groups: Groups = None) -> tuple[Document, ...]:
        return (GUIDE,) if groups is None or GUIDE.group in groups else ()

    def document_chunks(self, document_id: str) -> tuple[Chunk, ...]:
        return (*PASSAGES, *SUMMARIES)


@pytest.fixture
def services() -> Services:
    passages = [
        Passage(chunk=each, document_name=GUIDE.name, document_title=GUIDE.title, score=1.0,
                sentences=split_sentences(each.text)) for each in PASSAGES
    ]  # fmt: skip
    return replace(Script(passages=passages).services(), library=GuideLibrary())


def test_summary_requests_are_recognised_in_many_wordings() -> None:
    expected = {
        "Summarise the welcome guide": "the welcome guide",
        "Hi, can you please summarize guide.pdf in three sentences?": "guide.pdf",
        "give me a short summary of the guide, please": "the guide",
        "What is the welcome guide about?": "the welcome guide",
        "what does the document House rules cover": "the document House rules",
        "tl;dr of the guide": "the guide",
        "Worum geht es in House rules?": "House rules",
        "What does the guide say about keys?": "",
        "What is the VCCQ level for DDR3?": "",
        "Which document is about keys?": "",
    }
    assert {question: summary_subject(question) for question in expected} == expected
    # The subject selects a document only if it is unambiguous.
    rules, tools = document("house_rules.md", "House rules"), document("tools.html", "Software tools of the test group")
    several = [GUIDE, rules, tools, document("test-rules.md", "Rules of the test floor")]
    for subject, found in [
        ("the welcome guide", GUIDE), ("First days at the plant", GUIDE), ("house_rules.md", rules),
        ("the hose rules document", None), ("software tool", tools), ("Sofware tools", tools), ("rules", None),
        ("the test rules", several[3]), ("the differences between tools and rules", None), ("the document", None),
        ("it", None),
    ]:  # fmt: skip
        assert find_document(subject, several) == found, subject
    assert find_document("the document", [rules]) == rules


async def test_a_document_is_summarised_from_its_sections_each_sentence_cited_to_its_page(services: Services) -> None:
    answer = await Chatbot(services).ask("Summarise the welcome guide")
    assert answer.outcome == "answered"
    assert "- A locker key is given out on the first day [1]." in answer.text
    assert "- On Fridays it serves fish [3]." in answer.text
    assert "Keys; Canteen hours" in answer.text
    assert [each.page for each in answer.citations] == [1, 2, 2]
    assert {each.label for each in answer.sentences} == {"faithful"}
    assert "?" not in answer.text
    assert "40" not in answer.text
    assert answer.certainty is None
    # A section is summarised without the rest of the document.
    answer = await Chatbot(services).ask("give me an overview of the canteen hours")
    assert {each.page for each in answer.citations} == {2}
    assert "Canteen hours" in answer.text
    assert "locker" not in answer.text


async def test_unreadable_document_is_neither_summarised_nor_counted(services: Services) -> None:
    stranger = Asker(groups=frozenset({"others"}))
    answer = await Chatbot(services).ask("Summarise the welcome guide", asker=stranger)
    assert answer.steps[0].node == "summarise_document"
    assert len(answer.steps) > 1
    help_text = (await Chatbot(services).ask("help", asker=stranger)).text
    assert GUIDE.title not in help_text


async def test_help_describes_the_contents_of_the_library(services: Services) -> None:
    examples = AsyncMock(return_value=("When does the canteen open?", "What do lost keys cost?"))
    answer = await Chatbot(replace(services, example_questions=examples)).ask("What can you do?")
    assert answer.outcome == "conversation"
    assert "1 document: **First days at the plant**" in answer.text
    assert "- What do lost keys cost?" in answer.text
    assert answer.citations == ()
