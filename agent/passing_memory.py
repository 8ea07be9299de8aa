"""A memory of conversations that is gone with the process: for where nothing of them may be kept."""

from collections import OrderedDict

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.memory import InMemorySaver


class PassingSaver(InMemorySaver):
    """Keeps the conversations used last, at most ``most`` of them, in memory and nowhere else."""

    def __init__(self, most: int = 1_000) -> None:
        super().__init__()
        self._most = most
        self._used: OrderedDict[str, None] = OrderedDict()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint of a conversation; one that is asked for and not there leaves no trace."""
        if config["configurable"]["thread_id"] not in self._used:
            return None
        found: CheckpointTuple | None = await super().aget_tuple(config)
        return found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint; the conversation that was not used for longest may go."""
        thread = str(config["configurable"]["thread_id"])
        self._used[thread] = None
        self._used.move_to_end(thread)
        while len(self._used) > self._most:
            oldest, _ = self._used.popitem(last=False)
            await self.adelete_thread(oldest)
        # What was said before is in the newest checkpoint: an overwritten one leaves its old values behind.
        for key in [key for key in self.blobs if key[0] == thread]:
            del self.blobs[key]
        kept: RunnableConfig = await super().aput(config, checkpoint, metadata, new_versions)
        return kept

    async def adelete_thread(self, thread_id: str) -> None:
        """Forget a conversation."""
        self._used.pop(thread_id, None)
        await super().adelete_thread(thread_id)
