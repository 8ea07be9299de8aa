"""Requested ingestions that run in the background, once or repeatedly."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel

JobState = Literal["queued", "running", "done", "failed", "cancelled"]


class JobOrder(BaseModel, frozen=True):
    """What to ingest, for the readers of which group, and who requested it; ``paths`` are absolute.

    With ``watch``, changes in them are ingested repeatedly until the job is cancelled.
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
    """An ingestion in the queue.

    ``attempts`` counts how often it was begun; one that failed for a temporary reason is queued again, ``reason`` says
    why, and ``next_try_at`` is the earliest time of the next attempt. ``counts`` counts the files by what happened to
    them, ``failed`` contains the first of those that could not be read. A watching job is queued again when it has
    ended: ``reason`` then says why the last check failed, and ``counts`` are those of the last check that found
    something.
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
