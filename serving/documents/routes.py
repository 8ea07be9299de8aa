"""The documents' routes: list, show, upload, ingest, remove."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from contracts.errors import Conflict, InvalidInput, NotFound
from ingestion.files.archives import ARCHIVE_SUFFIXES
from ingestion.jobs import JobOrder
from ingestion.readers.registry import SUPPORTED_SUFFIXES
from library.values import CatalogueState, FileRecord
from serving.access import Actor, RequestGuard, expect_all_groups
from serving.areas import Area
from serving.dictionary.routing import FORM, Acting, guarded_router, in_thread
from serving.documents.base import DocumentsDesk
from serving.documents.jobs import job_routes
from serving.documents.pages import page_routes
from serving.documents.uploads import MAX_FILES, allowed_paths, check_group, check_name, keep_uploads
from serving.documents.verification import verification_routes
from serving.documents.wire import (
    DocumentChange,
    DocumentDetails,
    DocumentPage,
    DocumentWire,
    IngestRequest,
    IntakeWire,
    JobWire,
    ProofWire,
    details_wire,
    document_wire,
    job_wire,
    proof_wire,
)
from serving.requests import MAX_BODY_BYTES

PREFIX = "/api/documents"

_FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            FORM: {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "properties": {
                        "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
                        "group": {"type": "string", "default": "everyone"},
                    },
                }
            }
        },
    }
}


def documents_area(desk: DocumentsDesk, guard: RequestGuard) -> Area:
    """Return everything below ``/api/documents``; ``guard`` lets requests in."""
    return Area(
        # Jobs first: else a document of the id "jobs" would be asked for.
        routers=(
            job_routes(desk, guard, PREFIX),
            page_routes(desk, guard, PREFIX),
            verification_routes(desk.verifications, guard, PREFIX),
            _ingesting(desk, guard),
            _reading(desk, guard),
            _changing(desk, guard),
        ),
        bounds={PREFIX: desk.max_upload_bytes, f"{PREFIX}/ingest": MAX_BODY_BYTES},
        scoped=(PREFIX,),
    )


def _reading(desk: DocumentsDesk, guard: RequestGuard) -> APIRouter:
    router = guarded_router(PREFIX, "documents", guard, "manage")

    @router.get("")
    async def list_documents(
        actor: Acting,
        q: Annotated[str, Query(max_length=500, description="Sought in paths and titles, in any letter case.")] = "",
        state: CatalogueState | None = None,
        after: str = "",
        limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    ) -> DocumentPage:
        """List the documents and the files that could not be read, by path, a page at a time; those removed on demand.

        The state `poor` is that of documents which answer, and have pages that were read poorly.
        """
        records = await in_thread(
            desk.catalogue.page, text=q.strip(), state=state, groups=actor.groups, after=after, limit=limit + 1
        )
        totals = await in_thread(desk.catalogue.totals, text=q.strip(), groups=actor.groups)
        page = records[:limit]
        poor = await in_thread(desk.shelf.poor_pages, [record.document_id for record in page])
        return DocumentPage(
            documents=[document_wire(each, len(poor.get(each.document_id, ()))) for each in page],
            next=page[-1].path if len(records) > limit else None,
            totals={str(each): count for each, count in totals.items()},
        )

    @router.get("/intake")
    async def show_intake(actor: Acting) -> IntakeWire:
        """Say what may be uploaded, and for the readers of which groups."""
        there = await in_thread(desk.catalogue.groups)
        groups = {"everyone", *there} if actor.groups is None else actor.groups
        return IntakeWire(
            suffixes=sorted({*SUPPORTED_SUFFIXES, *ARCHIVE_SUFFIXES}),
            max_bytes=desk.max_upload_bytes,
            max_files=MAX_FILES,
            groups=sorted(groups, key=lambda group: (group != "everyone", group)),
            any_group=actor.groups is None,
        )

    @router.get("/{document_id}")
    async def show_document(document_id: str, actor: Acting) -> DocumentDetails:
        """Show a document with its history, the summaries of its sections, and the terms found in it."""
        record = await _find(desk, document_id, actor)
        stored = await in_thread(desk.library.document, document_id) if record.answers else None
        return details_wire(
            record,
            await in_thread(desk.shelf.history, document_id),
            poor_pages=await _count_poor(desk, document_id),
            media_type=stored.media_type if stored else "",
            chunks=await in_thread(desk.library.document_chunks, document_id) if stored else (),
            terms=await in_thread(desk.shelf.mined_from, document_id) if stored else (),
        )

    return router


def _changing(desk: DocumentsDesk, guard: RequestGuard) -> APIRouter:
    router = guarded_router(PREFIX, "documents", guard, "manage")

    @router.patch("/{document_id}")
    async def change_document(document_id: str, body: DocumentChange, actor: Acting) -> DocumentWire:
        """Give a document to the readers of another group, for as long as no ingestion reads its file for another.

        Both groups must be among those of whoever does it.
        """
        record = await _find(desk, document_id, actor)
        group = check_group(body.group)
        _expect_group(actor, group)
        if not record.answers:
            raise NotFound(f"no version of the document {document_id} is in the library: its state is {record.state}")
        if record.state != "ready":
            raise Conflict(f"the document {document_id} is {record.state}: have it read first, then change its group")
        if group != record.group:
            await desk.regrouper.regroup(record, group)
        return document_wire(await _find(desk, document_id, actor), await _count_poor(desk, document_id))

    @router.delete("/{document_id}")
    async def remove_document(document_id: str, actor: Acting) -> ProofWire:
        """Remove a document from SQL, the vectors and the lexical index, and prove that it is gone; its file stays."""
        record = await _find(desk, document_id, actor)
        if not record.answers:
            raise NotFound(f"no version of the document {document_id} is in the library: its state is {record.state}")
        return proof_wire(await desk.remover.remove(document_id), actor.groups)

    return router


def _ingesting(desk: DocumentsDesk, guard: RequestGuard) -> APIRouter:
    router = guarded_router(PREFIX, "documents", guard, "manage")

    @router.post("", status_code=202, openapi_extra=_FORM)
    async def upload_documents(request: Request, actor: Acting) -> JobWire:
        """Take uploaded files into the documents' folder, over those of the same names, and ingest them."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != FORM:
            raise HTTPException(415, f"Uploads are {FORM}, and this is {kind or 'of no declared type'}")
        async with request.form(max_files=MAX_FILES, max_fields=10) as form:
            given = form.get("group", "everyone")
            group = check_group(given if isinstance(given, str) else "")
            _expect_group(actor, group)
            files = [each for each in form.getlist("files") if isinstance(each, UploadFile)]
            if not files:
                raise InvalidInput("files: at least one file is needed, in fields of the name files", field="files")
            uploads = [(check_name(each.filename), each.file) for each in files]
            paths = await in_thread(keep_uploads, uploads, desk.uploads / group)
        job = desk.jobs.submit(JobOrder(paths=paths, group=group, who=actor.name))
        return job_wire(job, PREFIX)

    @router.post("/ingest", status_code=202)
    async def ingest_paths(body: IngestRequest, actor: Acting) -> JobWire:
        """Ingest files and folders of the server, below the folders that are configured for it.

        They may hold documents of any group: this needs a key that may read them all.
        """
        expect_all_groups(actor, "Ingesting files of the server")
        group = check_group(body.group)
        _expect_group(actor, group)
        paths = await in_thread(allowed_paths, body.paths, desk.folders)
        order = JobOrder(paths=paths, group=group, prune=body.prune, check_content=body.check_content, who=actor.name)
        return job_wire(desk.jobs.submit(order), PREFIX)

    return router


def _expect_group(actor: Actor, group: str) -> None:
    if actor.groups is not None and group not in actor.groups:
        raise NotFound(f"there is no group {group!r} among yours")


async def _count_poor(desk: DocumentsDesk, document_id: str) -> int:
    return len((await in_thread(desk.shelf.poor_pages, [document_id])).get(document_id, ()))


async def _find(desk: DocumentsDesk, document_id: str, actor: Actor) -> FileRecord:
    record = await in_thread(desk.shelf.record, document_id)
    if record is None or (actor.groups is not None and record.group not in actor.groups):
        raise NotFound(f"there is no document {document_id!r} in the library")
    return record
