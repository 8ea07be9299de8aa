"""Conversations: stores earlier turns, and records answers."""

import hashlib
import logging
import secrets
from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from contracts.answer import Answer
from contracts.question import Asker, Turn
from contracts.records import TurnRecord

_LOG = logging.getLogger(__name__)
_ID_BYTES = 16


class ConversationStore(Protocol):
    """Stores the turns of conversations; a conversation belongs to the account of its asker."""

    async def turns(self, asker: Asker, conversation_id: str, limit: int) -> tuple[Turn, ...]:
        """Return the last ``limit`` turns of a conversation that ``asker`` may read, oldest first."""

    async def record(self, turn: TurnRecord) -> bool:
        """Store a question and its answer; return whether they can be found by the turn's id."""


class RecentConversations:
    """Keeps the most recently used conversations, up to ``most``, in memory while the process runs.

    The turns have no ids, so feedback and review need a persistent store.
    """

    def __init__(self, most: int = 1_000) -> None:
        self._most = most
        self._turns: OrderedDict[tuple[str, str], tuple[Turn, ...]] = OrderedDict()

    async def turns(self, asker: Asker, conversation_id: str, limit: int) -> tuple[Turn, ...]:
        turns = self._turns.get((asker.account, conversation_id), ())
        return turns[-limit:] if limit > 0 else ()

    async def record(self, turn: TurnRecord) -> bool:
        key = (turn.asker.account, turn.conversation_id)
        self._turns[key] = (*self._turns.get(key, ()), *turn.answer.turns)
        self._turns.move_to_end(key)
        while len(self._turns) > self._most:
            self._turns.popitem(last=False)
        return False


async def record_answer(
    answer: Answer,
    store: ConversationStore,
    *,
    asker: Asker,
    history: Sequence[Turn],
    asked_at: datetime,
    seconds: float,
) -> Answer:
    """Store ``answer`` in ``store``, and return it with the ids under which it is stored.

    If ``answer`` has no conversation id, the client sent the ``history``, and the id is derived from the first two
    turns. If the store fails, the answer is still returned.
    """
    conversation_id = answer.conversation_id
    if not conversation_id:
        turns = [*history, *answer.turns]
        first = next(at for at, turn in enumerate(turns) if turn.role == "user")
        reply = next((turn.text for turn in turns[first:] if turn.role == "assistant"), "")
        conversation_id = derive_conversation_id(asker.account, turns[first].text, reply)
    named = answer.model_copy(update={"conversation_id": conversation_id, "turn_id": secrets.token_hex(_ID_BYTES)})
    turn = TurnRecord(
        id=named.turn_id, conversation_id=conversation_id, asker=asker, asked_at=asked_at, seconds=seconds, answer=named
    )
    try:
        return named if await store.record(turn) else answer
    except Exception:
        # The user gets the answer even if it cannot be stored.
        _LOG.exception("a turn was not recorded")
        return answer


def derive_conversation_id(account: str, question: str, reply: str) -> str:
    """Return the id of the conversation of ``account`` that began with this question and this reply.

    Clients without conversation ids send all turns with each question. The first two turns identify the conversation,
    even if a client has changed the white space.
    """
    parts = (account, " ".join(question.split()), " ".join(reply.split()))
    encoded = "".join(f"{len(part)}:{part}" for part in parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(encoded, digest_size=_ID_BYTES).hexdigest()
