"""Ingestions in the background: one at a time in each server, from a queue that all servers share."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from contracts.errors import GoldenError, Unavailable
from contracts.jobs import FailedFile, IngestionJob, JobOrder, JobState
from ingestion.pipeline import IngestionPipeline
from ingestion.reports import Event, FileReport, IngestionReport, encodable, progress_values
from ingestion.watched_folders import FolderWatcher, expect_watchable
from library.job_queue import MAX_ATTEMPTS, JobQueue

_LOG = logging.getLogger(__name__)

# How often to check the queue for jobs from other servers, to store progress, and to check for changes.
_LOOK_EVERY_S = 2.0
_NOTE_EVERY_S = 0.5
_WATCH_EVERY_S = 0.25
# The first delay after a temporary failure; the delays are 30 s, 2 min, 8 min and half an hour.
_FIRST_WAIT_S = 30
_FAILED_KEPT = 200


class IngestionJobs:
    """Takes jobs from the queue one after another, in the running event loop.

    ``open_pipeline`` is called when a job begins, ``after`` when one has changed the library. Folders under
    ``watched_roots`` may be watched. Raises the same errors as ``JobQueue``.
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
        # Each pipeline remembers which files failed recently, and does not try them again at once.
        self._watchers: dict[str, FolderWatcher] = {}
        self._open_pipeline = open_pipeline
        self._after = after
        self._wake = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        # The id of the job that runs here, and the work on it.
        self._running: tuple[str, asyncio.Task[None]] | None = None
        self._closing = False

    def start(self) -> None:
        """Start taking jobs, including those left by an earlier server."""
        if self._worker is None and not self._closing:
            self._worker = asyncio.create_task(self._work())

    async def submit(self, order: JobOrder) -> IngestionJob:
        """Queue an ingestion."""
        job = await asyncio.to_thread(self.queue.add, order)
        self.start()
        self._wake.set()
        return job

    async def cancel(self, job_id: str) -> IngestionJob:
        """Stop a job, or remove it from the queue; documents that it has stored are kept."""
        job = await asyncio.to_thread(self.queue.cancel, job_id)
        if self._running is not None and self._running[0] == job_id:
            self._running[1].cancel()
        return job

    async def watch(self, job_id: str) -> AsyncGenerator[IngestionJob, None]:
        """Yield a job as it is now, and after every change, until it ends.

        The iteration ends early if this server stops, although another server continues the job.
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
            self._running[1].cancel()
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
        """Make one attempt at a job; its progress is stored in the queue twice a second."""
        run = _Run(job)
        work = asyncio.create_task(self._ingest(job, run.hear))
        self._running = (job.id, work)
        if self._closing:
            work.cancel()
        try:
            while not (await asyncio.wait([work], timeout=_NOTE_EVERY_S))[0]:
                # If the database is unavailable, storing the results below waits for it or raises its own error.
                with suppress(Unavailable):
                    if not await asyncio.to_thread(self.queue.note, run.found()):
                        work.cancel()
            await asyncio.to_thread(self._end, run.found(), work)
        finally:
            self._running = None
            if not work.done():
                work.cancel()
                await asyncio.wait([work])

    def _end(self, job: IngestionJob, work: asyncio.Task[None]) -> None:
        """End a job according to the result of its ``work``, or queue it again. Blocking."""
        if work.cancelled():
            if self._closing:
                self.queue.release(job)
            else:
                self.queue.finish(job.model_copy(update={"state": "cancelled", "reason": ""}))
            return
        error = work.exception()
        reason = _reason_of(error, job)
        if isinstance(error, Unavailable) and job.attempts < MAX_ATTEMPTS:
            self.queue.retry(job, reason, timedelta(seconds=_FIRST_WAIT_S * 4 ** (job.attempts - 1)))
        else:
            state: JobState = "done" if error is None else "failed"
            self.queue.finish(job.model_copy(update={"state": state, "reason": reason}))

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
    """The reports of one attempt at a job."""

    def __init__(self, job: IngestionJob) -> None:
        self._job = job
        self._report = IngestionReport()

    def hear(self, event: Event) -> None:
        if isinstance(event, FileReport):
            self._report.add(event)
        else:
            self._job = self._job.model_copy(update={"progress": progress_values(event)})

    def found(self) -> IngestionJob:
        """Return the job with its progress, and what happened to its files so far, if anything."""
        if not self._report.counts:
            return self._job
        failed = tuple(
            FailedFile(path=encodable(each.path), reason=encodable(each.reason))
            for each in self._report.failed[:_FAILED_KEPT]
        )
        return self._job.model_copy(update={"counts": dict(self._report.counts), "failed": failed})


def _reason_of(error: BaseException | None, job: IngestionJob) -> str:
    if error is None:
        return ""
    if isinstance(error, GoldenError):
        return str(error)
    _LOG.error("ingestion job %s broke", job.id, exc_info=error)
    return f"{type(error).__name__}: {error} (the server's log has the details under job {job.id})"
