"""The documents' routes: list, show, upload, ingest, watch, remove, pages and files."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from contracts.documents import CatalogueState, DocumentDetails, DocumentPage, RemovalProof
from contracts.jobs import IngestionJob
from serving.documents.originals import MAX_WIDTH_PX, MIN_WIDTH_PX, original_path, original_response
from serving.documents.service import PREFIX, DocumentsService
from serving.documents.uploads import MAX_FILES
from serving.event_stream import MEDIA_TYPE, with_pauses
from serving.routing import Acting, guarded_router

FORM = "multipart/form-data"
# The address of a picture contains a digest of its content: the next version of a document has different addresses.
_KEPT_S = 3_600
_KEEP_ALIVE_S = 10.0
_FIELDS = {
    "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
    "group": {"type": "string", "default": "everyone"},
}
_FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {FORM: {"schema": {"type": "object", "required": ["files"], "properties": _FIELDS}}},
    }
}

Width = Annotated[
    int | None,
    Query(ge=MIN_WIDTH_PX, le=MAX_WIDTH_PX, description="The maximum width in pixels, such as 160 for a thumbnail."),
]


class WatchedFolder(BaseModel):
    """A folder on the server to watch; with ``prune``, documents whose files are gone are removed."""

    model_config = ConfigDict(extra="forbid")

    path: str = Field(min_length=1, max_length=4_000)
    group: str = "everyone"
    prune: bool = False


def documents_routers(service: DocumentsService) -> Sequence[APIRouter]:
    """Return all routes under ``/api/documents``."""
    managing = guarded_router(PREFIX, "documents", "manage")
    asking = guarded_router(PREFIX, "documents", "ask")
    # These come before the routes of one document: no document has the id "jobs".
    _add_jobs(managing, service)
    _add_documents(managing, service)
    _add_pages(asking, service)
    return asking, managing


def _add_jobs(router: APIRouter, service: DocumentsService) -> None:
    @router.get("/jobs")
    def list_jobs(actor: Acting) -> list[IngestionJob]:
        """List the ingestions that are waiting, running or recently finished, oldest first, with speed and failures."""
        return list(service.jobs(actor))

    @router.get("/jobs/{job_id}")
    def show_job(job_id: str, actor: Acting) -> IngestionJob:
        """Show the progress of an ingestion."""
        return service.job(actor, job_id)

    @router.delete("/jobs/{job_id}")
    async def cancel_job(job_id: str, actor: Acting) -> IngestionJob:
        """Stop an ingestion, or remove it from the queue; documents that it has stored are kept."""
        return await service.cancel_job(actor, job_id)

    @router.get("/jobs/{job_id}/events", response_class=StreamingResponse)
    async def watch_job(job_id: str, actor: Acting) -> StreamingResponse:
        """Report an ingestion as server-sent events: its progress now and after every change, until it ends.

        Each event has the same content as `GET /jobs/{job_id}`. The ingestion continues even if nobody listens.
        """
        jobs = await service.watch_job(actor, job_id)
        return StreamingResponse(_event_stream(jobs), media_type=MEDIA_TYPE)

    @router.post("/watched", status_code=202)
    async def watch_folder(body: WatchedFolder, actor: Acting) -> IngestionJob:
        """Watch a folder on the server under `GOLDEN_WATCHED_ROOTS`: new and changed files are ingested until the job
        is deleted. This requires permission to read every group.
        """
        return await service.watch(actor, body.path, body.group, prune=body.prune)

    @router.post("", status_code=202, openapi_extra=_FORM, max_body_size=service.max_upload_bytes)
    async def upload_documents(request: Request, actor: Acting) -> IngestionJob:
        """Store uploaded files in the documents folder, replacing those with the same names, and ingest them."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != FORM:
            raise HTTPException(415, f"Uploads must be {FORM}; this is {kind or 'of no declared type'}")
        async with request.form(max_files=MAX_FILES, max_fields=10) as form:
            group = form.get("group", "everyone")
            files = [(each.filename, each.file) for each in form.getlist("files") if isinstance(each, UploadFile)]
            return await service.upload(actor, files, group if isinstance(group, str) else "")


def _add_documents(router: APIRouter, service: DocumentsService) -> None:
    @router.get("")
    def list_documents(
        actor: Acting,
        q: Annotated[
            str, Query(max_length=500, description="Text to find in paths and titles, in any letter case.")
        ] = "",
        state: CatalogueState | None = None,
        after: str = "",
        limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    ) -> DocumentPage:
        """List the documents and the files that could not be read, sorted by path, in pages; removed ones on request.

        The state `poor` means documents in use that have poorly read pages.
        """
        return service.search(actor, text=q, state=state, after=after, limit=limit)

    @router.get("/{document_id}")
    def show_document(document_id: str, actor: Acting) -> DocumentDetails:
        """Show a document with its history, the summaries of its sections, and the terms found in it."""
        return service.details(actor, document_id)

    @router.delete("/{document_id}")
    async def remove_document(document_id: str, actor: Acting) -> RemovalProof:
        """Remove a document from SQL, the vectors and the lexical index, and prove that it is gone.

        Its file is deleted only if it was uploaded.
        """
        return await service.remove(actor, document_id)

    @router.post("/{document_id}/reading", status_code=202)
    async def reread_document(document_id: str, actor: Acting) -> IngestionJob:
        """Read a document's file again, even if it has not changed."""
        return await service.reread(actor, document_id)


def _add_pages(router: APIRouter, service: DocumentsService) -> None:
    @router.get("/{document_id}/pages/{page}/picture", response_class=Response)
    async def show_picture(document_id: str, page: int, actor: Acting, width: Width = None) -> Response:
        """Show a page as an upright picture; a page without one gives 404 with the code `no_picture`."""
        document = await asyncio.to_thread(service.document, actor, document_id)
        picture = await service.draw(document, page, width)
        headers = {"cache-control": f"private, max-age={_KEPT_S}", "vary": "Authorization, Cookie"}
        return Response(picture.content, media_type="image/jpeg", headers=headers)

    @router.get("/{document_id}/file", response_class=Response)
    def open_file(document_id: str, request: Request, actor: Acting) -> Response:
        """Send the document's original file; 404 if it was changed after it was read, or is gone.

        PDFs, images and plain text are shown; everything else is downloaded.
        """
        document = service.document(actor, document_id)
        response = original_response(document, original_path(document))
        tags = request.headers.get("if-none-match", "").split(",")
        if any(each.strip().removeprefix("W/") in (response.headers["etag"], "*") for each in tags):
            kept = {name: response.headers[name] for name in ("cache-control", "etag", "vary")}
            return Response(status_code=304, headers=kept)
        return response


async def _event_stream(jobs: AsyncGenerator[IngestionJob, None]) -> AsyncIterator[str]:
    """Yield a job as server-sent events, with keep-alive messages while nothing changes."""
    async with aclosing(with_pauses(jobs, _KEEP_ALIVE_S)) as heard:
        async for job in heard:
            yield f"data: {job.model_dump_json()}\n\n" if job is not None else ": still there\n\n"
