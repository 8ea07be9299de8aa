"""What a document loader brought: its text, read by its form, and the title that the loader named."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contracts.errors import UnreadableFile
from contracts.text import Page
from ingestion.limits import IngestionLimits
from ingestion.readers.encoding import cleaned
from ingestion.readers.html import markup_blocks
from ingestion.readers.markdown import markdown_blocks
from ingestion.readers.text import plain_blocks
from tools.ocr import OcrEngine

_HTML = re.compile(r"\s*(?:<!doctype html|<html[\s>]|<(?:p|div|h[1-6]|table|ul|ol|body)[\s>])", re.IGNORECASE)
_MARKDOWN = re.compile(r"^(?:#{1,6} \S|```|\|[ :-]+\|)", re.MULTILINE)
_PLAIN_SOURCE = re.compile(r"\.(?:txt|log|csv|tsv|json|ya?ml|py|sh|toml|ini|conf)(?:#.*)?$", re.IGNORECASE)

_KEYS = ("source", "text", "title")


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read a spooled document as one page: HTML and Markdown by their marks, anything else as plain text.

    Raises:
        UnreadableFile: the file was not written by a loader.
    """
    content = _content(path)
    text = cleaned(content["text"]).replace("\r\n", "\n")
    warnings: tuple[str, ...] = ()
    if _HTML.match(text):
        blocks, warnings = markup_blocks(text)
    elif _MARKDOWN.search(text) and not _PLAIN_SOURCE.search(content["source"]):
        blocks, warnings = markdown_blocks(text)
    else:
        blocks = tuple(plain_blocks(text))
    yield Page(number=1, blocks=blocks, warnings=warnings)


def title(path: Path) -> str:
    """Return the title that the loader named, or ""."""
    return str(_content(path)["title"])


def _content(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UnreadableFile(str(path), f"it was not written by a document loader ({error})") from error
    if not isinstance(content, dict) or not all(isinstance(content.get(key), str) for key in _KEYS):
        raise UnreadableFile(str(path), "it was not written by a document loader")
    return content
