"""A loader's documents on their way into the library: fetched, spooled, ingested, and pruned."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts.errors import GoldenError
from ingestion.files.finding import FoundFile
from ingestion.limits import IngestionLimits
from ingestion.loaders.arguments import LoaderCall
from ingestion.loaders.classes import open_loader, refusal
from ingestion.loaders.spool import Spool
from ingestion.reports import FileReport, Hear, IngestionReport, Progress
from ingestion.scratch import scratch_folder

if TYPE_CHECKING:
    from ingestion.pipeline import IngestionPipeline
    from library.store import LibraryStore


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedReport:
    """What became of a loader's documents.

    ``failure`` says why the loader stopped before its end, "" where it did not; what came until then was ingested.
    ``not_pruned`` says why nothing was removed although it was asked for.
    """

    report: IngestionReport
    removed: tuple[FileReport, ...] = ()
    failure: str = ""
    not_pruned: str = ""


async def ingest_loader(
    pipeline: "IngestionPipeline",
    store: "LibraryStore",
    call: LoaderCall,
    *,
    group: str = "everyone",
    prune: bool = False,
    limits: IngestionLimits | None = None,
    on_event: Hear | None = None,
) -> LoadedReport:
    """Ingest what a loader brings for the readers of ``group``; unchanged documents are skipped.

    With ``prune`` the documents of an earlier run of the same loader with the same arguments that it no longer gives
    are removed, unless it failed or gave nothing at all.

    Raises:
        InvalidInput: there is no such loader, it does not take these arguments, or it failed before its first document.
        Unavailable: a package is missing, or the database or the embedding model is not there.
    """
    with scratch_folder() as folder:
        spool = Spool(folder, call, limits or IngestionLimits())
        failure = await _fetch(spool, call, on_event)
        if failure is not None and not spool.files:
            raise failure
        report = await pipeline.ingest_found(spool.files, group=group, check_content=True, on_event=on_event)
    removed: tuple[FileReport, ...] = ()
    not_pruned = ""
    if prune and failure is not None:
        not_pruned = "nothing was removed, since the loader failed before its end"
    elif prune and not spool.files:
        not_pruned = "nothing was removed, since the loader gave no document at all"
    elif prune:
        removed = await _prune(pipeline, store, call, spool.files, on_event)
    return LoadedReport(
        report=report, removed=removed, failure="" if failure is None else str(failure), not_pruned=not_pruned
    )


async def _fetch(spool: Spool, call: LoaderCall, on_event: Hear | None) -> GoldenError | None:
    """Let the loader fill the spool in a thread of its own; return what it failed with."""
    stopped = False

    def hear(count: int) -> bool:
        if on_event is not None:
            on_event(Progress(phase="finding", files_done=0, files_total=count, current=spool.files[-1].place))
        return not stopped

    try:
        return await asyncio.to_thread(_fill, spool, call, hear)
    except asyncio.CancelledError:
        # The thread ends at its next document.
        stopped = True
        raise


def _fill(spool: Spool, call: LoaderCall, hear: Callable[[int], bool]) -> GoldenError | None:
    try:
        spool.fill(open_loader(call), hear)
    except GoldenError as error:
        return error
    except Exception as error:
        return refusal(call, error)
    return None


async def _prune(
    pipeline: "IngestionPipeline",
    store: "LibraryStore",
    call: LoaderCall,
    files: Sequence[FoundFile],
    on_event: Hear | None,
) -> tuple[FileReport, ...]:
    given = {file.place for file in files}
    removed = []
    for document in await asyncio.to_thread(store.documents):
        if document.path.startswith(call.place) and document.path not in given:
            reason = "the loader no longer gives it"
            await pipeline.remove(document.id, reason=reason)
            report = FileReport(path=document.path, status="removed", document_id=document.id, reason=reason)
            removed.append(report)
            if on_event is not None:
                on_event(report)
    return tuple(removed)
