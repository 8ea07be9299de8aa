"""The routes of pages and files: a page's size, its picture, the document's file, for whoever may read it."""

import asyncio
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from contracts.errors import NotFound
from contracts.text import Document
from serving.access import Actor, RequestGuard
from serving.dictionary.routing import Acting, guarded_router, in_thread
from serving.documents.base import DocumentsDesk
from serving.documents.originals import Originals, original_response
from serving.documents.pictures import MAX_WIDTH_PX, MIN_WIDTH_PX, PageImages, PagePicture, expect_page
from serving.documents.wire import PageWire

# A picture is asked for by its content's mark: the next version of a document has other addresses.
_KEPT_S = 3_600
_PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/jpeg": {}}, "description": "The page as JPEG."},
    304: {"description": "As before."},
}
_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/octet-stream": {}}, "description": "The file; ranges of it can be asked for."},
    206: {"description": "A range of it."},
    304: {"description": "As before."},
    416: {"description": "There is no such range."},
}

Width = Annotated[
    int | None,
    Query(ge=MIN_WIDTH_PX, le=MAX_WIDTH_PX, description="At most so many pixels wide, such as 160 for a small one."),
]


def page_routes(desk: DocumentsDesk, guard: RequestGuard, prefix: str) -> APIRouter:
    """Return the routes below ``prefix/{document_id}`` that whoever may ask may use."""
    router = guarded_router(prefix, "documents", guard, "ask")
    originals = Originals()
    images = PageImages(originals)
    # One at a time: drawing needs much memory, and threads that questions need.
    drawing = asyncio.Lock()

    async def draw(document: Document, page: int, width: int | None) -> PagePicture:
        expect_page(document, page)
        if picture := images.kept(document, page, width):
            return picture
        async with drawing:
            return await in_thread(images.draw, document, page, width)

    @router.get("/{document_id}/pages/{page}")
    async def show_page(document_id: str, page: int, actor: Acting, width: Width = None) -> PageWire:
        """Say how large a page and its picture are, and where its picture and the document's file are.

        A page of which there is no picture is answered by 404 with the code `no_picture`.
        """
        document = await _find(desk, document_id, actor)
        return _page_wire(document, page, await draw(document, page, width), prefix, width)

    @router.get("/{document_id}/pages/{page}/picture", response_class=Response, responses=_PICTURE)
    async def show_picture(
        document_id: str, page: int, request: Request, actor: Acting, width: Width = None
    ) -> Response:
        """Show a page as it looks, upright."""
        document = await _find(desk, document_id, actor)
        tag = f'"{document.content_hash[:32]}-{page}-{width or 0}"'
        headers = {
            "cache-control": f"private, max-age={_KEPT_S}",
            "etag": tag,
            "vary": "Authorization, Cookie",
        }
        if _has(request, tag):
            expect_page(document, page)
            return Response(status_code=304, headers=headers)
        picture = await draw(document, page, width)
        return Response(picture.content, media_type=picture.media_type, headers=headers)

    @router.get("/{document_id}/file", response_class=Response, responses=_FILE)
    async def open_file(document_id: str, request: Request, actor: Acting) -> Response:
        """Send the file that the document was read from, as long as it is the same: 404 where it changed or is gone.

        PDFs, images and plain text are for showing; everything else is for saving.
        """
        document = await _find(desk, document_id, actor)
        path = await in_thread(originals.path, document)
        response = await in_thread(original_response, document, path)
        if _has(request, response.headers["etag"]):
            kept = {name: response.headers[name] for name in ("cache-control", "etag", "vary")}
            return Response(status_code=304, headers=kept)
        return response

    return router


def _page_wire(document: Document, page: int, picture: PagePicture, prefix: str, width: int | None) -> PageWire:
    own = f"{prefix}/{quote(document.id, safe='')}"
    asked = f"?v={document.content_hash[:12]}" + (f"&width={width}" if width else "")
    return PageWire(
        page=page,
        pages=document.pages,
        width_pt=picture.width_pt,
        height_pt=picture.height_pt,
        width_px=picture.width_px,
        height_px=picture.height_px,
        picture=f"{own}/pages/{page}/picture{asked}",
        file=f"{own}/file",
    )


def _has(request: Request, tag: str) -> bool:
    """Say whether the browser says that it has what ``tag`` names."""
    told = request.headers.get("if-none-match", "").split(",")
    return any(each.strip().removeprefix("W/") in (tag, "*") for each in told)


async def _find(desk: DocumentsDesk, document_id: str, actor: Actor) -> Document:
    document = await in_thread(desk.library.document, document_id)
    if document is None or (actor.groups is not None and document.group not in actor.groups):
        raise NotFound(f"There is no document {document_id[:100]!r} in the library.")
    return document
