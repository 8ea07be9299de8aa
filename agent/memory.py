"""Memory: the turns of each conversation, kept by a LangGraph checkpointer."""

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint, CheckpointMetadata, empty_checkpoint

from contracts.question import Turn

_CHANNEL = "turns"


class ConversationMemory:
    """Keeps the turns of conversations; nothing else of a question outlives it.

    Each conversation has one checkpoint, which is overwritten: fifty turns take the room of fifty turns, not of fifty
    histories. The turns are one JSON string, which every saver stores as it is, in every version.
    """

    def __init__(self, checkpointer: "BaseCheckpointSaver[Any] | None") -> None:
        self._saver = checkpointer

    async def turns(self, conversation_id: str) -> tuple[Turn, ...]:
        """Return the turns so far, oldest first; none for an unknown conversation."""
        return _turns_in(await self._checkpoint(conversation_id))

    async def append(self, conversation_id: str, turns: Sequence[Turn]) -> None:
        """Add turns at the end, in one write."""
        if self._saver is None:
            return
        old = await self._checkpoint(conversation_id)
        both = (*_turns_in(old), *turns)
        value = json.dumps([{"role": turn.role, "text": turn.text} for turn in both], ensure_ascii=False)
        checkpoint = empty_checkpoint()
        version = self._saver.get_next_version(old["channel_versions"][_CHANNEL] if old else None, None)
        checkpoint["id"] = old["id"] if old else checkpoint["id"]
        checkpoint["channel_values"] = {_CHANNEL: value}
        checkpoint["channel_versions"] = {_CHANNEL: version}
        metadata = CheckpointMetadata(source="update", step=0)
        await self._saver.aput(_config(conversation_id), checkpoint, metadata, {_CHANNEL: version})

    async def forget(self, conversation_id: str) -> None:
        """Remove the conversation; an unknown one is none already."""
        if self._saver is not None:
            await self._saver.adelete_thread(conversation_id)

    async def _checkpoint(self, conversation_id: str) -> Checkpoint | None:
        if self._saver is None:
            return None
        found = await self._saver.aget_tuple(_config(conversation_id))
        return found.checkpoint if found else None


def _turns_in(checkpoint: Checkpoint | None) -> tuple[Turn, ...]:
    if checkpoint is None:
        return ()
    turns = json.loads(checkpoint["channel_values"][_CHANNEL])
    return tuple(Turn(role=turn["role"], text=turn["text"]) for turn in turns)


def _config(conversation_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": conversation_id, "checkpoint_ns": ""}}
