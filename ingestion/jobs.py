"""Ingestions in the background: one at a time, the others wait, and whoever watches may come and go."""

import asyncio
import logging
import uuid
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from contracts.errors import Conflict, GoldenError, NotFound, Unavailable
from ingestion.pipeline import IngestionPipeline
from ingestion.reports import Event, FileReport, IngestionReport, Progress, Tally, event_values, report_values

_LOG = logging.getLogger(__name__)

JobState = Literal["queued", "running", "done", "failed", "cancelled"]

_MAX_QUEUED = 100
_JOBS_KEPT = 50
# What a late watcher can still hear of a job; all file reports stand in the ledger.
_EVENTS_KEPT = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOrder:
    """What is to be ingested, for the readers of which group, and who asked for it."""

    paths: tuple[Path, ...]
    group: str = "everyone"
    prune: bool = False
    check_content: bool = False
    who: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """An ingestion that was asked for; ``reason`` says why it failed, ``report`` what came of it so far."""

    id: str
    order: JobOrder
    state: JobState
    queued_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    progress: Progress | None = None
    report: IngestionReport | None = None
    reason: str = ""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in ("done", "failed", "cancelled")


class _Watched:
    """A job with the events that it told, numbered from 1; neighbouring progress events become one."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.tally = Tally()
        self.events: deque[tuple[int, dict[str, Any]]] = deque(maxlen=_EVENTS_KEPT)
        self.last = 0
        self.changed = asyncio.Event()
        self.work: asyncio.Task[None] | None = None

    def hear(self, event: Event) -> None:
        """Keep an event."""
        if isinstance(event, FileReport):
            self.tally.add(event)
        else:
            self.job = replace(self.job, progress=event)
        self.add(event_values(event))

    def add(self, values: dict[str, Any]) -> None:
        """Keep an event's values, and wake those who watch."""
        if self.events and values["event"] == "progress" and self.events[-1][1]["event"] == "progress":
            self.events.pop()
        self.last += 1
        self.events.append((self.last, values))
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()


class IngestionJobs:
    """Runs jobs one after another in the running event loop; the last fifty are remembered.

    ``open_pipeline`` is called when the first job begins, ``after`` when one has changed the library.
    """

    def __init__(
        self, open_pipeline: Callable[[], IngestionPipeline], after: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._open_pipeline = open_pipeline
        self._after = after
        self._jobs: dict[str, _Watched] = {}
        # The lock is fair: jobs run in the order in which they were asked for.
        self._turn = asyncio.Lock()

    def submit(self, order: JobOrder) -> Job:
        """Queue an ingestion.

        Raises:
            Unavailable: too many wait already.
        """
        waiting = sum(not each.job.is_over for each in self._jobs.values())
        if waiting >= _MAX_QUEUED:
            raise Unavailable(f"{waiting} ingestions wait already: try again when some are done")
        for old in [name for name, each in self._jobs.items() if each.job.is_over][: -_JOBS_KEPT or None]:
            del self._jobs[old]
        watched = _Watched(Job(id=uuid.uuid4().hex[:16], order=order, state="queued", queued_at=datetime.now(UTC)))
        self._jobs[watched.job.id] = watched
        watched.work = asyncio.create_task(self._work(watched))
        # Also where it is cancelled before its first step.
        watched.work.add_done_callback(lambda _: self._end(watched, "cancelled"))
        return watched.job

    def jobs(self) -> tuple[Job, ...]:
        """Return the jobs that are remembered, oldest first."""
        return tuple(each.job for each in self._jobs.values())

    def job(self, job_id: str) -> Job:
        """Return a job.

        Raises:
            NotFound: there is none with this id, or it is long over.
        """
        return self._find(job_id).job

    def cancel(self, job_id: str) -> Job:
        """Stop a job, or take it off the queue; what it stored stays.

        Raises:
            NotFound: there is no such job.
            Conflict: it is over.
        """
        watched = self._find(job_id)
        if watched.job.is_over:
            raise Conflict(f"job {job_id} is over ({watched.job.state}): there is nothing to stop")
        if watched.job.state == "queued":
            self._end(watched, "cancelled")
        if watched.work is not None:
            watched.work.cancel()
        return watched.job

    async def events(self, job_id: str, *, after: int = 0) -> AsyncGenerator[tuple[int, dict[str, Any]], None]:
        """Yield the numbered events of a job behind number ``after``, as they come, up to its last one.

        Raises:
            NotFound: there is no such job.
        """
        watched = self._find(job_id)
        seen = after
        while True:
            if watched.last <= seen and not watched.job.is_over:
                await watched.changed.wait()
            for number, values in [each for each in watched.events if each[0] > seen]:
                seen = number
                yield number, values
            if watched.job.is_over and seen >= watched.last:
                return

    async def close(self) -> None:
        """Stop what runs and what waits; documents are whole in any case."""
        working = [each.work for each in self._jobs.values() if each.work is not None and not each.work.done()]
        for work in working:
            work.cancel()
        if working:
            await asyncio.wait(working)
        for watched in self._jobs.values():
            self._end(watched, "cancelled")

    async def _work(self, watched: _Watched) -> None:
        order = watched.job.order
        async with self._turn:
            watched.job = replace(watched.job, state="running", started_at=datetime.now(UTC))
            watched.add({"event": "started"})
            try:
                pipeline = await asyncio.to_thread(self._open_pipeline)
                report = await pipeline.ingest(
                    order.paths,
                    group=order.group,
                    prune=order.prune,
                    check_content=order.check_content,
                    on_event=watched.hear,
                )
                if self._after is not None:
                    await self._after()
            except GoldenError as error:
                self._end(watched, "failed", str(error))
            except Exception as error:
                _LOG.exception("ingestion job %s broke", watched.job.id)
                reason = (
                    f"{type(error).__name__}: {error} (the server's log has the details under job {watched.job.id})"
                )
                self._end(watched, "failed", reason)
            else:
                self._end(watched, "done", report=report)

    def _end(self, watched: _Watched, state: JobState, reason: str = "", report: IngestionReport | None = None) -> None:
        if watched.job.is_over:
            return
        finished = datetime.now(UTC)
        started = watched.job.started_at or finished
        told = report or watched.tally.report((finished - started).total_seconds())
        watched.job = replace(watched.job, state=state, reason=reason, report=told, finished_at=finished)
        watched.add({**report_values(told), "state": state, "reason": reason})

    def _find(self, job_id: str) -> _Watched:
        watched = self._jobs.get(job_id)
        if watched is None:
            raise NotFound(f"there is no ingestion job {job_id!r}: it is long over, or never was")
        return watched
