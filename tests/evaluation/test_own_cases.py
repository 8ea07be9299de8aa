"""Own cases over a small real library: what becomes a draft, and how each judgement is scored."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import AsyncMock, Mock

import pytest

from contracts.provenance import Provenance
from contracts.text import Passage, Span
from contracts.verdicts import WrittenQuestion, WrittenQuestions
from evaluation.case_report import report_text
from evaluation.drafts import choose_documents, draft_cases, draw_passages, quote
from evaluation.own_cases import measure_own_cases
from golden_retriever.wiring import Application
from tests.example_library import bot_over

GUIDE = """# Kestrel guide

## Storage

Each SHR keeps three copies of a record. The retention of audit records is 400 days.

## Escalation

The duty officer is reached at extension 5521.
"""
NOTES = "The canteen opens at half past eleven. A lost key costs 40 euros.\n"


CASES = [
    {"id": "copies", "question": "How many copies of a record does an SHR keep?", "expect": "answered",
     "answer": "three", "document": "guide.md", "page": 1, "term": "SHR", "sense": "Self-Healing Ring"},
    {"id": "wrong sense", "question": "How many copies does an SHR keep of a record?", "expect": "answered",
     "answer": "three", "document": "guide.md", "page": 1, "term": "SHR", "sense": "Short Haul Route"},
    {"id": "wrong page", "question": "How long is the retention of audit records?", "expect": "answered",
     "answer": "400 days", "document": "guide.md", "page": 7},
    {"id": "wrong answer", "question": "What is the retention of audit records?", "expect": "answered",
     "answer": "40 days", "accept": ["00 days"], "document": "guide.md", "page": 1},
    {"id": "unknown", "question": "What is the ZQX of the ring?", "expect": "unknown_term"},
    {"id": "draft", "question": "Who?", "expect": "answered", "accepted": False},
    {"id": "no", "question": "Who?", "expect": "answered", "accepted": False, "rejected": True},
]  # fmt: skip


@pytest.fixture(scope="module")
async def application(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Application]:
    async with bot_over(tmp_path_factory.mktemp("cases"), {"guide.md": GUIDE, "notes.txt": NOTES}) as opened:
        opened.jargon.add_sense("SHR", "Self-Healing Ring", context="")
        yield opened


class ListedWriter:
    """Writes the questions of a list whose answers stand in the passage."""

    def __init__(self, *pairs: tuple[str, str]) -> None:
        self._pairs = pairs

    async def write(self, passage: Passage) -> WrittenQuestions:
        found = [
            WrittenQuestion(question=question, answer=answer, evidence=Span(at, at + len(answer)))
            for question, answer in self._pairs
            if (at := passage.text.find(answer)) >= 0
        ]
        return WrittenQuestions(questions=tuple(found), provenance=Provenance(implementation="listed"))


async def test_the_first_question_that_passes_becomes_a_draft(application: Application) -> None:
    documents = choose_documents(application.store, ["guide.md"])
    writer = ListedWriter(
        ("How long are the 400 days of audit records?", "400 days"),  # contains its own answer
        ("How long are audit records retained?", "400 days"),  # already a case
        ("What colour is the moon of Neptune?", "400 days"),  # not stated in the passage
        ("How many copies of a record does each SHR keep?", "three"),
    )
    drafts = await draft_cases(
        draw_passages(application.store, documents, seed=1), writer, application.services, count=5,
        known=["how long are audit records retained"],
    )  # fmt: skip
    (row,) = [each for each in drafts.rows if each["answer"] == "three"]
    assert len(drafts.rows) == 1
    assert (row["term"], row["sense"]) == ("SHR", "Self-Healing Ring")
    assert (row["document"], row["page"], row["accepted"]) == ("guide.md", 1, False)
    assert row["passage"] == "Each SHR keeps three copies of a record."
    assert row["kind"] == "drafted"
    assert row["drafted_by"] == "listed"
    assert drafts.passed_over["the question contains its answer"] == 1
    assert drafts.passed_over["the question exists already"] == 1
    assert drafts.passed_over["the passage does not answer it, according to the bot's own judgement"] == 1


async def test_question_whose_passage_is_not_found_is_marked_hard(application: Application) -> None:
    writer = ListedWriter(("How long is the retention of audit records?", "400 days"))
    empty = Mock(search=AsyncMock(return_value=()), likeness=AsyncMock(return_value={}))
    services = replace(application.services, searcher=empty)
    documents = choose_documents(application.store, ["guide.md"])
    drafts = await draft_cases(draw_passages(application.store, documents, seed=1), writer, services, count=1)
    assert [row["kind"] for row in drafts.rows] == ["hard"]


def test_documents_alternate_and_drawing_depends_on_the_seed(application: Application) -> None:
    documents = choose_documents(application.store, [])
    drawn = [each.chunk.id for each in draw_passages(application.store, documents, seed=5)]
    assert drawn == [each.chunk.id for each in draw_passages(application.store, documents, seed=5)]
    assert len(set(drawn)) == len(drawn)
    names = [each.document_name for each in draw_passages(application.store, documents, seed=5)]
    assert set(names[:2]) == {"guide.md", "notes.txt"}
    alone = choose_documents(application.store, ["guide.md"])
    of_guide = [each.chunk.id for each in draw_passages(application.store, alone, seed=5)]
    assert of_guide == [chunk for chunk, name in zip(drawn, names, strict=True) if name == "guide.md"]


def test_a_row_is_quoted_with_its_header(application: Application) -> None:
    text = "Part | Torque\nCover | 12\nLid | 9"
    passage = next(iter(draw_passages(application.store, choose_documents(application.store, []), seed=1)))
    chunk = replace(passage.chunk, text=text)
    at = text.index("9")
    assert quote(replace(passage, chunk=chunk, sentences=()), Span(at, at + 1)) == "Part | Torque\nLid | 9"


async def test_each_judgement_is_scored_on_the_cases_that_specify_it(application: Application, tmp_path: Path) -> None:
    cases, asked = tmp_path / "ours.jsonl", []
    cases.write_text("\n".join(json.dumps({"kind": "open", **each}) for each in CASES))
    report = await measure_own_cases(
        cases, application.services, engine="embedded", model="m", on_case=lambda: asked.append(1)
    )
    assert (report.source, report.waiting, len(asked)) == ("ours.jsonl", 1, 5)
    right = {"copies": True, "wrong sense": True, "wrong page": True, "wrong answer": False, "unknown": True}
    assert report.hits("right") == right
    scores = {each.metric: (each.value, each.n) for each in report.scores}
    assert scores == {"right": (4 / 5, 5), "jargon": (1 / 2, 2), "recall": (3 / 4, 4), "citation": (3 / 4, 4),
                      "answer": (3 / 4, 4)}  # fmt: skip
    text = "\n".join(report_text(report))
    assert "wrong page (open) wrong in recall, citation: How long is the retention" in text
    assert "got answered: The retention of audit records is 400 days" in text
