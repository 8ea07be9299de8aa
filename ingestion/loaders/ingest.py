"""A loader's documents on their way into the library: fetched, written to disk as files, ingested, and pruned."""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.errors import GoldenError
from ingestion.files.found_files import FoundFile
from ingestion.limits import IngestionLimits
from ingestion.loaders.calls import LoaderCall, open_loader, refusal
from ingestion.reports import FileReport, Hear, IngestionReport, Progress
from ingestion.scratch import scratch_folder

if TYPE_CHECKING:
    from ingestion.pipeline import IngestionPipeline
    from library.store import LibraryStore


SUFFIX = ".loaded"

# In the order of how surely each names a document for good.
_SOURCES = ("source", "url", "file_path", "path", "link", "permalink", "id", "doc_id", "key", "uri")
_TITLES = ("title", "name", "subject", "page_title", "file_name", "filename")
# What tells documents of one source apart.
_PARTS = ("page", "page_number", "row", "slide", "seq_num", "chunk", "start_index", "element_id")
_MOST_PLACE_CHARACTERS = 400
_MOST_NAME_CHARACTERS = 150


class Spool:
    """A folder in which documents of one call of a loader wait; ``files`` are those that came so far."""

    def __init__(self, folder: Path, call: LoaderCall, limits: IngestionLimits) -> None:
        self.files: list[FoundFile] = []
        self._folder = folder
        self._call = call
        self._limits = limits
        self._seen: Counter[str] = Counter()

    def fill(self, documents: Iterable[Any], hear: Callable[[int], bool]) -> None:
        """Write documents as they come; ``hear`` is told how many, and answers whether to go on."""
        for document in documents:
            self._write(document)
            if not hear(len(self.files)):
                return

    def _write(self, document: Any) -> None:
        text = self._call.redact(str(getattr(document, "page_content", "") or ""))
        found = getattr(document, "metadata", None)
        metadata: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
        source = self._source(document, metadata, text)
        title = self._call.redact(_first(metadata, _TITLES))[:_MOST_NAME_CHARACTERS]
        path = self._folder / f"{len(self.files):08d}{SUFFIX}"
        # Only what is shown and found: times of fetching and the like would make each run a change.
        content = json.dumps({"source": source, "text": text, "title": title}, sort_keys=True)
        skipped = ""
        if not text.strip():
            skipped = "the loader gave no text for it"
        elif len(content) > self._limits.markup_bytes:
            skipped = f"it has {len(text):,} characters, more than are allowed"
        else:
            path.write_text(content, encoding="ascii")
        self.files.append(
            FoundFile(
                path=path,
                skipped=skipped,
                stored_path=f"{self._call.place}{source}",
                stored_name=title or _last_part(source),
                size_bytes=len(content),
            )
        )

    def _source(self, document: Any, metadata: Mapping[str, Any], text: str) -> str:
        """Return what names a document for good: its source with its part there, else a hash of its text."""
        source = _first(metadata, _SOURCES) or " ".join(str(getattr(document, "id", None) or "").split())
        source = self._call.redact(source)
        if not source:
            source = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        if len(source) > _MOST_PLACE_CHARACTERS:
            digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:16]
            source = f"{source[:_MOST_PLACE_CHARACTERS]}…{digest}"
        source += "".join(f"#{name}={metadata[name]}" for name in _PARTS if isinstance(metadata.get(name), int | str))
        source = source.encode("utf-8", "replace").decode("utf-8")
        self._seen[source] += 1
        return source if self._seen[source] == 1 else f"{source}#{self._seen[source]}"


def _first(metadata: Mapping[str, Any], names: Iterable[str]) -> str:
    return next(_texts(metadata, names), "")


def _texts(metadata: Mapping[str, Any], names: Iterable[str]) -> Iterator[str]:
    for name in names:
        value = metadata.get(name)
        text = " ".join(str(value).split()) if isinstance(value, str | int | Path) else ""
        if text:
            yield text.encode("utf-8", "replace").decode("utf-8")


def _last_part(source: str) -> str:
    return source.rstrip("/").rpartition("/")[2][-_MOST_NAME_CHARACTERS:] or source[:_MOST_NAME_CHARACTERS]


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
