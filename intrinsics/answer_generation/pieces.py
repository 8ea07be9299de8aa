"""The parts that an answer is put together from: sentences, whole lists and procedures."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.reading.concepts import coverage, read_words
from tools.reading.features import QuestionView
from tools.reading.scoring import ScoredStatement
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


_MAX_ITEMS = 40


def whole_list(scored: Sequence[ScoredStatement], statements: Sequence[Statement]) -> Piece | None:
    """Give a whole list where one of the best statements belongs to one, or leads one in."""
    for each in scored[:3]:
        if each.score < scored[0].score - 1.0:
            break
        items = items_of(each.statement, statements)
        if sum(bool(item.mark) for item in items) >= 2:
            return list_piece(each.statement, items)
    return None


def list_piece(statement: Statement, items: Sequence[Statement]) -> Piece:
    """Write a list with its lead, a line an item; what carries an item on stays in its line."""
    lead = items[0].before if items[0].before != items[0].place else ""
    lines = [lead] if lead else []
    for item in items:
        if item.mark or not lines:
            mark = item.mark if item.mark[:1].isalnum() or item.mark[:1] == "(" else "-"
            lines.append(f"{mark} {item.text}")
        else:
            lines[-1] = f"{lines[-1]} {item.text}"
    sources = tuple(items) if statement in items else (statement, *items)
    return Piece(text="\n".join(lines), sources=sources, listing=True)


def items_of(statement: Statement, statements: Sequence[Statement]) -> list[Statement]:
    """Return the items of the list that a statement leads in, else of the one that it belongs to."""
    place = next((n for n, each in enumerate(statements) if each is statement), len(statements))
    following = statements[place + 1] if place + 1 < len(statements) else None
    leads = following is not None and following.kind == "item" and following.passage == statement.passage
    if leads and following is not None and following.before == statement.text and following.mark:
        block = following.block
    elif statement.kind == "item":
        block = statement.block
    else:
        return []
    same = [each for each in statements if each.passage == statement.passage and each.block == block]
    return [each for each in same if each.kind == "item"][:_MAX_ITEMS]
