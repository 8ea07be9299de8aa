"""Markdown to HTML for answers: links, pictures and HTML are not rendered; citation markers become buttons."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markupsafe import Markup

from contracts.answer import CheckedSentence
from ui.html import escape
from ui.words import Words

CiteButton = Callable[[int], Markup | None]

_WEAK = frozenset({"unfaithful", "partial"})
# A citation in an answer: [2], or [1, 3].
MARKER = re.compile(r"(?<!\w)\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
# Private-use characters stand for the start (then the sentence's index) and the end of a marked sentence.
_START, _END, _FIRST_INDEX, _MAX_MARKED = "\ue000", "\ue001", 0xE100, 1_000
_PRIVATE = re.compile(r"[\ue000-\uf8ff]")
_OPENING = re.compile(_START + r"(.)")
_LIST_MARK = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s+")
_MAX_CHARACTERS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedSentence:
    """A sentence of the text to be underlined: its class and its tooltip."""

    text: str
    css_class: str
    remark: str


def weak_sentences(sentences: Sequence[CheckedSentence], words: Words) -> list[MarkedSentence]:
    """Return the sentences to underline, each with the reason."""
    return [
        MarkedSentence(
            text=each.text,
            css_class=each.label,
            remark=" ".join(filter(None, [words(f"chat.sentence_label.{each.label}"), each.reason])),
        )
        for each in sentences
        if each.label in _WEAK
    ]


def render_markdown(
    text: str, *, cite: CiteButton | None = None, marked: Sequence[MarkedSentence] = (), words: Words | None = None
) -> tuple[Markup, tuple[MarkedSentence, ...]]:
    """Render ``text``; also return the ``marked`` sentences that could not be found in it.

    ``cite`` makes the button for a citation number, or returns None if that number cites nothing. ``words`` are the
    texts for the button that copies code; without them there is no such button.
    """
    cleaned = _PRIVATE.sub("", text[:_MAX_CHARACTERS])
    with_marks, unmatched = _insert_marks(cleaned, marked[:_MAX_MARKED])
    rendered = str(_parser().render(with_marks, {"cite": cite, "words": words}))
    rendered = _OPENING.sub(lambda match: _open_mark(marked, match.group(1)), rendered)
    return Markup(rendered.replace(_END, "</span>")), (*unmatched, *marked[_MAX_MARKED:])


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    """Build the parser, which keeps no state between texts."""
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "typographer": False, "breaks": True})
    parser.enable(["table", "strikethrough"])
    # Links and pictures could lead to other sites or load from them; an escaped bracket, joined with other text, could
    # be taken for a citation marker.
    parser.disable(["link", "image", "autolink", "html_inline", "html_block", "reference", "text_join"])
    for name, rule in (("text", _text), ("text_special", _special), ("fence", _code), ("code_block", _code)):
        parser.add_render_rule(name, rule)
    parser.add_render_rule("table_open", lambda *_: '<div class="table-scroll" tabindex="0"><table>')
    parser.add_render_rule("table_close", lambda *_: "</table></div>")
    return parser


def _text(_: RendererHTML, tokens: Sequence[Any], index: int, __: Any, env: Mapping[str, Any]) -> str:
    content, cite = str(tokens[index].content), env.get("cite")
    if cite is None:
        return escape(content)
    parts: list[Markup] = []
    end = 0
    for match in MARKER.finditer(content):
        buttons = [cite(int(number)) for number in re.findall(r"\d+", match.group(1))]
        if any(button is None for button in buttons):
            continue
        # A document's title on a button may contain the private characters that represent marks here.
        written = [Markup(_PRIVATE.sub("", button)) for button in buttons if button is not None]
        parts += [escape(content[end : match.start()].rstrip(" ")), *written]
        end = match.end()
    return "".join([*parts, escape(content[end:])])


def _special(_: RendererHTML, tokens: Sequence[Any], index: int, __: Any, ___: Any) -> str:
    return escape(str(tokens[index].content))


def _code(_: RendererHTML, tokens: Sequence[Any], index: int, __: Any, env: Mapping[str, Any]) -> str:
    code = escape(str(tokens[index].content).rstrip("\n"))
    if (words := env.get("words")) is None:
        return Markup("<pre><code>{}</code></pre>").format(code)
    block = '<div class="code"><pre tabindex="0"><code>{}</code></pre><button type="button" class="tool" data-copy="{}"'
    button = ' data-copied="{}" data-failed="{}">{}</button></div>'
    labels = (words("chat.feedback.copied"), words("chat.feedback.not_copied"), words("chat.copy_code"))
    return Markup(block + button).format(code, code, *labels)


def _insert_marks(text: str, marked: Sequence[MarkedSentence]) -> tuple[str, tuple[MarkedSentence, ...]]:
    unmatched: list[MarkedSentence] = []
    pieces: list[str] = []
    position = 0
    for index, sentence in enumerate(marked):
        # Citation markers come before a sentence's final punctuation, so only the text before it can be found verbatim.
        wanted = _PRIVATE.sub("", sentence.text).strip().rstrip(".!?…。！？")
        start = text.find(wanted, position) if wanted else -1
        # A mark across several lines or table cells would open in one element and close in another.
        if start < 0 or "\n" in wanted or "|" in wanted:
            unmatched.append(sentence)
            continue
        end = start + len(wanted)
        if mark := _LIST_MARK.match(wanted):
            start += mark.end()
        pieces += [text[position:start], _START, chr(_FIRST_INDEX + index), text[start:end], _END]
        position = end
    return "".join([*pieces, text[position:]]), tuple(unmatched)


def _open_mark(marked: Sequence[MarkedSentence], character: str) -> str:
    sentence = marked[ord(character) - _FIRST_INDEX]
    opened = Markup('<span class="weak {}" tabindex="0"><span class="tip" role="note">{}</span>')
    return opened.format(escape(sentence.css_class), escape(sentence.remark))
