"""Memory: the turns of each conversation, kept by a LangGraph checkpointer."""

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint, CheckpointMetadata, empty_checkpoint

from contracts.question import Turn

_CHANNEL = "turns"


def thread_of(account: str, conversation_id: str) -> str:
    """Return the name under which a conversation of ``account`` is kept.

    The account stands in it, so that nobody else's id, known or guessed, leads to it. Without an account it is the id.
    """
    if not account and "/" in conversation_id:
        return f"/{conversation_id}"
    return f"{threads_of(account)}{conversation_id}"


def threads_of(account: str) -> str:
    """Return what the names of all conversations of ``account`` begin with."""
    if not account:
        return ""
    return f"{hashlib.blake2b(account.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}/"


class ConversationMemory:
    """Keeps the turns of conversations by their threads' names; nothing else of a question outlives it.

    Each conversation has one checkpoint, which is overwritten: fifty turns take the room of fifty turns, not of fifty
    histories. The turns are one JSON string, which every saver stores as it is, in every version.
    """

    def __init__(self, checkpointer: "BaseCheckpointSaver[Any] | None") -> None:
        self._saver = checkpointer

    async def turns(self, thread: str) -> tuple[Turn, ...]:
        """Return the turns so far, oldest first; none for an unknown conversation."""
        return _turns_in(await self._checkpoint(thread))

    async def append(self, thread: str, turns: Sequence[Turn]) -> None:
        """Add turns at the end, in one write."""
        if self._saver is None:
            return
        old = await self._checkpoint(thread)
        both = (*_turns_in(old), *turns)
        value = json.dumps([{"role": turn.role, "text": turn.text} for turn in both], ensure_ascii=False)
        checkpoint = empty_checkpoint()
        version = self._saver.get_next_version(old["channel_versions"][_CHANNEL] if old else None, None)
        checkpoint["id"] = old["id"] if old else checkpoint["id"]
        checkpoint["channel_values"] = {_CHANNEL: value}
        checkpoint["channel_versions"] = {_CHANNEL: version}
        metadata = CheckpointMetadata(source="update", step=0)
        await self._saver.aput(_config(thread), checkpoint, metadata, {_CHANNEL: version})

    async def forget(self, thread: str) -> None:
        """Remove the conversation; an unknown one is none already."""
        if self._saver is not None:
            await self._saver.adelete_thread(thread)

    async def threads(self, beginning: str, *, before: datetime | None = None) -> tuple[str, ...]:
        """Return the names that begin with ``beginning``, of those last added to before ``before`` (None: of all)."""
        if self._saver is None:
            return ()
        found = []
        async for each in self._saver.alist(None):
            thread = str(each.config["configurable"]["thread_id"])
            old = before is None or datetime.fromisoformat(each.checkpoint["ts"]) < before
            if thread.startswith(beginning) and old:
                found.append(thread)
        return tuple(dict.fromkeys(found))

    async def _checkpoint(self, thread: str) -> Checkpoint | None:
        if self._saver is None:
            return None
        found = await self._saver.aget_tuple(_config(thread))
        return found.checkpoint if found else None


def _turns_in(checkpoint: Checkpoint | None) -> tuple[Turn, ...]:
    if checkpoint is None:
        return ()
    turns = json.loads(checkpoint["channel_values"][_CHANNEL])
    return tuple(Turn(role=turn["role"], text=turn["text"]) for turn in turns)


def _config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
