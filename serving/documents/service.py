"""The actions that people perform on documents: list, show, upload, ingest, remove, view a page."""

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from contracts.documents import (
    CatalogueState,
    DocumentDetails,
    DocumentPage,
    FileRecord,
    PageInfo,
    RemovalProof,
    SectionSummary,
    UploadLimits,
)
from contracts.errors import Conflict, InvalidInput, NotFound
from contracts.jobs import IngestionJob, JobOrder
from contracts.text import Document
from ingestion.files.archives import ARCHIVE_SUFFIXES, holds
from ingestion.jobs import IngestionJobs
from ingestion.readers.registry import SUPPORTED_SUFFIXES
from ingestion.watched_folders import expect_watchable
from library.store import LibraryStore
from serving.access import Actor, expect_all_groups
from serving.documents.originals import PagePicture, draw_page
from serving.documents.uploads import MAX_FILES, check_group, check_name, expect_room, keep_uploads, uploaded_file

PREFIX = "/api/documents"
_SUMMARIES, _TERMS = 50, 200


class DocumentsService:
    """Acts on documents for the caller; documents that the caller may not read are ``NotFound``.

    ``remove`` removes a document from every index and verifies this; ``uploads`` is the folder of uploaded files,
    ``upload_quota_bytes`` their total limit. All methods raise ``Unavailable`` if the database cannot be used.
    """

    def __init__(
        self,
        store: LibraryStore,
        jobs: IngestionJobs,
        *,
        remove: Callable[[str], Awaitable[RemovalProof]],
        uploads: Path,
        max_upload_bytes: int,
        upload_quota_bytes: int,
    ) -> None:
        self._store = store
        self._ledger = store.ledger
        self._jobs = jobs
        self._remove = remove
        self._uploads = uploads
        self._upload_quota_bytes = upload_quota_bytes
        # One at a time: drawing needs a lot of memory, and uses threads that questions need.
        self._drawing = asyncio.Lock()
        self.max_upload_bytes = max_upload_bytes

    def search(
        self, actor: Actor, *, text: str = "", state: CatalogueState | None = None, after: str = "", limit: int = 100
    ) -> DocumentPage:
        """Return a page of the documents and the files that could not be read, sorted by path. Blocking."""
        text = text.strip()
        found = self._ledger.records(text=text, state=state, groups=actor.groups, after=after, limit=limit + 1)
        return DocumentPage(
            documents=tuple(self._counted(found[:limit])),
            next=found[limit - 1].path if len(found) > limit else None,
            totals=self._ledger.totals(text=text, groups=actor.groups),
        )

    def intake(self, actor: Actor) -> UploadLimits:
        """Return what may be uploaded, and for which groups. Blocking."""
        groups = {"everyone", *self._ledger.groups()} if actor.groups is None else actor.groups
        return UploadLimits(
            suffixes=tuple(sorted({*SUPPORTED_SUFFIXES, *ARCHIVE_SUFFIXES})),
            max_bytes=self.max_upload_bytes,
            max_files=MAX_FILES,
            groups=tuple(sorted(groups, key=lambda group: (group != "everyone", group))),
            any_group=actor.groups is None,
            watched_roots=tuple(map(str, self._jobs.watched_roots)) if actor.groups is None else (),
        )

    def details(self, actor: Actor, document_id: str) -> DocumentDetails:
        """Return a document with its history and its first summaries and terms. Blocking."""
        (record,) = self._counted([self._record(actor, document_id)])
        stored = self._store.document(document_id) if record.answers else None
        chunks = self._store.document_chunks(document_id) if stored else ()
        summaries = sorted((each for each in chunks if each.kind == "summary"), key=lambda each: each.ordinal)
        return DocumentDetails(
            **dict(record),
            media_type=stored.media_type if stored else "",
            history=self._ledger.history(document_id),
            summaries=tuple(
                SectionSummary(heading=" › ".join(each.heading_path), page=each.page, text=each.text)
                for each in summaries[:_SUMMARIES]
            ),
            terms=self._ledger.mined_from(document_id)[:_TERMS] if stored else (),
        )

    async def remove(self, actor: Actor, document_id: str) -> RemovalProof:
        """Remove a document from every index, and prove that it is gone; its file is deleted only if it was uploaded.

        For a file that could not be read, or that is a duplicate, only the record is deleted.
        """
        record = await asyncio.to_thread(self._record, actor, document_id)
        if not record.answers and record.state in ("failed", "duplicate"):
            await asyncio.to_thread(self._ledger.drop, document_id)
            return RemovalProof(id=document_id, path=record.path, chunks=0, vectors=0, searched_again=0)
        if not record.answers:
            raise NotFound(f"the library has no version of the document {document_id}: its state is {record.state}")
        proof = await self._remove(document_id)
        await asyncio.to_thread(self._remove_upload, record)
        copies = tuple(each for each in proof.copies if _may_use(actor, each.group))
        return proof.model_copy(update={"copies": copies})

    async def reread(self, actor: Actor, document_id: str) -> IngestionJob:
        """Start reading a document's file again for the same readers, even if it has not changed.

        Raises:
            NotFound: there is no such document for ``actor``.
            Conflict: its file is gone.
            Unavailable: too many ingestions are waiting.
        """
        record = await asyncio.to_thread(self._record, actor, document_id)
        path = Path(record.path)
        if not path.is_absolute() or not await asyncio.to_thread(holds, path):
            raise Conflict(f"the file of {record.name} is gone: upload it again")
        await asyncio.to_thread(self._ledger.outdate, document_id)
        return await self._jobs.submit(JobOrder(paths=(record.path,), group=record.group, who=actor.name))

    async def upload(self, actor: Actor, files: Sequence[tuple[str | None, BinaryIO]], group: str) -> IngestionJob:
        """Store files in the documents folder, replacing those with the same names, and start ingesting them.

        Raises:
            InvalidInput: there is no file, or a name cannot be used.
            NotFound: ``actor`` may not read ``group``.
            RequestTooLarge: all uploads together would exceed their quota.
            Unavailable: the files cannot be written, or too many ingestions are waiting.
        """
        if not _may_use(actor, check_group(group)):
            raise NotFound(f"there is no group {group!r} that you may read")
        if not files:
            raise InvalidInput("files: at least one file is needed, in fields named files", field="files")
        named = [(check_name(name), file) for name, file in files]
        sizes = [file.seek(0, os.SEEK_END) for _, file in named]
        for _, file in named:
            file.seek(0)
        await asyncio.to_thread(expect_room, self._uploads, sizes, self._upload_quota_bytes)
        paths = await asyncio.to_thread(keep_uploads, named, self._uploads / group)
        order = JobOrder(paths=tuple(map(str, paths)), group=group, who=actor.name)
        return await self._jobs.submit(order)

    async def watch(self, actor: Actor, path: str, group: str, *, prune: bool = False) -> IngestionJob:
        """Start watching a folder on the server, until its job is cancelled.

        With ``prune``, documents whose files are gone are removed.

        Raises:
            Forbidden: ``actor`` may not read every group.
            InvalidInput: it is not in one of the folders that may be watched, or ``group`` is not a valid group name.
            NotFound: there is no such folder.
            Conflict: it is already watched.
            Unavailable: too many ingestions are waiting.
        """
        expect_all_groups(actor, "A watched folder")
        folder = str(await asyncio.to_thread(expect_watchable, Path(path), self._jobs.watched_roots))
        jobs = await asyncio.to_thread(self._jobs.queue.jobs)
        if any(each.watch and not each.is_over and each.paths == (folder,) for each in jobs):
            raise Conflict(f"The folder {folder} is already watched.")
        order = JobOrder(paths=(folder,), group=check_group(group), prune=prune, watch=True, who=actor.name)
        return await self._jobs.submit(order)

    def jobs(self, actor: Actor) -> tuple[IngestionJob, ...]:
        """Return the stored ingestions, oldest first. Blocking."""
        return tuple(job for job in self._jobs.queue.jobs() if _may_use(actor, job.group))

    def job(self, actor: Actor, job_id: str) -> IngestionJob:
        job = self._jobs.queue.job(job_id)
        if not _may_use(actor, job.group):
            raise NotFound(f"there is no ingestion job {job_id!r}: it ended long ago, or never existed")
        return job

    async def cancel_job(self, actor: Actor, job_id: str) -> IngestionJob:
        """Stop an ingestion, or remove it from the queue; documents that it has stored are kept."""
        await asyncio.to_thread(self.job, actor, job_id)
        return await self._jobs.cancel(job_id)

    async def watch_job(self, actor: Actor, job_id: str) -> AsyncGenerator[IngestionJob, None]:
        """Yield an ingestion as it is now, and after every change, until it ends."""
        await asyncio.to_thread(self.job, actor, job_id)
        return self._jobs.watch(job_id)

    async def sheet(self, actor: Actor, document_id: str, page: int) -> PageInfo:
        document = await asyncio.to_thread(self.document, actor, document_id)
        picture = await self.draw(document, page)
        return PageInfo(
            page=page,
            width_pt=picture.width_pt,
            height_pt=picture.height_pt,
            width_px=picture.width_px,
            height_px=picture.height_px,
            picture=f"{address_of(document.id)}/pages/{page}/picture?v={document.content_hash[:12]}",
        )

    async def draw(self, document: Document, page: int, width_px: int | None = None) -> PagePicture:
        async with self._drawing:
            return await asyncio.to_thread(draw_page, document, page, width_px)

    def document(self, actor: Actor, document_id: str) -> Document:
        document = self._store.document(document_id)
        if document is None or not _may_use(actor, document.group):
            raise NotFound(f"There is no document {document_id[:100]!r} in the library.")
        return document

    def _record(self, actor: Actor, document_id: str) -> FileRecord:
        record = self._ledger.record(document_id)
        if record is None or not _may_use(actor, record.group):
            raise NotFound(f"there is no document {document_id!r} in the library")
        return record

    def _counted(self, records: Sequence[FileRecord]) -> list[FileRecord]:
        poor = self._ledger.poor_pages([each.document_id for each in records if each.answers])
        return [each.model_copy(update={"poor_pages": len(poor.get(each.document_id, ()))}) for each in records]

    def _remove_upload(self, record: FileRecord) -> None:
        """Remove the file of a removed document if it was uploaded and contains no other document."""
        file = uploaded_file(Path(record.path))
        others = (uploaded_file(Path(each.path)) for each in self._ledger.records(text=str(file)))
        if file.is_relative_to(self._uploads) and file not in others:
            file.unlink(missing_ok=True)


def address_of(document_id: str) -> str:
    """Return the path of a document on the server; the paths of its pages and its file begin with it."""
    return f"{PREFIX}/{quote(document_id, safe='', errors='replace')}"


def _may_use(actor: Actor, group: str) -> bool:
    return actor.groups is None or group in actor.groups
