"""Ingestions in the background as they are served, and as server-sent events."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from pydantic import computed_field

from contracts.jobs import IngestionJob
from serving.documents.service import PREFIX
from serving.event_stream import with_pauses

_KEEP_ALIVE_S = 10.0


class ServedJob(IngestionJob, frozen=True):
    """An ingestion in the background, with the address where it can be watched."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def events(self) -> str:
        """The path of its events."""
        return f"{PREFIX}/jobs/{self.id}/events"


def served_job(job: IngestionJob) -> ServedJob:
    """Return a job as it is served."""
    return ServedJob(**dict(job))


async def event_stream(events: AsyncGenerator[tuple[int, dict[str, Any]], None]) -> AsyncIterator[str]:
    """Yield a job's numbered events as server-sent events, with a sign of life where none comes for a while."""
    async with aclosing(with_pauses(events, _KEEP_ALIVE_S)) as heard:
        async for item in heard:
            if item is None:
                yield ": still there\n\n"
                continue
            number, values = item
            yield f"id: {number}\nevent: {values['event']}\ndata: {json.dumps(values, ensure_ascii=False)}\n\n"
