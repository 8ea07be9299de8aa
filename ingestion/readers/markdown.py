"""Markdown: its lines as headings, paragraphs, lists, tables and code."""

import re
from collections.abc import Iterator

from contracts.text import Block
from ingestion.readers.grid import grid_block

_HEADING = re.compile(r"^ {0,3}(#{1,6})(?:\s+(\S.*)?)?$")
_CLOSING_MARKS = re.compile(r"(?:^|(?<=\s))#+$")
_FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-{2,})\s*$")
_RULE = re.compile(r"^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$")
_ITEM = re.compile(r"^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$")
_SEPARATOR = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_TAG = re.compile(
    r"</?(?:br|p|div|span|sub|sup|b|i|em|strong|a|img|kbd|details|summary|center)\b[^<>]{0,2000}>", re.IGNORECASE
)
# Longer lines and paragraphs are no Markdown that a person wrote: their marks are left as they are.
_MOST_MARKED_CHARACTERS = 20_000
_MOST_SEPARATOR_CHARACTERS = 2_000

_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)\n", re.DOTALL)


def front_matter_title(text: str) -> str:
    """Return the title in the front matter of a Markdown file, or ""."""
    matter = _FRONT_MATTER.match(text)
    found = re.search(r"^title\s*:\s*(.+?)\s*$", matter.group(1), re.MULTILINE) if matter else None
    return found.group(1).strip("\"'") if found else ""


def markdown_blocks(text: str) -> list[Block]:
    """Read Markdown; marks of emphasis and addresses of links are left out."""
    return list(_Lines(_without_comments(_FRONT_MATTER.sub("", text)).expandtabs(4).split("\n")).blocks())


