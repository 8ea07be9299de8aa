"""Watched folders: they are checked again and again, and their changes are ingested."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.errors import InvalidInput, NotFound, Unavailable
from ingestion.files.found_files import FoundFile
from ingestion.pipeline import IngestionPipeline
from ingestion.reports import Event, FileReport, Hear

# Checks take at most a tenth of the time, even if the folders are large.
_REST, _LEAST_REST_S = 9, 10.0
# A file that was written a moment ago may not be complete.
_SETTLED_S = 2.0
_FIRST_WAIT_S, _LONGEST_WAIT_S = 60.0, 3_600.0


@dataclass(slots=True)
class _Failure:
    """A file that failed: how long and until when it is skipped, and its size and modification time."""

    wait_s: float
    next_try: float
    version: tuple[int, int] | None = None


class FolderWatcher:
    """Ingests new and changed files at and below ``paths``.

    A file that cannot be read is tried again after a minute, then after two, up to once an hour, and immediately if it
    has changed. ``before`` is awaited before each check, ``after`` if something changed.
    """

    def __init__(
        self,
        pipeline: IngestionPipeline,
        paths: list[Path],
        *,
        group: str = "everyone",
        prune: bool = False,
        before: Callable[[], Awaitable[object]] | None = None,
        after: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._pipeline = pipeline
        self._paths = paths
        self._group = group
        self._prune = prune
        self._before = before
        self._after = after
        self._on_event: Hear | None = None
        self._failures: dict[str, _Failure] = {}
        self._changed = False
        self._resumes = True

    async def watch(self, on_outage: Callable[[str], None], on_event: Hear | None = None) -> None:
        """Check the folders again and again, until this is cancelled.

        If the database or a model is not available, ``on_outage`` receives the reason, and the next check waits, as
        after a failed file.
        """
        outage_s = _FIRST_WAIT_S
        while True:
            started = time.monotonic()
            try:
                await self.look(on_event)
                wait_s, outage_s = max(_LEAST_REST_S, _REST * (time.monotonic() - started)), _FIRST_WAIT_S
            except Unavailable as error:
                on_outage(str(error))
                wait_s, outage_s = outage_s, min(2 * outage_s, _LONGEST_WAIT_S)
            await asyncio.sleep(wait_s)

    async def look(self, on_event: Hear | None = None) -> None:
        """Check the folders once.

        ``on_event`` receives the reports of ``IngestionPipeline.ingest``, except those about files that are skipped.
        Raises the same errors as that method.
        """
        self._on_event = on_event
        if self._before is not None:
            await self._before()
        await self._pipeline.ingest(
            self._paths,
            group=self._group,
            prune=self._prune,
            leave=self._leave,
            resume=self._resumes,
            on_event=self._hear,
        )
        # Only once: otherwise every check would remove the marks of other servers.
        self._resumes = False
        # If this or the ingestion fails, the next check catches up.
        if self._changed and self._after is not None:
            await self._after()
        self._changed = False

    def _leave(self, file: FoundFile) -> bool:
        """Return whether a file is skipped this time."""
        if file.skipped or file.missing:
            return True
        failure = self._failures.get(file.place)
        if failure is not None:
            version = (file.size_bytes, file.modified_ns)
            failure.version = failure.version or version
            if failure.version == version:
                return time.monotonic() < failure.next_try
            del self._failures[file.place]
        return abs(time.time() - file.modified_ns / 1e9) < _SETTLED_S

    def _hear(self, event: Event) -> None:
        if isinstance(event, FileReport):
            failure = self._failures.pop(event.path, None)
            if event.status == "failed":
                wait_s = min(2 * failure.wait_s, _LONGEST_WAIT_S) if failure is not None else _FIRST_WAIT_S
                self._failures[event.path] = _Failure(wait_s, time.monotonic() + wait_s)
            self._changed |= event.status not in ("unchanged", "failed")
            if event.status == "unchanged":
                return
        if self._on_event is not None:
            self._on_event(event)


def expect_watchable(folder: Path, roots: Sequence[Path]) -> Path:
    """Return ``folder`` with its links resolved, if it is below ``roots``. Blocking.

    Raises:
        InvalidInput: it is not below ``roots``, whether it exists or not.
        NotFound: there is no such folder.
    """
    try:
        resolved = folder.resolve()
    except (OSError, ValueError, RuntimeError):
        resolved = Path()
    if not roots:
        raise InvalidInput("No folder on the server may be watched: GOLDEN_WATCHED_ROOTS is not set.", field="path")
    if not any(resolved.is_relative_to(root.resolve()) for root in roots):
        raise InvalidInput(f"Only folders below {' and '.join(map(str, roots))} may be watched.", field="path")
    if not resolved.is_dir():
        raise NotFound(f"There is no folder {folder} on the server.")
    return resolved
