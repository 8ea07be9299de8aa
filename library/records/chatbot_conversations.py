"""The chatbot's conversations in SQL: what a follow-up question is read with is what people see listed."""

import asyncio

from sqlalchemy import Engine

from contracts.question import Asker, Turn
from contracts.records import TurnRecord
from library.records.conversations import ConversationStore
from library.records.recorder import QueuedTurnRecorder
from library.records.turns import TurnStore


class SqlConversations:
    """Keeps conversations of accounts; nothing is kept of an asker without an account.

    An answer that its asker may no longer read, or that cites a document which is gone, is left out. ``engine_name``
    says what answers. An answer waits ``wait_s`` seconds at most for the database to store it.
    """

    def __init__(self, engine: Engine, *, engine_name: str = "", wait_s: float = 0.25) -> None:
        self._store = ConversationStore(engine)
        self._recorder = QueuedTurnRecorder(TurnStore(engine, engine_name=engine_name), patience_s=wait_s)

    async def turns(self, asker: Asker, conversation_id: str, limit: int) -> tuple[Turn, ...]:
        """Return the last ``limit`` turns of a conversation that ``asker`` may read, oldest first.

        Raises:
            Unavailable: the database cannot be used just now.
        """
        if not asker.account or limit <= 0:
            return ()
        unwritten = self._recorder.unwritten(asker.account, conversation_id)
        written = await asyncio.to_thread(
            self._store.last_turns, asker.account, conversation_id, asker.groups, limit=(limit + 1) // 2
        )
        known = {each.id for each in written}
        answers = [each.answer for each in written] + [each.answer for each in unwritten if each.id not in known]
        return tuple(turn for answer in answers for turn in answer.turns)[-limit:]

    async def record(self, turn: TurnRecord) -> bool:
        """Keep a question and its answer; return whether they can be found by the turn's id from now on."""
        return bool(turn.asker.account) and await self._recorder.record(turn)

    async def close(self) -> None:
        """Write what waits to be written, for some seconds at most."""
        await self._recorder.close()