def _without_comments(text: str) -> str:
    parts: list[str] = []
    done = 0
    while (start := text.find("<!--", done)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts.append(text[done:start])
        done = end + 3
    return "".join((*parts, text[done:]))


class _Lines:
    """The lines of a document and how far they are read."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def blocks(self) -> Iterator[Block]:
        """Yield block after block."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if len(line) > _MOST_MARKED_CHARACTERS:
                yield from _block_of("paragraph", plain(self._next()))
            elif not line.strip() or _RULE.match(line):
                self._at += 1
            elif heading := _HEADING.match(line):
                self._at += 1
                words = _CLOSING_MARKS.sub("", (heading.group(2) or "").rstrip())
                yield from _block_of("heading", plain(words), len(heading.group(1)))
            elif _FENCE.match(line):
                yield from self._fenced()
            elif self._at_table():
                yield from self._table()
            elif _ITEM.match(line):
                yield from self._list()
            elif line.startswith("    "):
                yield from self._indented()
            else:
                yield from self._paragraph()

    def _next(self) -> str:
        self._at += 1
        return self._lines[self._at - 1]

    def _more(self) -> bool:
        return self._at < len(self._lines)

    def _fenced(self) -> Iterator[Block]:
        opening = _FENCE.match(self._next())
        assert opening is not None
        code = []
        while self._more():
            line = self._next()
            closing = _FENCE.match(line)
            if closing and closing.group(1).startswith(opening.group(1)) and not line.strip(" `~"):
                break
            code.append(line)
        yield from _block_of("code", "\n".join(code).strip("\n"))

    def _indented(self) -> Iterator[Block]:
        code = []
        while self._more() and (self._lines[self._at].startswith("    ") or not self._lines[self._at].strip()):
            code.append(self._next()[4:])
        yield from _block_of("code", "\n".join(code).strip("\n"))

    def _at_table(self) -> bool:
        following = self._lines[self._at + 1] if self._at + 1 < len(self._lines) else ""
        if len(following) > _MOST_SEPARATOR_CHARACTERS:
            return False
        return (
            "|" in self._lines[self._at]
            and "|" in following + "|"
            and bool(_SEPARATOR.match(following) and ("|" in following or ":" in following))
        )

    def _table(self) -> Iterator[Block]:
        rows = [_cells(self._next())]
        self._next()
        while self._more() and "|" in self._lines[self._at] and self._lines[self._at].strip():
            rows.append(_cells(self._next()))
        block = grid_block(rows, header_rows=1 if any(rows[0]) else 0)
        if block is not None:
            yield block

    def _list(self) -> Iterator[Block]:
        items: list[str] = []
        while self._more():
            line = self._lines[self._at]
            item = _ITEM.match(line)
            if item and not _RULE.match(line):
                mark = item.group(2) if item.group(2)[0].isdigit() else "-"
                items.append(f"{' ' * (len(item.group(1)) // 2 * 2)}{mark} {plain(item.group(3))}")
            elif not line.strip():
                after = self._lines[self._at + 1] if self._at + 1 < len(self._lines) else ""
                if not (_ITEM.match(after) or after.startswith("  ")) or _FENCE.match(after.lstrip()):
                    break
            elif _ends_text(line) or self._at_table():
                break
            else:
                items[-1] += " " + plain(line)
            self._at += 1
        yield from _block_of("list", "\n".join(items))

    def _paragraph(self) -> Iterator[Block]:
        lines: list[str] = []
        while self._more():
            line = self._lines[self._at]
            underline = _UNDERLINE.match(line)
            if lines and underline:
                self._at += 1
                level = 1 if underline.group(1)[0] == "=" else 2
                yield from _block_of("heading", plain(" ".join(lines)), level)
                return
            if not line.strip() or _ends_text(line):
                break
            if lines and (self._at_table() or (_ITEM.match(line) and not line.startswith("    "))):
                break
            lines.append(re.sub(r"^\s*(?:>\s?)+", "", line).strip())
            self._at += 1
        yield from _block_of("paragraph", plain(" ".join(lines)))


def _ends_text(line: str) -> bool:
    marks = (_HEADING.match(line), _FENCE.match(line.lstrip()), _RULE.match(line))
    return len(line) > _MOST_MARKED_CHARACTERS or any(marks)


def _block_of(kind: str, text: str, level: int = 0) -> Iterator[Block]:
    if text.strip():
        yield Block(kind=kind, text=text, level=level)  # type: ignore[arg-type]


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [plain(cell.replace("\\|", "¦")) for cell in re.split(r"(?<!\\)\|", inner)]


def plain(text: str) -> str:
    """Return inline Markdown as plain text: what is code keeps its characters, links keep their words."""
    if len(text) > _MOST_MARKED_CHARACTERS:
        return " ".join(text.split())
    parts = re.split(r"(`+)(.{1,1000}?)\1", text)
    out = []
    for index in range(0, len(parts), 3):
        out.append(_plain_words(parts[index]))
        if index + 2 < len(parts):
            out.append(parts[index + 2])
    return " ".join("".join(out).split())


def _plain_words(text: str) -> str:
    text = re.sub(r"!\[([^\]]{0,500})\]\([^)]{0,2000}\)", r"\1", text)
    text = re.sub(r"\[([^\]]{1,1000})\]\((?:[^()]|\([^)]{0,500}\)){0,2000}\)", r"\1", text)
    text = re.sub(r"\[([^\]]{1,1000})\]\[[^\]]{0,200}\]", r"\1", text)
    text = re.sub(r"<((?:https?|mailto):[^<>]{1,2000})>", r"\1", text)
    text = _TAG.sub(" ", text)
    text = re.sub(r"(\*\*|__)(?=\S)(.{1,1000}?)(?<=\S)\1", r"\2", text)
    text = re.sub(r"(?<![\w*])\*(?=\S)([^*]{1,1000}?)(?<=\S)\*(?![\w*])", r"\1", text)
    text = re.sub(r"(?<![\w_])_(?=\S)([^_]{1,1000}?)(?<=\S)_(?![\w_])", r"\1", text)
    return re.sub(r"\\([\\`*_{}\[\]()#+\-.!|<>])", r"\1", text)
