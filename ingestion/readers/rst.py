"""reStructuredText, as docutils parses it; no other file is read and no raw markup is passed on."""

import io
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docutils import core, nodes

from contracts.text import Block, BlockKind, Page
from ingestion.limits import IngestionLimits
from ingestion.readers.containers import check_markup
from ingestion.readers.encoding import decode_text
from ingestion.readers.grid import SpanningCell, grid_block, one_line, spread_cells
from ingestion.readers.text import plain_blocks
from tools.ocr import OcrEngine

_SETTINGS = {
    "_disable_config": True,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,
    "halt_level": 6,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "syntax_highlight": "none",
    "smart_quotes": False,
}
# docutils takes seven seconds for a million characters, and gives up on long lines.
_MOST_CHARACTERS = 4_000_000
_MOST_LINE_CHARACTERS = 10_000
_MAX_DEPTH = 5
_ERROR_LEVEL = 3
_DIRECTIVE = re.compile(r"\.\. ([\w:+.-]+)::[ \t]*(.*)")
_OPTION = re.compile(r"\s*:[\w-]+:(\s.*)?$")
_ROLE = re.compile(r":[\w:+.-]+:`(.+?)(?:\s*<[^<>]*>)?`", re.DOTALL)
# Sphinx's directives that hold no text of their own: lists of files, places of generated text, settings.
_EMPTY = re.compile(
    r"toctree|auto\w+|index|(?:py:)?(?:current)?module|highlight|tabularcolumns|default-domain|literalinclude|include"
    r"|raw|sectionauthor|codeauthor|autosummary|bibliography|contents"
)
_VERSIONS = {"versionadded": "Added in", "versionchanged": "Changed in", "deprecated": "Deprecated since"}
_CODE = re.compile(r"mermaid|graphviz|digraph|uml|plantuml|prompt|testcode|testoutput|doctest|ipython|parsed-literal")


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read a reStructuredText file as one page; what docutils cannot take is read as plain text, with a warning.

    Raises:
        UnreadableFile: the bytes are no text, or too many.
    """
    check_markup(path, limits)
    text, warnings = decode_text(path)
    blocks, noted = rst_blocks(text)
    yield Page(number=1, blocks=blocks, warnings=(*warnings, *noted))


def rst_blocks(text: str) -> tuple[tuple[Block, ...], tuple[str, ...]]:
    """Read reStructuredText; return its blocks and warnings."""
    if len(text) > _MOST_CHARACTERS:
        return tuple(plain_blocks(text)), ("it is too long for reStructuredText; read as plain text",)
    if max(map(len, text.split("\n"))) > _MOST_LINE_CHARACTERS:
        return tuple(plain_blocks(text)), ("its lines are too long for reStructuredText; read as plain text",)
    walk = _Walk()
    try:
        walk.visit(_parse(text), 0)
    except RecursionError:
        return tuple(plain_blocks(text)), ("it is nested too deeply; read as plain text",)
    except Exception as error:
        # docutils meets a document that its authors did not think of.
        reason = f"docutils cannot parse it ({type(error).__name__}); read as plain text"
        return tuple(plain_blocks(text)), (reason,)
    return tuple(walk.blocks), walk.warnings()


def _parse(text: str) -> nodes.document:
    settings = {**_SETTINGS, "warning_stream": io.StringIO()}
    return core.publish_doctree(text, settings_overrides=settings)


@dataclass(slots=True)
class _Walk:
    """One walk through the tree of a document."""

    blocks: list[Block] = field(default_factory=list)
    depth: int = 0
    left_out: dict[str, int] = field(default_factory=dict)

    def warnings(self) -> tuple[str, ...]:
        """Say what was left out."""
        return tuple(f"{count} {what} left out" for what, count in self.left_out.items())

    def visit(self, node: nodes.Node, level: int) -> None:
        """Write a node and what is below it; ``level`` is that of the section it stands in."""
        for child in node.children:
            self._visit_one(child, level)

    def _visit_one(self, node: Any, level: int) -> None:
        if isinstance(node, nodes.section):
            if "system-messages" not in node["classes"]:
                self.visit(node, level + 1)
        elif isinstance(node, nodes.title):
            self._add("heading" if isinstance(node.parent, nodes.section) else "paragraph", _line(node), max(level, 1))
        elif isinstance(node, nodes.system_message):
            self._message(node, level)
        elif isinstance(node, nodes.paragraph | nodes.subtitle | nodes.rubric | nodes.attribution | nodes.line_block):
            self._add("paragraph", _line(node) if not isinstance(node, nodes.line_block) else _verse(node))
        elif isinstance(node, nodes.math_block):
            self._add("code", node.astext())
        elif isinstance(node, nodes.literal_block | nodes.doctest_block):
            self._add("code", node.astext().strip("\n"))
        elif isinstance(node, nodes.bullet_list | nodes.enumerated_list):
            self._list(node, level)
        elif isinstance(node, nodes.definition_list | nodes.field_list | nodes.option_list):
            self._terms(node, level)
        elif isinstance(node, nodes.table):
            self._table(node)
        elif isinstance(node, nodes.footnote | nodes.citation):
            self._add("notes", _line(node))
        elif isinstance(node, nodes.image):
            self._add("paragraph", str(node.get("alt", "")))
        elif isinstance(node, nodes.caption):
            self._add("caption", _line(node))
        elif isinstance(node, nodes.Admonition):
            self._admonition(node, level)
        elif not isinstance(node, nodes.Invisible | nodes.raw | nodes.Text):
            self.visit(node, level)

    def _admonition(self, node: Any, level: int) -> None:
        at = len(self.blocks)
        self.visit(node, level)
        name = type(node).__name__
        if name != "admonition" and at < len(self.blocks) and self.blocks[at].kind == "paragraph":
            said = self.blocks[at].text
            self.blocks[at] = Block(kind="paragraph", text=f"{name.capitalize()}: {said}")

    def _add(self, kind: BlockKind, text: str, level: int = 0) -> None:
        if text.strip():
            self.blocks.append(Block(kind=kind, text=text, level=level if kind == "heading" else 0))

    def _list(self, node: Any, level: int) -> None:
        inside = any(True for _ in node.findall(lambda each: isinstance(each, nodes.table | nodes.literal_block)))
        if not inside:
            self._add("list", "\n".join(_items(node, 0)))
            return
        # Code and tables in items stand as blocks of their own, between the items.
        for number, item in enumerate(node.children, start=int(node.get("start", 1))):
            head = item.children[:1] if item.children and isinstance(item.children[0], nodes.paragraph) else []
            mark = f"{number}. " if isinstance(node, nodes.enumerated_list) else "- "
            self._add("list", mark + _line(head[0]) if head else "")
            for child in item.children[len(head) :]:
                self._visit_one(child, level)

    def _terms(self, node: Any, level: int) -> None:
        """Write definitions, fields and options, a line each; what is more than a paragraph follows as blocks."""
        lines: list[str] = []
        for item in node.children:
            names = [child for child in item.children if isinstance(child, _NAMES)]
            bodies = [child for child in item.children if isinstance(child, _BODIES)]
            name = ", ".join(_line(each) for each in names)
            children = [child for body in bodies for child in body.children]
            first = children[0] if children and isinstance(children[0], nodes.paragraph) else None
            lines.append(f"{name}: {_line(first)}" if first is not None else name)
            rest = children[1:] if first is not None else children
            if rest:
                self._add("list", "\n".join(lines))
                lines = []
                for child in rest:
                    self._visit_one(child, level)
        self._add("list", "\n".join(lines))

    def _table(self, table: Any) -> None:
        caption = next((child for child in table.children if isinstance(child, nodes.title)), None)
        if caption is not None:
            self._add("caption", _line(caption))
        heads = [_cells(row, names_all=True) for head in table.findall(nodes.thead) for row in head.children]
        rows = [_cells(row, names_all=False) for body in table.findall(nodes.tbody) for row in body.children]
        block = grid_block(spread_cells([*heads, *rows]), header_rows=len(heads) or None)
        if block is not None:
            self.blocks.append(block)

    def _message(self, node: Any, level: int) -> None:
        said = node.children[0].astext() if node.children else ""
        source = next((child.astext() for child in node.children if isinstance(child, nodes.literal_block)), "")
        if "directive disabled" in said or "access deactivated" in said:
            what = "raw passages were" if said.startswith('"raw"') else "texts to be included from other files were"
            self._count(what)
        elif said.startswith("Unknown directive type"):
            self._directive(source, level)
        elif node["level"] >= _ERROR_LEVEL and source:
            # The words stand nowhere else in the tree.
            self._count("faulty constructs were taken as plain text, markup")
            self.blocks += plain_blocks(source)

    def _directive(self, source: str, level: int) -> None:
        """Read a directive of Sphinx or another tool by its form: argument, options, content."""
        first, _, rest = source.partition("\n")
        match = _DIRECTIVE.match(first)
        if match is None or self.depth >= _MAX_DEPTH:
            self.blocks += plain_blocks(source)
            return
        name, argument = match.groups()
        if _EMPTY.fullmatch(name):
            if name == "literalinclude":
                self._count("texts to be included from other files were")
            return
        lines = rest.split("\n")
        while lines and (_OPTION.match(lines[0]) or not lines[0].strip()):
            lines.pop(0)
        content = textwrap.dedent("\n".join(lines)).strip("\n")
        if _CODE.fullmatch(name):
            self._add("code", content or argument)
            return
        said = f"{_VERSIONS[name]} version {argument}" if name in _VERSIONS else argument
        self._add("paragraph", _plain_roles(said))
        inner = _Walk(depth=self.depth + 1, left_out=self.left_out)
        inner.visit(_parse(content), level)
        self.blocks += inner.blocks

    def _count(self, what: str) -> None:
        self.left_out[what] = self.left_out.get(what, 0) + 1


_NAMES = (nodes.term, nodes.field_name, nodes.option_group)
_BODIES = (nodes.definition, nodes.field_body, nodes.description)


def _plain_roles(text: str) -> str:
    return " ".join(_ROLE.sub(r"\1", text).replace("``", "").split())


def _line(node: Any) -> str:
    """Return a node's text on one line; footnotes keep their label, unknown roles give their words."""
    parts: list[str] = []
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, nodes.problematic):
            parts.append(_ROLE.sub(r"\1", each.astext()))
        elif isinstance(each, nodes.footnote_reference):
            parts.append(f"[{each.astext()}]")
        elif isinstance(each, nodes.label):
            parts.append(f"[{each.astext()}] ")
        elif isinstance(each, nodes.image):
            parts.append(str(each.get("alt", "")))
        elif isinstance(each, nodes.Text):
            parts.append(str(each))
        elif not isinstance(each, nodes.system_message | nodes.raw):
            if isinstance(each, nodes.paragraph | nodes.list_item | nodes.option):
                parts.append(" ")
            pending.extend(reversed(each.children))
    return " ".join("".join(parts).replace("\x00", "").split())


def _verse(node: Any) -> str:
    return "\n".join(_line(each) for each in node.findall(nodes.line) if _line(each))


def _items(node: Any, depth: int) -> Iterator[str]:
    start = int(node.get("start", 1))
    for number, item in enumerate(node.children, start=start):
        mark = f"{number}. " if isinstance(node, nodes.enumerated_list) else "- "
        lists = [child for child in item.children if isinstance(child, nodes.bullet_list | nodes.enumerated_list)]
        text = " ".join(_line(child) for child in item.children if child not in lists)
        yield "  " * depth + mark + text
        for each in lists:
            yield from _items(each, depth + 1)


def _cells(row: Any, *, names_all: bool) -> list[SpanningCell]:
    return [
        SpanningCell(
            one_line(_line(entry)), 1 + int(entry.get("morecols", 0)), 1 + int(entry.get("morerows", 0)), names_all
        )
        for entry in row.children
    ]
