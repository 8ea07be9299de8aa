"""Stores the asker's feedback on answers: one per turn, which can be changed."""

from datetime import UTC, datetime

from sqlalchemy import Connection, Engine, delete, select

from contracts.errors import InvalidInput, NotFound
from contracts.records import MAX_FEEDBACK_CHARACTERS, Feedback, FeedbackReason, FeedbackVerdict
from database.statements import upsert
from database.text import storable
from database.transactions import writing
from library.records.rows import feedback_of, select_turns
from library.records.tables import feedback, turns


class FeedbackStore:
    """Stores feedback. The calls block, are thread-safe, and raise ``Unavailable`` if the database cannot be used."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def give(
        self, account: str, turn_id: str, verdict: FeedbackVerdict, *, reason: FeedbackReason = "", text: str = ""
    ) -> Feedback:
        """Store the asker's feedback on an answer, or replace it.

        Raises:
            NotFound: the account has no turn with this id.
            InvalidInput: the text is too long.
        """
        said = storable(text).strip()
        if len(said) > MAX_FEEDBACK_CHARACTERS:
            raise InvalidInput(f"The text has {len(said)} characters; at most {MAX_FEEDBACK_CHARACTERS} are allowed.",
                               field="text")  # fmt: skip
        values = {"verdict": verdict, "reason": reason, "text": said, "changed_at": datetime.now(UTC)}
        with writing(self._engine) as connection:
            _expect_own(connection, account, turn_id)
            new = upsert(connection, feedback).values(turn_id=turn_id, version=1, **values)
            again = {**values, "version": feedback.c.version + 1}
            connection.execute(new.on_conflict_do_update(index_elements=["turn_id"], set_=again))
            row = connection.execute(select_turns().where(turns.c.id == turn_id)).one()
            return feedback_of(row)

    def take_back(self, account: str, turn_id: str) -> None:
        """Delete the account's feedback on an answer.

        Raises:
            NotFound: the account has no turn with this id, or gave no feedback.
        """
        with writing(self._engine) as connection:
            _expect_own(connection, account, turn_id)
            if not connection.execute(delete(feedback).where(feedback.c.turn_id == turn_id)).rowcount:
                raise NotFound(f"There is no feedback on the turn {turn_id!r}.")


def _expect_own(connection: Connection, account: str, turn_id: str) -> None:
    own = select(turns.c.id).where(turns.c.id == turn_id, turns.c.account == account)
    if connection.execute(own).first() is None:
        raise NotFound(f"You have no turn {turn_id!r}: send the id that came with the answer.")
