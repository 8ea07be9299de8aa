"""Ingestions in the background: one at a time in each server, from a queue that all servers share."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from contracts.errors import GoldenError, Unavailable
from contracts.jobs import FailedFile, IngestionJob, JobOrder, JobState
from ingestion.pipeline import IngestionPipeline
from ingestion.reports import Event, FileReport, IngestionReport, encodable, event_values
from ingestion.watched_folders import FolderWatcher, expect_watchable
from library.job_queue import MAX_ATTEMPTS, JobQueue

_LOG = logging.getLogger(__name__)

# How often to check the queue for jobs of other servers, to store progress, and to check for changes.
_LOOK_EVERY_S = 2.0
_NOTE_EVERY_S = 0.5
_WATCH_EVERY_S = 0.25
# The first delay after a temporary failure; the delays are 30 s, 2 min, 8 min and half an hour.
_FIRST_WAIT_S = 30
_FAILED_KEPT = 200


class IngestionJobs:
    """Takes jobs from the queue one after another, in the running event loop.

    ``open_pipeline`` is called when a job begins, ``after`` when one has changed the library. Folders under
    ``watched_roots`` may be watched.
    """

    def __init__(
        self,
        queue: JobQueue,
        open_pipeline: Callable[[], IngestionPipeline],
        after: Callable[[], Awaitable[None]] | None = None,
        *,
        watched_roots: Sequence[Path] = (),
    ) -> None:
        self.queue = queue
        self.watched_roots = watched_roots
        # Each remembers which files failed recently, and does not try them again at once.
        self._watchers: dict[str, FolderWatcher] = {}
        self._open_pipeline = open_pipeline
        self._after = after
        self._wake = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        self._running: _Run | None = None
        self._closing = False

    def start(self) -> None:
        """Start taking jobs, including those left by an earlier server."""
        if self._worker is None and not self._closing:
            self._worker = asyncio.create_task(self._work())

    async def submit(self, order: JobOrder) -> IngestionJob:
        """Queue an ingestion.

        Raises:
            Unavailable: too many are already waiting, or the database cannot be used right now.
        """
        job = await asyncio.to_thread(self.queue.add, order)
        self.start()
        self._wake.set()
        return job

    async def cancel(self, job_id: str) -> IngestionJob:
        """Stop a job, or remove it from the queue; what it has stored is kept.

        Raises:
            NotFound: there is no such job.
            Conflict: it has ended.
        """
        job = await asyncio.to_thread(self.queue.cancel, job_id)
        if self._running is not None and self._running.job.id == job_id:
            self._running.stop()
        return job

    async def watch(self, job_id: str) -> AsyncGenerator[IngestionJob, None]:
        """Yield a job as it is now, and after every change, until it ends.

        This breaks off if this server stops, although the job continues in another one.

        Raises:
            NotFound: there is no such job.
        """
        last: IngestionJob | None = None
        while not self._closing and (last is None or not last.is_over):
            with suppress(Unavailable):
                job = await asyncio.to_thread(self.queue.job, job_id)
                if job != last:
                    last = job
                    yield job
                    continue
            await asyncio.sleep(_WATCH_EVERY_S)

    async def close(self) -> None:
        """Stop the running job, so that the next server can continue it; documents are complete in any case."""
        self._closing = True
        self._wake.set()
        if self._running is not None:
            self._running.give_back()
        if self._worker is not None:
            await self._worker

    async def _work(self) -> None:
        while not self._closing:
            self._wake.clear()
            try:
                job = await asyncio.to_thread(self.queue.take)
                if job is not None:
                    await self._run(job)
                    continue
            except Exception:
                _LOG.exception("the ingestion queue cannot be used right now")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), _LOOK_EVERY_S)

    async def _run(self, job: IngestionJob) -> None:
        self._running = _Run(self.queue, job, self._ingest)
        if self._closing:
            self._running.give_back()
        try:
            await self._running.end()
        finally:
            await self._running.abandon()
            self._running = None

    async def _ingest(self, job: IngestionJob, hear: Callable[[Event], None]) -> None:
        pipeline, paths = await asyncio.to_thread(self._open_pipeline), [Path(path) for path in job.paths]
        if job.watch:
            for path in paths:
                await asyncio.to_thread(expect_watchable, path, self.watched_roots)
            watcher = FolderWatcher(pipeline, paths, group=job.group, prune=job.prune, after=self._after)
            await self._watchers.setdefault(job.id, watcher).look(hear)
            return
        await pipeline.ingest(paths, group=job.group, prune=job.prune, on_event=hear)
        if self._after is not None:
            await self._after()


class _Run:
    """One attempt of a job: its progress is stored in the queue twice a second."""

    def __init__(
        self,
        queue: JobQueue,
        job: IngestionJob,
        ingest: Callable[[IngestionJob, Callable[[Event], None]], Coroutine[Any, Any, None]],
    ) -> None:
        self.job = job
        self._queue = queue
        self._report = IngestionReport()
        self._gives_back = False
        self._work = asyncio.create_task(ingest(job, self._hear))

    def stop(self) -> None:
        """Stop the ingestion; it ends as cancelled."""
        self._work.cancel()

    def give_back(self) -> None:
        """Stop the ingestion, so that another server can continue it."""
        self._gives_back = True
        self._work.cancel()

    async def end(self) -> None:
        """Wait for the ingestion, and end the job according to its result."""
        while not (await asyncio.wait([self._work], timeout=_NOTE_EVERY_S))[0]:
            if not await self._note():
                self._work.cancel()
        state: JobState
        if self._work.cancelled():
            if self._gives_back:
                await self._note()
                return await asyncio.to_thread(self._queue.release, self.job)
            state, reason = "cancelled", ""
        else:
            error = self._work.exception()
            state, reason = ("done", "") if error is None else ("failed", self._reason_of(error))
            if isinstance(error, Unavailable) and self.job.attempts < MAX_ATTEMPTS:
                await self._note()
                wait = timedelta(seconds=_FIRST_WAIT_S * 4 ** (self.job.attempts - 1))
                return await asyncio.to_thread(self._queue.retry, self.job, reason, wait)
        ended = self._found().model_copy(update={"state": state, "reason": reason})
        await asyncio.to_thread(self._queue.finish, ended)

    async def abandon(self) -> None:
        """Stop the ingestion if it still runs: its job could not be updated or ended."""
        if not self._work.done():
            self._work.cancel()
            await asyncio.wait([self._work])

    def _hear(self, event: Event) -> None:
        if isinstance(event, FileReport):
            self._report.add(event)
        else:
            self.job = self.job.model_copy(update={"progress": event_values(event)})

    async def _note(self) -> bool:
        try:
            return await asyncio.to_thread(self._queue.note, self._found())
        except Unavailable:
            # The job continues: storing its results waits for the database, or fails on its own.
            return True

    def _found(self) -> IngestionJob:
        if not self._report.counts:
            return self.job
        failed = tuple(
            FailedFile(path=encodable(each.path), reason=encodable(each.reason))
            for each in self._report.failed[:_FAILED_KEPT]
        )
        return self.job.model_copy(update={"counts": dict(self._report.counts), "failed": failed})

    def _reason_of(self, error: BaseException) -> str:
        if isinstance(error, GoldenError):
            return str(error)
        _LOG.error("ingestion job %s broke", self.job.id, exc_info=error)
        return f"{type(error).__name__}: {error} (the server's log has the details under job {self.job.id})"
