"""Markdown: rendered as HTML by markdown-it and read as a web page."""

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.common.html_blocks import block_names
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.deflist import deflist_plugin

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
_INLINE_TAGS = "a b br code del em i img ins kbd mark pre q s samp script small span strong style sub sup u var"
_NAMES = "|".join((*block_names, *_INLINE_TAGS.split()))
_PLACEHOLDER = re.compile(rf"<(?!/?(?:{_NAMES})\b|!--|/[\w-]+>|[\w-]+ [\w:-]+=[\"'{{])", re.IGNORECASE)

_SEPARATOR = re.compile(r"^[ :-]*\|[ :|-]*$")
# CommonMark leaves the asterisks of "**Note—**as" in the text; other renderers show bold text.
_LEFT = re.compile(r"\*\*(?=\S)([^*]{1,500}?)(?<=\S)\*\*")
# "## Ports {#ports}": how a page links to a heading.
_ANCHOR = re.compile(r"^(#{1,6} .{1,200}?)[ \t]*\{:?[ \t]*[#.][^{}\n]*\}[ \t]*$", re.MULTILINE)
# Admonitions and tabs of MkDocs, with indented content; admonitions of Docusaurus, VuePress and others, up to ":::".
_BOX = re.compile(r'(?:(?:!!!|\?\?\?\+?) ?(?P<kind>\w[\w-]*)[ \w-]{0,60}|===[+!]?(?= +"))(?: +"(?P<title>.*)")?\s*')
_CONTAINER = re.compile(
    r"\s*\{?(?P<kind>note|tip|hint|info|success|important|warning|caution|danger|details)\b\}?\s*(?P<title>.*)"
)
# Tags of the templates that build web sites from Markdown: Liquid and Jinja, Hugo, ERB. In code, they are text.
_TAG = r"\{%[^%]{0,1000}%\}|\{\{<[^>]{0,1000}>\}\}|\{\{%[^%]{0,1000}%\}\}|<%[^%]{0,1000}%>"
_CODE_OR_TAG = re.compile(rf"(?P<code>(?P<ticks>`+)[^`]+(?P=ticks))|(?P<link>(?<=\]\())?(?P<tag>{_TAG})")
# GitHub shows "> [!NOTE]" as a remark only if nothing follows on the line.
_ALERT = re.compile(r"\A\[!\w{3,9}\]\s+")
_TITLED_TAG = re.compile(
    r"\W+(?:tab|alert|hint|note|notice|callout|admonition|details|expand)\b\s*"
    r'(?:[^"]*\b(?:title|name|header|label)=)?"([^"]+)"'
)
_HIGHLIGHT = re.compile(
    r"^\{[{%][-<%]? *(?:highlight +(\w+)|(?:end|/ *)highlight\b)[^\n]*[%>]\}\}?[ \t]*$", re.MULTILINE
)


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read a Markdown file as one page. Raises ``UnreadableFile`` if the bytes are not text."""
    text, warnings = decode_text(path)
    blocks, noted = markdown_blocks(text)
    yield Page(number=1, blocks=blocks, warnings=(*warnings, *noted))


def title(path: Path) -> str:
    """Return the title in the file's front matter, or ""."""
    matter = _FRONT_MATTER.match(decode_text(path)[0])
    found = re.search(r"^title\s*:\s*(.+?)\s*$", matter.group(1), re.MULTILINE) if matter else None
    return unescape(found.group(1).strip("\"'")) if found else ""


def markdown_blocks(text: str) -> tuple[tuple[Block, ...], tuple[str, ...]]:
    """Read Markdown; return its blocks, and warnings about text that its HTML hides."""
    text = _FRONT_MATTER.sub("", text)
    paragraph, line = (max(map(len, text.split(parting))) for parting in ("\n\n", "\n"))
    if len(text) > _MOST_CHARACTERS or paragraph > _MOST_PARAGRAPH_CHARACTERS or line > _MOST_LINE_CHARACTERS:
        return tuple(plain_blocks(text)), ("it is too long for Markdown; read as plain text",)
    text = _HIGHLIGHT.sub(r"```\1", text)
    return markup_blocks(_parser().render(_ANCHOR.sub(r"\1", _widened(text))))


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
    parser = MarkdownIt("commonmark", {"alerts": True}).enable(["table", "strikethrough"]).use(deflist_plugin)
    parser.block.ruler.before("fence", "box", _read_box, {"alt": ["paragraph", "blockquote", "list"]})
    parser.use(
        container_plugin,
        "remark",
        validate=lambda params, _: bool(_CONTAINER.fullmatch(params)),
        render=lambda self, tokens, at, *_: _box_tag(_CONTAINER.fullmatch(tokens[at].info)),
    )
    parser.core.ruler.after("block", "template_tags", _remove_template_tags)
    parser.add_render_rule("text", lambda self, tokens, at, *_: escapeHtml(_LEFT.sub(r"\1", tokens[at].content)))
    for name in ("html_inline", "html_block"):
        parser.add_render_rule(name, lambda self, tokens, at, *_: _PLACEHOLDER.sub("&lt;", tokens[at].content))
    return parser


def _remove_template_tags(state: StateCore) -> None:
    for token in state.tokens:
        if token.type in ("inline", "html_block"):
            token.content = _CODE_OR_TAG.sub(_without_tag, _ALERT.sub("", token.content))


def _without_tag(match: re.Match[str]) -> str:
    if match["code"]:
        return match["code"]
    if match["link"] is not None:
        return "#"
    titled = _TITLED_TAG.match(match["tag"])
    return f"**{titled[1]}:**" if titled else ""


def _read_box(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a remark or tab of MkDocs: a marked line, and Markdown that is indented by four spaces below it."""
    box = _BOX.fullmatch(state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]])
    after = start + 1
    while after < end and (state.isEmpty(after) or state.sCount[after] >= state.blkIndent + 4):
        after += 1
    if box is None or state.is_code_block(start) or all(map(state.isEmpty, range(start + 1, after))):
        return False
    if not silent:
        state.push("html_block", "", 0).content = _box_tag(box)
        outer, state.lineMax = state.lineMax, after
        state.blkIndent += 4
        state.md.block.tokenize(state, start + 1, after)
        state.blkIndent -= 4
        state.lineMax, state.line = outer, after
        state.push("html_block", "", 0).content = _box_tag(None)
    return True


def _box_tag(box: re.Match[str] | None) -> str:
    """Return the opening tag of a remark and its title, in HTML; without a match, the closing tag."""
    if box is None:
        return "</div>"
    title = box["title"].strip("[]") if box["title"] else (box["kind"] or "").capitalize()
    return f'<div class="admonition"><p class="title">{_parser().renderInline(title)}</p>\n'
