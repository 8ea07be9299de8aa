"""The pipeline: from files to documents in the library, each changed completely or not at all."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from contracts.errors import NotFound
from ingestion.cancellation import finish
from ingestion.files.archives import holds
from ingestion.files.found_files import FoundFile, find_files, lies_below
from ingestion.reports import FileReport, Hear, IngestionReport, Progress
from ingestion.runs.parts import Parts
from ingestion.runs.run import IngestionRun
from library.store import Removal


class IngestionPipeline(Parts):
    """Reads files and stores them in the library; a second run only reads what has changed.

    Files are read in parallel, and each is stored as soon as it is done, so that a slow one does not delay the others.
    If a run is killed, stored documents are complete; the next run continues, and leaves for last the files that were
    being read.
    """

    async def ingest(
        self,
        paths: Sequence[Path],
        *,
        group: str = "everyone",
        prune: bool = False,
        leave: Callable[[FoundFile], bool] | None = None,
        resume: bool = True,
        on_event: Hear | None = None,
    ) -> IngestionReport:
        """Ingest the files at and below ``paths`` for the readers of ``group``.

        A file that cannot be read is reported with the reason, and any earlier version of it stays. With ``prune``,
        documents below the given folders whose files are gone are removed. A file with the same size and modification
        time counts as unchanged. Files for which ``leave`` returns True are skipped. With ``resume``, files that a
        killed run was reading come last. ``on_event`` receives the progress and each file's result.

        Raises:
            Unavailable: the database or the embedding model is not available; documents stored before that are kept.
        """
        started = time.monotonic()
        report = IngestionReport()
        if on_event is not None:
            on_event(Progress(phase="finding", files_done=0, files_total=0))

        def find() -> Iterator[FoundFile]:
            found = find_files(paths, self.limits)
            return found if leave is None else (file for file in found if not leave(file))

        # The marks of a killed run. The marks of another active run are removed too: they are only displayed. Files
        # that the killed run was reading come last: if one kills every run, the others must still be read.
        interrupted = await asyncio.to_thread(self.store.ledger.end_readings) if resume else ()
        run = IngestionRun(self, group=group, hear=on_event, report=report)
        await run.take(find, last=interrupted)
        if prune:
            await self._prune(paths, run)
        await self._take_orphans(report, on_event)
        await asyncio.to_thread(self._drop_gone, paths)
        return _done(report, started, on_event)

    async def remove(self, document_id: str) -> Removal:
        """Remove a document and the terms mined from it; its file stays.

        Raises:
            NotFound: there is no such document.
            Unavailable: the database is not available.
        """
        document = await asyncio.to_thread(self.store.document, document_id)
        if document is None:
            raise NotFound(f"there is no document {document_id!r} in the library")
        return await finish(asyncio.to_thread(self.drop_document, document, "it was deleted"))

    async def _prune(self, paths: Sequence[Path], run: IngestionRun) -> None:
        """Remove the documents whose files are gone; a folder that does not exist may come back: its documents stay."""
        named = [path.expanduser().resolve() for path in paths]
        for document in await asyncio.to_thread(self.store.documents):
            path = Path(document.path)
            if not lies_below(path, named):
                continue
            if not await asyncio.to_thread(holds, path):
                reason = "its file is gone"
                await finish(asyncio.to_thread(self.drop_document, document, reason))
                run.tell(FileReport(path=document.path, status="removed", document_id=document.id, reason=reason))

    async def _take_orphans(self, report: IngestionReport, on_event: Hear | None) -> None:
        """Read the duplicates of a document that has changed or is gone."""
        ledger = self.store.ledger
        for record in await asyncio.to_thread(lambda: [each for each in ledger.unread() if each.state == "duplicate"]):
            path = Path(record.path)
            if not await asyncio.to_thread(holds, path):
                continue
            if await asyncio.to_thread(ledger.with_content, record.content_hash):
                continue
            run = IngestionRun(self, group=record.group, hear=on_event, report=report)
            await run.take(partial(find_files, [path], self.limits))

    def _drop_gone(self, paths: Sequence[Path]) -> None:
        """Delete the records of files that were never read and are gone."""
        named = [path.expanduser().resolve() for path in paths]
        for record in self.store.ledger.unread():
            path = Path(record.path)
            if lies_below(path, named) and not holds(path):
                self.store.ledger.drop(record.document_id)


def _done(report: IngestionReport, started: float, on_event: Hear | None) -> IngestionReport:
    report.seconds = time.monotonic() - started
    if on_event is not None:
        files = report.counts.total()
        on_event(Progress(phase="done", files_done=files, files_total=files, pages=report.pages, seconds_left=0.0))
    return report
