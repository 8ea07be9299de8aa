"""Reviews: stores the turns that a person should check, and the reviewers' decisions."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Select, and_, false, func, or_, select

from contracts.answer import DECLINED_OUTCOMES
from contracts.errors import InvalidInput, NotFound, PreconditionFailed
from contracts.records import MAX_NOTE_CHARACTERS, Groups, ReviewFilter, ReviewState, StoredTurn
from database.statements import upsert
from database.text import storable
from database.transactions import reading, writing
from library.records.rows import PageCursor, after_cursor, kept_turns, select_turns, visible_to
from library.records.tables import feedback, reviews, turns


class ReviewStore:
    """Stores reviews. The calls block and are thread-safe; ``groups`` are the groups that the reviewer may read."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def page(
        self, groups: Groups, wanted: ReviewFilter, *, after: PageCursor | None = None, limit: int = 50
    ) -> tuple[StoredTurn, ...]:
        query = select_turns().where(_is_wanted(wanted), after_cursor(turns.c.asked_at, turns.c.id, after))
        query = query.order_by(turns.c.asked_at.desc(), turns.c.id.desc()).limit(limit)
        with reading(self._engine) as connection:
            rows = connection.execute(query.where(visible_to(connection, groups))).all()
            return kept_turns(connection, rows, groups)

    def count(self, groups: Groups, wanted: ReviewFilter) -> int:
        query = select_turns().where(_is_wanted(wanted))
        with reading(self._engine) as connection:
            inner = query.with_only_columns(turns.c.id).where(visible_to(connection, groups)).subquery()
            return int(connection.execute(select(func.count()).select_from(inner)).scalar_one())

    def find(self, groups: Groups, turn_id: str) -> StoredTurn:
        """Return a turn that the reviewer may see. Raises ``NotFound``."""
        with reading(self._engine) as connection:
            return _found(connection, groups, turn_id)

    def before(self, groups: Groups, turn_id: str, *, limit: int = 10) -> tuple[StoredTurn, ...]:
        """Return the last ``limit`` visible turns before this one in its conversation, oldest first.

        Raises:
            NotFound: the turn does not exist.
        """
        with reading(self._engine) as connection:
            _found(connection, groups, turn_id)
            row = connection.execute(select(turns).where(turns.c.id == turn_id)).one()
            query = select_turns().where(
                turns.c.account == row.account,
                turns.c.conversation_id == row.conversation_id,
                after_cursor(turns.c.asked_at, turns.c.id, (row.asked_at, row.id)),
                visible_to(connection, groups),
            )
            newest = query.order_by(turns.c.asked_at.desc(), turns.c.id.desc()).limit(limit)
            return kept_turns(connection, connection.execute(newest).all()[::-1], groups)

    def decide(
        self,
        groups: Groups,
        turn_id: str,
        state: ReviewState,
        *,
        note: str = "",
        who: str = "",
        version: int | None = None,
    ) -> StoredTurn:
        """Store a reviewer's decision, replacing the decision at ``version`` (0: none yet; None: any).

        Raises:
            NotFound: the turn does not exist, or the reviewer may not see it.
            InvalidInput: the note is too long.
            PreconditionFailed: somebody else has decided since.
        """
        said = storable(note).strip()
        if len(said) > MAX_NOTE_CHARACTERS:
            raise InvalidInput(f"The note has {len(said)} characters; at most {MAX_NOTE_CHARACTERS} are allowed.",
                               field="note")  # fmt: skip
        values = {"state": state, "note": said, "who": who, "changed_at": datetime.now(UTC)}
        with writing(self._engine) as connection:
            known = _found(connection, groups, turn_id).review
            if version is not None and known.version != version:
                by = f" by {known.who}" if known.who else ""
                raise PreconditionFailed(f"The turn was {known.state}{by} in the meantime: load it again.")
            new = upsert(connection, reviews).values(turn_id=turn_id, version=1, **values)
            again = {**values, "version": reviews.c.version + 1}
            connection.execute(new.on_conflict_do_update(index_elements=["turn_id"], set_=again))
            return _found(connection, groups, turn_id)


def _found(connection: Connection, groups: Groups, turn_id: str) -> StoredTurn:
    query: Select[Any] = select_turns().where(turns.c.id == turn_id, visible_to(connection, groups))
    row = connection.execute(query).first()
    if row is None:
        raise NotFound(f"There is no turn {turn_id!r} that you may review.")
    return kept_turns(connection, [row], groups)[0]


def _is_wanted(wanted: ReviewFilter) -> ColumnElement[bool]:
    low = and_(turns.c.certainty.is_not(None), turns.c.certainty < wanted.certainty_below)
    meanings: dict[str, ColumnElement[bool]] = {
        "thumbs_down": feedback.c.verdict == "down",
        "declined": turns.c.outcome.in_(DECLINED_OUTCOMES),
        "unknown_term": turns.c.outcome == "unknown_term",
        "low_certainty": low,
        "degraded": turns.c.degraded,
    }
    conditions = [or_(false(), *(meanings[concern] for concern in wanted.concerns))]
    if wanted.state is not None:
        conditions.append(func.coalesce(reviews.c.state, "open") == wanted.state)
    if wanted.first_day:
        conditions.append(turns.c.day >= wanted.first_day)
    if wanted.last_day:
        conditions.append(turns.c.day <= wanted.last_day)
    return and_(*conditions)
