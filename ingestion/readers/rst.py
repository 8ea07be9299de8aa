"""reStructuredText, converted to HTML by docutils and read as a web page, without included files and raw markup."""

import io
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import Any

from docutils import core, nodes

from contracts.text import Block, Page
from ingestion.limits import IngestionLimits
from ingestion.readers.encoding import decode_text
from ingestion.readers.html import markup_blocks
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
    "math_output": "LaTeX",
    "embed_stylesheet": False,
    "initial_header_level": 1,
    "footnote_backlinks": False,
}
# docutils takes seven seconds for a million characters, and gives up on long lines.
_MOST_CHARACTERS = 4_000_000
_MOST_LINE_CHARACTERS = 10_000
_MAX_DEPTH = 5
_ERROR_LEVEL = 3
_DIRECTIVE = re.compile(r"\.\. ([\w:+.-]+)::[ \t]*(.*)")
_UNKNOWN_OPTION = re.compile(r'unknown option: "([\w-]+)"')
_OPTION = re.compile(r"\s*:[\w-]+:(\s.*)?$")
_ROLE = re.compile(r":[\w:+.-]+:`(.+?)(?:\s*<[^<>]*>)?`", re.DOTALL)
# Sphinx's directives without text: lists of files, places for generated text, settings.
_EMPTY = re.compile(
    r"toctree|auto\w+|index|(?:py:)?(?:current)?module|highlight|tabularcolumns|default-domain|literalinclude|include"
    r"|raw|sectionauthor|codeauthor|autosummary|bibliography|contents"
)
# Directives whose argument is for the program, not for readers.
_UNNAMED = re.compile(r"only|ifconfig|rst-class|cssclass|grid|tab-set|card-carousel|container|figure-md")
# Another form of a described function or option; a statement about a setting.
_SIGNATURE = re.compile(r"\s+(?:-|[\w.]+\()")
_TOLD = re.compile(r"\s*:((?:type|default|value|units?|required|choices): .*\S)")
_MOST_ITEM_WORDS = 70
_VERSIONS = {"versionadded": "Added in", "versionchanged": "Changed in", "deprecated": "Deprecated since"}
_CODE = re.compile(r"mermaid|graphviz|digraph|uml|plantuml|prompt|testcode|testoutput|doctest|ipython|parsed-literal")
_FILES = "texts to be included from other files were"


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read a reStructuredText file as one page; parts that docutils cannot parse become plain text, with a warning.

    Raises:
        UnreadableFile: the bytes are not text.
    """
    text, warnings = decode_text(path)
    blocks, noted = rst_blocks(text)
    yield Page(number=1, blocks=blocks, warnings=(*warnings, *noted))


def rst_blocks(text: str) -> tuple[tuple[Block, ...], tuple[str, ...]]:
    """Read reStructuredText; return its blocks and warnings."""
    if len(text) > _MOST_CHARACTERS or max(map(len, text.split("\n"))) > _MOST_LINE_CHARACTERS:
        return tuple(plain_blocks(text)), ("it is too long for reStructuredText; read as plain text",)
    left_out: Counter[str] = Counter()
    try:
        document = _parse(text, 0, left_out)
        settings = {**_SETTINGS, "warning_stream": io.StringIO(), "output_encoding": "unicode"}
        markup = core.publish_from_doctree(document, writer="html5", settings_overrides=settings)
        blocks, hidden = markup_blocks(markup)
    except Exception as error:
        # docutils fails on documents that its authors did not expect, or that are nested too deeply.
        reason = f"docutils cannot parse it ({type(error).__name__}); read as plain text"
        return tuple(plain_blocks(text)), (reason,)
    return blocks, (*(f"{count} {what} left out" for what, count in left_out.items()), *hidden)


def _parse(text: str, depth: int, left_out: Counter[str]) -> nodes.document:
    """Parse ``text``; turn constructs of Sphinx and other tools into ordinary text."""
    settings = {**_SETTINGS, "warning_stream": io.StringIO()}
    document = core.publish_doctree(text, settings_overrides=settings)
    for message in list(document.findall(nodes.system_message)):
        message.parent.replace(message, _meant(message, depth, left_out))
    for problem in list(document.findall(nodes.problematic)):
        problem.parent.replace(problem, nodes.Text(_ROLE.sub(r"\1", problem.astext())))
    for image in document.findall(nodes.image):
        image["alt"] = image.get("alt", "")
    boxes = [each for each in document.findall() if isinstance(each, (nodes.Admonition, nodes.topic, nodes.sidebar))]
    for note in [each for each in boxes if "contents" not in each["classes"]]:
        titled = isinstance(note[0], nodes.title)
        label = note[0].astext() if titled else type(note).__name__.capitalize()
        note.parent.replace(note, _labelled(label, note.children[titled:]))
    for classifier in list(document.findall(nodes.classifier)):
        classifier.parent[0].append(nodes.Text(f" ({classifier.astext()})"))
        classifier.parent.remove(classifier)
    for rubric in list(document.findall(nodes.rubric)):
        rubric.parent.replace(rubric, nodes.paragraph("", "", nodes.strong("", rubric.astext())))
    first = next((each for each in document.findall(nodes.Body) if not isinstance(each, nodes.Invisible)), None)
    if isinstance(first, nodes.field_list) and depth == 0:
        # Author, date and abstract are not items of one list: each is quoted without the others.
        for name, body in (field.children for field in first):
            if isinstance(next(iter(body), None), nodes.paragraph):
                body[0].insert(0, nodes.Text(f"{name.astext()}: "))
        first.parent.replace(first, [part for _, body in (field.children for field in first) for part in body])
    return document


def _meant(message: Any, depth: int, left_out: Counter[str]) -> list[nodes.Node]:
    """Return the content of a passage that docutils replaced with a message; its words are nowhere else in the tree."""
    said = message.children[0].astext() if message.children else ""
    source = next((child.astext() for child in message.children if isinstance(child, nodes.literal_block)), "")
    if "directive disabled" in said or "access deactivated" in said:
        left_out["raw passages were" if said.startswith('"raw"') else _FILES] += 1
    elif said.startswith("Unknown directive type"):
        return _directive(source, depth, left_out)
    elif (option := _UNKNOWN_OPTION.search(said)) and depth < _MAX_DEPTH:
        line = re.compile(rf"^ +:{re.escape(option[1])}:[ \t]*(.*)\n?", re.MULTILINE)
        caption = "".join(line.findall(source)[:1]) if option[1] == "caption" else ""
        return list(_parse(f"{caption}\n\n{line.sub('', source, count=1)}", depth + 1, left_out).children)
    elif message["level"] >= _ERROR_LEVEL and source:
        left_out["faulty constructs were taken as plain text, markup"] += 1
        return _plain(source)
    return []


def _directive(source: str, depth: int, left_out: Counter[str]) -> list[nodes.Node]:
    """Read a directive of Sphinx or another tool by its form: argument, options, content."""
    first, _, rest = source.partition("\n")
    match = _DIRECTIVE.match(first)
    if match is None or depth >= _MAX_DEPTH:
        return _plain(source)
    name, argument = match.groups()
    if _EMPTY.fullmatch(name):
        if name == "literalinclude":
            left_out[_FILES] += 1
        return []
    lines = rest.split("\n")
    signatures = list(takewhile(_SIGNATURE.match, lines))
    told = [option[1] for line in lines if (option := _TOLD.match(line))]
    lines = list(dropwhile(lambda line: _OPTION.match(line) or not line.strip(), lines[len(signatures) :]))
    content = textwrap.dedent("\n".join(lines)).strip("\n")
    if _CODE.fullmatch(name):
        return [nodes.literal_block("", content or argument)]
    said = f"{_VERSIONS[name]} version {argument}" if name in _VERSIONS else argument
    label = ", ".join([_ROLE.sub(r"\1", said).replace("``", ""), *map(str.strip, signatures)])
    label = "" if _UNNAMED.fullmatch(name) else f"{label} ({', '.join(told)})" if told else label
    body = _parse(content, depth + 1, left_out).children
    is_item = name not in _VERSIONS and len(content.split()) <= _MOST_ITEM_WORDS
    if is_item and body and label and label[-1] not in ".:?!":
        item = nodes.definition_list_item("", nodes.term("", label), nodes.definition("", *body))
        return [nodes.definition_list("", item)]
    return _labelled(label, body)


def _labelled(label: str, content: list[nodes.Node]) -> list[nodes.Node]:
    """Put a label before the text that it belongs to ("Note: ..."), or in a paragraph above other content."""
    if not content or not label or label[-1] in ".:?!":
        return [*([nodes.paragraph("", label)] if label else []), *content]
    if not isinstance(content[0], nodes.paragraph):
        return [nodes.paragraph("", f"{label}:"), *content]
    content[0].insert(0, nodes.Text(f"{label}: "))
    return content


def _plain(source: str) -> list[nodes.Node]:
    return [
        (nodes.literal_block if block.kind == "table" else nodes.paragraph)("", block.text)
        for block in plain_blocks(source)
    ]
