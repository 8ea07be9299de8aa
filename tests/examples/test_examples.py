"""Check that the quiz stands on the pages it cites and that the example files can be drawn again."""

from __future__ import annotations

import csv
import functools
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from examples.make_examples import DOCUMENTS, make_documents
from ingestion.limits import IngestionLimits
from ingestion.workers.tasks import read_file
from tools.ocr.tesseract import TesseractOcr

EXAMPLES = DOCUMENTS.parent
SCAN = "test-and-packaging-scan.pdf"
needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="the scan can only be read by tesseract")


def read_rows(name: str) -> list[dict[str, str]]:
    with (EXAMPLES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


QUIZ: list[dict[str, Any]] = [
    json.loads(line) for line in (EXAMPLES / "quiz.jsonl").read_text(encoding="utf-8").splitlines()
]
ANSWERED = [row for row in QUIZ if row["expect"] == "answered"]
DICTIONARY = read_rows("dictionary.csv")
CONTEXTS = read_rows("contexts.csv")


def squeeze(text: str) -> str:
    return re.sub(r"[\s|]+", "", text).lower()


def read_pages(path: Path) -> list[str]:
    """Return the text of each page, slide or sheet, as the bot reads it; files without pages are one page."""
    found = read_file(path, IngestionLimits(), TesseractOcr() if path.name == SCAN else None).pages
    return ["\n".join(block.text for block in page.blocks) for page in found]


@functools.cache
def committed_pages(name: str) -> tuple[str, ...]:
    return tuple(read_pages(DOCUMENTS / name))


def uncited(rows: list[dict[str, Any]]) -> list[str]:
    """Return the ids of the rows whose answer is not on the cited page."""

    def is_there(row: dict[str, Any]) -> bool:
        page = squeeze(committed_pages(row["document"])[row["page"] - 1])
        return any(squeeze(text) in page for text in [row["answer"], *row["accept"]])

    return [str(row["id"]) for row in rows if not is_there(row)]


def test_answers_occur_on_the_cited_pages() -> None:
    assert uncited([row for row in ANSWERED if row["document"] != SCAN]) == []


@pytest.mark.ocr
@needs_tesseract
def test_answers_occur_on_the_cited_pages_of_the_scan() -> None:
    assert uncited([row for row in ANSWERED if row["document"] == SCAN]) == []


def test_context_examples_are_not_quiz_questions() -> None:
    def words(text: str) -> set[str]:
        return set(re.findall(r"\w+", text.lower()))

    quiz = [words(row["question"]) for row in QUIZ]
    for example in (words(text) for context in CONTEXTS for text in context["examples"].split(" | ")):
        assert all(len(example & asked) / len(example | asked) < 0.6 for asked in quiz), example


@pytest.mark.ocr
@needs_tesseract
def test_unknown_terms_occur_in_no_document() -> None:
    known = " ".join(f"{row['term']} {row['aliases']}" for row in DICTIONARY)
    text = squeeze(known + " ".join(page for path in DOCUMENTS.iterdir() for page in committed_pages(path.name)))
    for row in QUIZ:
        if row["kind"] == "unknown_jargon":
            assert row["term"] in row["question"]
            assert row["term"].lower() not in text


@pytest.mark.ocr
@needs_tesseract
def test_regenerated_documents_have_the_same_text(tmp_path: Path) -> None:
    for path in make_documents(tmp_path):
        if path.read_bytes() != (DOCUMENTS / path.name).read_bytes():
            assert tuple(read_pages(path)) == committed_pages(path.name), path.name
