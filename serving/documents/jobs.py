"""Ingestions in the background as they are served, and as server-sent events."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from ingestion.jobs import Job
from ingestion.reports import encodable, event_values
from serving.documents.service import PREFIX
from serving.event_stream import with_pauses

_KEEP_ALIVE_S = 10.0
_FAILURES = 200


class FailedFile(BaseModel):
    """A file that could not be read."""

    path: str
    reason: str


class IngestionJob(BaseModel):
    """An ingestion in the background; ``events`` is where it can be watched, ``failed`` the first of its failures."""

    id: str
    state: str
    reason: str
    paths: list[str]
    group: str
    who: str
    queued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    progress: dict[str, Any] | None
    counts: dict[str, int]
    failed: list[FailedFile]
    events: str


def served_job(job: Job) -> IngestionJob:
    """Return a job as it is served."""
    failed = job.report.failed if job.report else ()
    return IngestionJob(
        id=job.id,
        state=job.state,
        reason=job.reason,
        paths=[encodable(str(path)) for path in job.order.paths],
        group=job.order.group,
        who=job.order.who,
        queued_at=job.queued_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        progress=event_values(job.progress) if job.progress is not None and not job.is_over else None,
        counts={str(status): count for status, count in job.report.counts.items()} if job.report else {},
        failed=[FailedFile(path=encodable(each.path), reason=encodable(each.reason)) for each in failed[:_FAILURES]],
        events=f"{PREFIX}/jobs/{job.id}/events",
    )


async def event_stream(events: AsyncGenerator[tuple[int, dict[str, Any]], None]) -> AsyncIterator[str]:
    """Yield a job's numbered events as server-sent events, with a sign of life where none comes for a while."""
    async with aclosing(with_pauses(events, _KEEP_ALIVE_S)) as heard:
        async for item in heard:
            if item is None:
                yield ": still there\n\n"
                continue
            number, values = item
            yield f"id: {number}\nevent: {values['event']}\ndata: {json.dumps(values, ensure_ascii=False)}\n\n"
