"""Praised turns: those whose askers said that the answer is right."""

from sqlalchemy import Engine

from database.session import reading
from library.records.models import feedback, turns
from library.records.rows import kept_turns, select_turns, visible_to
from library.records.values import Groups, KeptTurn


class PraisedTurnStore:
    """Reads praised turns. Blocking and thread-safe; ``Unavailable`` where the database cannot be used just now."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self, groups: Groups, *, limit: int = 100_000) -> tuple[KeptTurn, ...]:
        """Return the answered turns with a thumb up that who reads ``groups`` may see whole, the oldest first."""
        query = select_turns().where(feedback.c.verdict == "up", turns.c.outcome == "answered")
        query = query.order_by(turns.c.asked_at, turns.c.id).limit(limit)
        with reading(self._engine) as connection:
            rows = connection.execute(query.where(visible_to(connection, groups))).all()
            return tuple(each for each in kept_turns(connection, rows, groups) if not each.withheld)
