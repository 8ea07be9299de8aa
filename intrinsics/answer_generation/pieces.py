"""Pieces: the parts that an answer is put together from."""

import re
from dataclasses import dataclass

from tools.reading.concepts import coverage, read_words
from tools.reading.features import QuestionView
from tools.reading.statements import Statement

_PRONOUN = re.compile(
    r"^(?:it|its|this|that|these|those|they|their|he|she|his|her|such|both|either|the (?:former|latter|same)|"
    r"however|therefore|otherwise|in addition|also|as a result|for example)\b",
    re.IGNORECASE,
)
_TERMINAL = re.compile(r"[.!?:。！？…][\"'”’)\]]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of an answer: a sentence or a list, and the statements it was taken from (none: from the dictionary)."""

    text: str
    sources: tuple[Statement, ...] = ()
    listing: bool = False


def make_piece(view: QuestionView, statement: Statement) -> Piece:
    """Make a sentence of the answer from a statement, with what it takes to understand it alone.

    A short list item brings the sentence that leads it in; a sentence that begins with a pronoun the one before it, or
    its heading.
    """
    text = statement.text
    if statement.kind == "item" and statement.mark:
        if statement.before.endswith(":") and (len(text.split()) < 8 or _lead_is_needed(view, statement)):
            text = f"{statement.before} {text}"
    elif _PRONOUN.match(text):
        if statement.before and not statement.before.endswith(("?", ":")):
            text = f"{closed(statement.before)} {text}"
        elif statement.place:
            text = f"{statement.place.rsplit(' > ', 1)[-1]}: {text}"
    return Piece(text=closed(text), sources=(statement,))


def closed(text: str) -> str:
    """End a text with a full stop unless it has an end mark."""
    text = text.strip().rstrip(";,")
    return text if not text or _TERMINAL.search(text) else f"{text}."


def _lead_is_needed(view: QuestionView, item: Statement) -> bool:
    alone = coverage(view.focus, read_words(item.text))
    return coverage(view.focus, read_words(f"{item.before} {item.text}")) > alone
