"""Lists, searches, shows, renames and deletes the conversations of one account, never those of other accounts."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Select, and_, delete, exists, func, or_, select, true, update

from contracts.errors import InvalidInput, NotFound, PreconditionFailed
from contracts.records import MAX_TITLE_CHARACTERS, Conversation, Groups, StoredTurn
from database.text import unified
from database.transactions import reading, writing
from library.records.rows import PageCursor, after_cursor, kept_turns, select_turns
from library.records.tables import conversations, turns


class ConversationStore:
    """Stores conversations. The calls block and are thread-safe; each concerns one account."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def page(
        self, account: str, *, text: str = "", channel: str = "", after: PageCursor | None = None, limit: int = 50
    ) -> tuple[Conversation, ...]:
        """Return the conversations whose title, questions or answers contain ``text``, most recently changed first.

        If a ``channel`` such as "chat" is given, the conversations must have at least one question from it.
        """
        query = _conversations(account).where(_asked_by(channel))
        wanted = " ".join(unified(text).split()).casefold()
        if wanted:
            said = select(turns.c.id).where(_of_conversation(), turns.c.folded.contains(wanted, autoescape=True))
            query = query.where(or_(conversations.c.folded.contains(wanted, autoescape=True), exists(said)))
        query = query.where(after_cursor(conversations.c.changed_at, conversations.c.id, after)).order_by(
            conversations.c.changed_at.desc(), conversations.c.id.desc()
        )
        with reading(self._engine) as connection:
            return tuple(_conversation_of(row) for row in connection.execute(query.limit(limit)))

    def find(self, account: str, conversation_id: str) -> Conversation:
        """Return a conversation. Raises ``NotFound`` if the account has no conversation with this id."""
        with reading(self._engine) as connection:
            return _found(connection, account, conversation_id)

    def turns(
        self, account: str, conversation_id: str, groups: Groups, *, after: PageCursor | None = None, limit: int = 100
    ) -> tuple[StoredTurn, ...]:
        """Return the turns of a conversation that its owner, who may read ``groups``, may see, oldest first."""
        query = select_turns().where(turns.c.account == account, turns.c.conversation_id == conversation_id)
        if after is not None:
            moment, last_id = after
            query = query.where(or_(turns.c.asked_at > moment, and_(turns.c.asked_at == moment, turns.c.id > last_id)))
        with reading(self._engine) as connection:
            rows = connection.execute(query.order_by(turns.c.asked_at, turns.c.id).limit(limit)).all()
            return kept_turns(connection, rows, groups)

    def last_turns(self, account: str, conversation_id: str, groups: Groups, *, limit: int) -> tuple[StoredTurn, ...]:
        """Return the last turns of a conversation, oldest first, as in ``turns``."""
        query = select_turns().where(turns.c.account == account, turns.c.conversation_id == conversation_id)
        query = query.order_by(turns.c.asked_at.desc(), turns.c.id.desc()).limit(limit)
        with reading(self._engine) as connection:
            return kept_turns(connection, connection.execute(query).all()[::-1], groups)

    def rename(self, account: str, conversation_id: str, title: str, *, version: int | None = None) -> Conversation:
        """Rename a conversation at ``version`` (None: any).

        Raises:
            NotFound: the account has no conversation with this id.
            InvalidInput: the title is empty or too long.
            PreconditionFailed: the conversation has changed in the meantime.
        """
        shown = " ".join(unified(title).split())
        if not shown or len(shown) > MAX_TITLE_CHARACTERS or not shown.isprintable():
            raise InvalidInput(f"A title must have 1 to {MAX_TITLE_CHARACTERS} printable characters.", field="title")
        with writing(self._engine) as connection:
            found = _found(connection, account, conversation_id)
            if version is not None and found.version != version:
                raise PreconditionFailed(f"The conversation is now at version {found.version}: load it again.")
            change = update(conversations).where(_named(account, conversation_id))
            connection.execute(change.values(title=shown, folded=shown.casefold(), version=conversations.c.version + 1))
            return _found(connection, account, conversation_id)

    def delete(self, account: str, conversation_id: str) -> None:
        """Delete a conversation with its turns and their feedback. Raises ``NotFound``."""
        with writing(self._engine) as connection:
            if not connection.execute(delete(conversations).where(_named(account, conversation_id))).rowcount:
                raise _missing(conversation_id)

    def delete_all(self, account: str, *, channel: str = "") -> int:
        """Delete all conversations of the account, with ``channel`` as in ``page``, and return their number."""
        own = delete(conversations).where(conversations.c.account == account, _asked_by(channel))
        with writing(self._engine) as connection:
            return connection.execute(own).rowcount


def _asked_by(channel: str) -> ColumnElement[bool]:
    if not channel:
        return true()
    return exists(select(turns.c.id).where(_of_conversation(), turns.c.channel == channel))


def _of_conversation() -> Any:
    return and_(turns.c.account == conversations.c.account, turns.c.conversation_id == conversations.c.id)


def _named(account: str, conversation_id: str) -> Any:
    return and_(conversations.c.account == account, conversations.c.id == conversation_id)


def _conversations(account: str) -> Select[Any]:
    counted = select(func.count()).select_from(turns).where(_of_conversation()).scalar_subquery()
    return select(conversations, counted.label("questions")).where(conversations.c.account == account)


def _found(connection: Connection, account: str, conversation_id: str) -> Conversation:
    row = connection.execute(_conversations(account).where(conversations.c.id == conversation_id)).first()
    if row is None:
        raise _missing(conversation_id)
    return _conversation_of(row)


def _missing(conversation_id: str) -> NotFound:
    return NotFound(f"You have no conversation {conversation_id!r}.")


def _conversation_of(row: Any) -> Conversation:
    return Conversation.model_validate(dict(row._mapping))
