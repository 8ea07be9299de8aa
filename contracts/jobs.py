"""Ingestions that were asked for and are done in the background, once or again and again."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel

JobState = Literal["queued", "running", "done", "failed", "cancelled"]


class JobOrder(BaseModel, frozen=True):
    """What is to be ingested, for the readers of which group, and who asked for it; ``paths`` are absolute.

    With ``watch`` they are ingested again and again, as far as they have changed, until the job is cancelled.
    """

    paths: tuple[str, ...]
    group: str = "everyone"
    prune: bool = False
    check_content: bool = False
    watch: bool = False
    who: str = ""


class FailedFile(BaseModel, frozen=True):
    """A file that could not be read."""

    path: str
    reason: str


class IngestionJob(JobOrder, frozen=True):
    """An ingestion in the queue.

    ``attempts`` counts how often it was begun; one that failed for a passing reason is queued again, ``reason`` says
    why, and ``next_try_at`` when it is begun at the earliest. ``counts`` counts the files by what became of them,
    ``failed`` holds the first of those that could not be read. One that watches is queued again when it has ended:
    ``reason`` then says why the last look failed, and ``counts`` tell of the last look that found something.
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
