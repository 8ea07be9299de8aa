"""Listing: whole lists and procedures, with the sentence that leads them in."""

from collections.abc import Sequence

from intrinsics.answer_generation.pieces import Piece
from tools.reading.scoring import ScoredStatement
from tools.reading.statements import Statement

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
