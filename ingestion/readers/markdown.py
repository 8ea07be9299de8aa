"""Markdown: rendered as HTML by markdown-it and read as a web page."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.common.html_blocks import block_names
from markdown_it.common.utils import escapeHtml

from contracts.text import Block, Page
from ingestion.limits import IngestionLimits
from ingestion.readers.encoding import decode_text
from ingestion.readers.html import markup_blocks
from ingestion.readers.text import plain_blocks
from tools.ocr import OcrEngine

_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)\n", re.DOTALL)
# Longer texts, paragraphs and lines are not Markdown written by a person, and would take minutes.
_MOST_CHARACTERS, _MOST_PARAGRAPH_CHARACTERS, _MOST_LINE_CHARACTERS = 4_000_000, 500_000, 20_000
# Other names in angle brackets are placeholders, as in "golden documents delete <ID>", and stay as text.
_INLINE_TAGS = "a b br code del em i img ins kbd mark q s samp small span strong sub sup u var".split()  # noqa: SIM905
_OTHER_TAG = re.compile(rf"<(?!/?(?:{'|'.join((*block_names, *_INLINE_TAGS, 'pre', 'script', 'style'))})\b|!--)", re.I)

_SEPARATOR = re.compile(r"^[ :-]*\|[ :|-]*$")
# CommonMark leaves the asterisks of "**Note—**as" in the text; other renderers show bold letters.
_LEFT = re.compile(r"\*\*(?=\S)([^*]{1,500}?)(?<=\S)\*\*")


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read a Markdown file as one page. Raises ``UnreadableFile`` if the bytes are not text."""
    text, warnings = decode_text(path)
    blocks, noted = markdown_blocks(text)
    yield Page(number=1, blocks=blocks, warnings=(*warnings, *noted))


def title(path: Path) -> str:
    """Return the title in the file's front matter, or ""."""
    matter = _FRONT_MATTER.match(decode_text(path)[0])
    found = re.search(r"^title\s*:\s*(.+?)\s*$", matter.group(1), re.MULTILINE) if matter else None
    return found.group(1).strip("\"'") if found else ""


def markdown_blocks(text: str) -> tuple[tuple[Block, ...], tuple[str, ...]]:
    """Read Markdown; return its blocks, and warnings about text that its HTML hides."""
    text = _FRONT_MATTER.sub("", text)
    paragraph, line = (max(map(len, text.split(parting))) for parting in ("\n\n", "\n"))
    if len(text) > _MOST_CHARACTERS or paragraph > _MOST_PARAGRAPH_CHARACTERS or line > _MOST_LINE_CHARACTERS:
        return tuple(plain_blocks(text)), ("it is too long for Markdown; read as plain text",)
    return markup_blocks(_parser().render(_widened(text)))


def _widened(text: str) -> str:
    """Give the header of each table as many columns as its rows have: Markdown drops cells beyond the header."""
    lines = text.split("\n")
    for at in range(1, len(lines)):
        if not _SEPARATOR.match(lines[at]):
            continue
        end = at + 1
        while end < len(lines) and "|" in lines[end] and not _SEPARATOR.match(lines[end]):
            end += 1
        missing = max((_bars(line) for line in lines[at + 1 : end]), default=0) - _bars(lines[at])
        if missing > 0:
            lines[at - 1] = lines[at - 1].rstrip().removesuffix("|") + " |" * (missing + 1)
            lines[at] = lines[at].rstrip().removesuffix("|") + "|---" * missing + "|"
    return "\n".join(lines)


def _bars(row: str) -> int:
    return len(re.findall(r"(?<!\\)\|", row.strip().strip("|")))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.add_render_rule("text", lambda self, tokens, at, *_: escapeHtml(_LEFT.sub(r"\1", tokens[at].content)))
    for name in ("html_inline", "html_block"):
        parser.add_render_rule(name, lambda self, tokens, at, *_: _OTHER_TAG.sub("&lt;", tokens[at].content))
    return parser
