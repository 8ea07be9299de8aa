"""The routes of ingestions in the background: list, show, watch as server-sent events, stop."""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Header
from fastapi.responses import StreamingResponse

from contracts.errors import NotFound
from ingestion.jobs import Job
from serving.access import Actor, RequestGuard
from serving.dictionary.routing import Acting, guarded_router
from serving.documents.base import DocumentsDesk
from serving.documents.wire import JobWire, job_wire
from serving.pauses import with_pauses

_KEEP_ALIVE_S = 10.0


def job_routes(desk: DocumentsDesk, guard: RequestGuard, prefix: str) -> APIRouter:
    """Return the routes below ``prefix/jobs``."""
    router = guarded_router(prefix, "documents", guard, "manage")

    @router.get("/jobs")
    async def list_jobs(actor: Acting) -> list[JobWire]:
        """List the ingestions that are remembered, oldest first."""
        return [job_wire(job, prefix) for job in desk.jobs.jobs() if _may_see(actor, job)]

    @router.get("/jobs/{job_id}")
    async def show_job(job_id: str, actor: Acting) -> JobWire:
        """Show how far an ingestion is."""
        return job_wire(_find(desk, job_id, actor), prefix)

    @router.delete("/jobs/{job_id}")
    async def cancel_job(job_id: str, actor: Acting) -> JobWire:
        """Stop an ingestion, or take it off the queue; what it stored stays."""
        _find(desk, job_id, actor)
        return job_wire(desk.jobs.cancel(job_id), prefix)

    @router.get("/jobs/{job_id}/events", response_class=StreamingResponse)
    async def watch_job(
        job_id: str, actor: Acting, last_event_id: Annotated[str, Header(alias="last-event-id")] = ""
    ) -> StreamingResponse:
        """Tell an ingestion as server-sent events: ``started``, ``progress``, ``file``, and ``done`` at its end.

        With ``Last-Event-ID`` it goes on behind that event. The ingestion itself goes on whoever listens.
        """
        _find(desk, job_id, actor)
        after = int(last_event_id) if re.fullmatch("[0-9]{1,15}", last_event_id) else 0
        told = _told(desk.jobs.events(job_id, after=after))
        return StreamingResponse(told, media_type="text/event-stream")

    return router


def _may_see(actor: Actor, job: Job) -> bool:
    return actor.groups is None or job.order.group in actor.groups


def _find(desk: DocumentsDesk, job_id: str, actor: Actor) -> Job:
    job = desk.jobs.job(job_id)
    if not _may_see(actor, job):
        raise NotFound(f"there is no ingestion job {job_id!r}: it is long over, or never was")
    return job


async def _told(events: AsyncGenerator[tuple[int, dict[str, Any]], None]) -> AsyncIterator[str]:
    async with aclosing(with_pauses(events, _KEEP_ALIVE_S)) as heard:
        async for item in heard:
            if item is None:
                yield ": still there\n\n"
                continue
            number, values = item
            yield f"id: {number}\nevent: {values['event']}\ndata: {json.dumps(values, ensure_ascii=False)}\n\n"
