"""All that can be done for a file before its turn comes to be stored: plan it, read it, build its new version."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from contracts.errors import UnreadableFile
from ingestion.cancellation import finish
from ingestion.files.archives import hash_content
from ingestion.files.finding import FoundFile
from ingestion.reports import FileReport, Phase
from ingestion.running.building import Built, build, describe
from ingestion.running.parts import Parts
from ingestion.running.planning import Plan, Planner
from ingestion.workers.pool import ReaderPool
from ingestion.workers.tasks import ReadFile

_TRIES = 2
# While the text of one is summarised and mined, which Python does on one core, the other's is embedded, on all of them.
_BUILT_AT_ONCE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A file as far as it can be taken before its turn.

    ``built`` is the new version to store, None where there is none: because the plan wants none, or because the file
    was read in vain, for the ``reason`` given.
    """

    plan: Plan
    began: datetime
    built: Built | None = None
    reason: str = ""
    report: FileReport | None = None
    seconds: float = 0.0


class Preparer:
    """Prepares files; ``listen`` hears how far each is read, and ``say`` in which phase it is."""

    def __init__(
        self,
        parts: Parts,
        pool: ReaderPool,
        planner: Planner,
        *,
        group: str,
        listen: Callable[[str, int, int | None], None],
        say: Callable[[Phase, str], None],
    ) -> None:
        self._parts = parts
        self._pool = pool
        self._planner = planner
        self._group = group
        self._listen = listen
        self._say = say
        self._planning = asyncio.Lock()
        self._building = asyncio.Semaphore(_BUILT_AT_ONCE)

    async def prepare(self, file: FoundFile) -> Prepared:
        """Plan a file, and read and build it where the plan says so.

        Raises:
            UnreadableFile: it cannot be read.
            Unavailable: the database or the embedding model is not there.
        """
        # The lock is fair: files are planned in their order, whichever is read first.
        async with self._planning:
            plan = await asyncio.to_thread(self._planner.plan, file)
        if plan.action != "read":
            return Prepared(plan=plan, began=datetime.now(UTC))
        return await self.read(file, plan)

    async def read(self, file: FoundFile, plan: Plan) -> Prepared:
        """Read and build a file whatever the plan says. Raises as ``prepare`` does."""
        # Seen through: a thread outlives the task that is called off, and would note it after the run took all back.
        ledger = self._parts.store.ledger
        await finish(asyncio.to_thread(ledger.begin, plan.document_id, file.place, self._group))
        read, plan = await self._read_settled(file, plan)
        began = datetime.now(UTC)
        report = describe(file, read, self._parts)
        started = time.monotonic()
        try:
            async with self._building:
                built = await build(
                    file, plan, read, report, self._group, self._parts, lambda phase: self._say(phase, file.place)
                )
        except UnreadableFile as error:
            seconds = read.seconds + time.monotonic() - started
            return Prepared(plan=plan, began=began, reason=error.reason, report=report, seconds=seconds)
        return Prepared(plan=plan, began=began, built=built)

    async def _read_settled(self, file: FoundFile, plan: Plan) -> tuple[ReadFile, Plan]:
        """Read a file whose content is the same before and after."""
        for _ in range(_TRIES):
            read = await self._pool.read(file.path, lambda done, total: self._listen(file.place, done, total))
            content_hash = await asyncio.to_thread(hash_content, file.path)
            if content_hash == plan.content_hash:
                return read, plan
            # Its size and time are those of the former content: the next run looks at the content itself.
            plan = replace(plan, content_hash=content_hash, modified_ns=0)
        raise UnreadableFile(file.place, "it changed while it was read, twice: ingest again when it is written")
