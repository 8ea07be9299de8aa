"""The chatbot's conversations in SQL, for follow-up questions and for the list that people see."""

import asyncio
import logging

from sqlalchemy import Engine

from contracts.errors import Unavailable
from contracts.question import Asker, Turn
from contracts.records import TurnRecord
from library.records.conversations import ConversationStore
from library.records.turns import TurnStore

_LOG = logging.getLogger(__name__)
_MOST_UNWRITTEN = 1_000


class SqlConversations:
    """Stores conversations of accounts; nothing is stored for an asker without an account.

    Answers that the asker may no longer read, or that cite a deleted document, are left out. ``engine_name`` is the
    name of the engine that answers. An answer waits at most ``wait_s`` seconds for the database, and is then stored in
    the background. Use each instance in one event loop.
    """

    def __init__(self, engine: Engine, *, engine_name: str = "", wait_s: float = 0.25) -> None:
        self._conversations = ConversationStore(engine)
        self._turns = TurnStore(engine, engine_name=engine_name)
        self._wait_s = wait_s
        self._unwritten: dict[str, TurnRecord] = {}
        self._writes: set[asyncio.Task[bool]] = set()
        # Only one thread waits for a locked database, so that it does not block all threads.
        self._one_write = asyncio.Lock()

    async def turns(self, asker: Asker, conversation_id: str, limit: int) -> tuple[Turn, ...]:
        """Return the last ``limit`` turns of a conversation that ``asker`` may read, oldest first."""
        if not asker.account or limit <= 0:
            return ()
        place = (asker.account, conversation_id)
        unwritten = [each for each in self._unwritten.values() if (each.asker.account, each.conversation_id) == place]
        written = await asyncio.to_thread(self._conversations.last_turns, *place, asker.groups, limit=(limit + 1) // 2)
        known = {each.id for each in written}
        answers = [each.answer for each in written] + [each.answer for each in unwritten if each.id not in known]
        return tuple(turn for answer in answers for turn in answer.turns)[-limit:]

    async def record(self, turn: TurnRecord) -> bool:
        """Store a question and its answer; return whether they can be found by the turn's id, at least soon."""
        if not turn.asker.account:
            return False
        if len(self._unwritten) >= _MOST_UNWRITTEN:
            _LOG.warning("%d turns are waiting for the database: another turn was dropped", len(self._unwritten))
            return False
        self._unwritten[turn.id] = turn
        write = asyncio.create_task(self._write(turn))
        self._writes.add(write)
        write.add_done_callback(self._writes.discard)
        await asyncio.wait({write}, timeout=self._wait_s)
        return write.result() if write.done() else True

    async def close(self, *, timeout_s: float = 5.0) -> None:
        """Write pending turns, for at most ``timeout_s`` seconds."""
        if self._writes:
            _, late = await asyncio.wait(self._writes, timeout=timeout_s)
            if late:
                _LOG.warning("%d turns could not be written to the database before shutdown", len(late))

    async def _write(self, turn: TurnRecord) -> bool:
        try:
            async with self._one_write:
                return bool(await asyncio.to_thread(self._turns.add, [turn]))
        except Unavailable as error:
            _LOG.warning("a turn was not recorded: %s", error)
        except Exception as error:
            # The values of a failed statement are private text, which must not be logged.
            _LOG.error("a turn cannot be recorded: %s", type(error).__name__)
        finally:
            self._unwritten.pop(turn.id)
        return False
