"""Ingestion jobs that run in the background, once or repeatedly."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel

JobState = Literal["queued", "running", "done", "failed", "cancelled"]


class JobOrder(BaseModel, frozen=True):
    """A request to ingest ``paths``, which are absolute: the document group, and who made the request.

    If ``watch`` is true, changes in the paths are ingested repeatedly until the job is cancelled.
    """

    paths: tuple[str, ...]
    group: str = "everyone"
    prune: bool = False
    watch: bool = False
    who: str = ""


class FailedFile(BaseModel, frozen=True):
    """A file that could not be read."""

    path: str
    reason: str


class IngestionJob(JobOrder, frozen=True):
    """An ingestion job in the queue.

    ``attempts`` counts how often the job was started. A job that failed for a temporary ``reason`` is queued again, and
    ``next_try_at`` is the earliest time of the next attempt. ``counts`` counts the files by outcome; ``failed``
    contains the first files that could not be read. A watching job is queued again when it ends: ``reason`` is then
    why the last check failed, if it did, and ``counts`` belong to the last check that found a change.
    """

    id: str
    state: JobState
    reason: str
    attempts: int
    queued_at: datetime
    next_try_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    progress: dict[str, Any] | None
    counts: dict[str, int]
    failed: tuple[FailedFile, ...]

    @property
    def is_over(self) -> bool:
        return self.state in ("done", "failed", "cancelled")
