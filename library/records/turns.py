"""Stores new turns, several at a time and each only once."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Engine, case, insert, literal, select

from contracts.records import TurnRecord
from database.columns import UtcTime
from database.statements import upsert
from database.transactions import writing
from library.records.rows import groups_now, named_documents, row_of_turn
from library.records.tables import conversations, turn_documents, turns

_TITLE_CHARACTERS = 80


class TurnStore:
    """Stores answered questions. The calls block and are thread-safe. ``engine_name`` is the profile and model."""

    def __init__(self, engine: Engine, *, engine_name: str = "") -> None:
        self._engine = engine
        self._engine_name = engine_name

    def add(self, given: Sequence[TurnRecord]) -> int:
        """Store turns in one transaction, and return their number; skip existing turns. Raises ``Unavailable``."""
        with writing(self._engine) as connection:
            return sum(self._add(connection, turn) for turn in given)

    def _add(self, connection: Connection, turn: TurnRecord) -> bool:
        if connection.execute(select(turns.c.id).where(turns.c.id == turn.id)).first() is not None:
            return False
        _touch(connection, turn)
        connection.execute(insert(turns), [row_of_turn(turn, self._engine_name)])
        named = _rows_of_documents(connection, turn)
        if named:
            connection.execute(insert(turn_documents), named)
        return True


def title_of(question: str) -> str:
    """Return the initial title of a conversation that begins with ``question``."""
    words = " ".join(question.split())
    if len(words) <= _TITLE_CHARACTERS:
        return words
    return words[: _TITLE_CHARACTERS - 1].rsplit(" ", 1)[0] + "…"


def _touch(connection: Connection, turn: TurnRecord) -> None:
    """Create the conversation, or update its time; a late turn does not move the time back."""
    title = title_of(turn.answer.question)
    new = upsert(connection, conversations).values(
        account=turn.asker.account,
        id=turn.conversation_id,
        title=title,
        folded=title.casefold(),
        started_at=turn.asked_at,
        changed_at=turn.asked_at,
        version=1,
    )
    given = literal(turn.asked_at, UtcTime())
    later = case((conversations.c.changed_at < given, given), else_=conversations.c.changed_at)
    again = {"version": conversations.c.version + 1, "changed_at": later}
    connection.execute(new.on_conflict_do_update(index_elements=["account", "id"], set_=again))


def _rows_of_documents(connection: Connection, turn: TurnRecord) -> list[dict[str, Any]]:
    named = named_documents(turn.answer)
    groups = groups_now(connection, named)
    return [
        {"turn_id": turn.id, "document_id": document_id, "name": name, "access_group": groups.get(document_id)}
        for document_id, name in named.items()
    ]
