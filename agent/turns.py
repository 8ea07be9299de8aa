"""Turns: each answered question is handed to a recorder, whichever way it came in."""

import hashlib
import logging
import secrets
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

from contracts.answer import AnswerEvent, AnswerReady
from contracts.question import Asker, Turn
from contracts.records import TurnRecord

_LOG = logging.getLogger(__name__)
_ID_BYTES = 16


class TurnRecorder(Protocol):
    """Keeps answered questions."""

    async def record(self, turn: TurnRecord) -> bool:
        """Keep a turn, soon or at once; return whether it is kept or will be."""
        ...


async def recorded(
    events: AsyncGenerator[AnswerEvent, None], recorder: TurnRecorder, *, asker: Asker, history: Sequence[Turn]
) -> AsyncGenerator[AnswerEvent, None]:
    """Yield ``events``, the answer with the ids under which it is kept; a recorder that fails costs no answer.

    ``history`` are the turns before, where the caller gave them: a conversation without an id is told by them.
    """
    asked_at, begun = datetime.now(UTC), time.monotonic()
    async with aclosing(events) as parts:
        async for event in parts:
            if isinstance(event, AnswerReady):
                yield await _kept(event, recorder, asker, history, asked_at, time.monotonic() - begun)
            else:
                yield event


def conversation_told_by(account: str, question: str, reply: str) -> str:
    """Return the id of the conversation of ``account`` that began with this question and this reply.

    Clients that know no conversation ids send all turns with each question: the first two say which conversation it
    is, whatever white space a client changed in them.
    """
    parts = (account, " ".join(question.split()), " ".join(reply.split()))
    told = "".join(f"{len(part)}:{part}" for part in parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(told, digest_size=_ID_BYTES).hexdigest()


async def _kept(
    ready: AnswerReady,
    recorder: TurnRecorder,
    asker: Asker,
    history: Sequence[Turn],
    asked_at: datetime,
    seconds: float,
) -> AnswerReady:
    answer = ready.answer
    conversation_id = answer.conversation_id
    if not conversation_id:
        turns = [*history, Turn(role="user", text=answer.question), Turn(role="assistant", text=answer.text)]
        first = next(at for at, turn in enumerate(turns) if turn.role == "user")
        reply = next((turn.text for turn in turns[first:] if turn.role == "assistant"), "")
        conversation_id = conversation_told_by(asker.account, turns[first].text, reply)
    turn_id = secrets.token_hex(_ID_BYTES)
    answer = replace(answer, conversation_id=conversation_id, turn_id=turn_id)
    turn = TurnRecord(
        id=turn_id,
        conversation_id=conversation_id,
        asker=asker,
        asked_at=asked_at,
        seconds=seconds,
        answer=answer,
    )
    try:
        kept = await recorder.record(turn)
    except Exception:
        # Whatever broke, the asker has an answer.
        _LOG.exception("a turn was not recorded")
        kept = False
    return AnswerReady(answer=answer if kept else ready.answer)
