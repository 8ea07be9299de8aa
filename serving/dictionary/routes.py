"""The routes of the dictionary under ``/api/dictionary``: each calls a function of the service."""

from collections.abc import Sequence
from typing import Annotated, TypeVar

from fastapi import APIRouter, File, Path, Query, UploadFile
from fastapi.responses import Response

from agent.previews import QuestionReading
from contracts.dictionary import (
    ContextEntry,
    DeletedContext,
    DeletedSense,
    Imported,
    SenseEntry,
    SenseFilter,
    SensePage,
    UnknownTerm,
)
from contracts.items import ItemPage, Items
from contracts.jargon import SenseState
from serving.dictionary.bodies import ContextIn, QuestionIn, SenseIn, SensePatch
from serving.dictionary.service import DictionaryService, Sheet, SheetName
from serving.routing import Acting, IfMatch, guarded_router

PREFIX = "/api/dictionary"
# Two files of the largest accepted size (20 MB), plus the form around them.
MAX_UPLOAD_BYTES = 42 * 1024 * 1024
MAX_LIMIT = 500
MAX_OFFSET = 100_000_000
# The largest number that fits into a key of either database.
MAX_NUMBER = 2**31 - 1
_MAX_ROWS = 5_000
_CSV = "text/csv; charset=utf-8"

_Entry = TypeVar("_Entry", SenseEntry, ContextEntry)

SenseId = Annotated[int, Path(ge=1, le=MAX_NUMBER, description="The meaning's number.", examples=[12])]
ContextName = Annotated[
    str, Path(max_length=400, description="The context's name, in any letter case.", examples=["Protocols"])
]
QueuedName = Annotated[str, Path(max_length=400, description="The term, spelled as in the queue.", examples=["PLR"])]
# Longer than any term; SQLite refuses longer patterns.
Sought = Annotated[str, Query(max_length=400)]
Limit = Annotated[int, Query(ge=0, le=MAX_LIMIT, description="How many items to list.")]
Offset = Annotated[int, Query(ge=0, le=MAX_OFFSET, description="How many items to skip.")]
Upload = Annotated[UploadFile | None, File(description="A CSV or XLSX file.")]


def dictionary_routers(service: DictionaryService) -> Sequence[APIRouter]:
    """Return all routes under ``/api/dictionary``."""
    router, asking = (guarded_router(PREFIX, "dictionary", scope) for scope in ("manage", "ask"))
    _sense_routes(router, service)
    _context_routes(router, service)
    _waiting_routes(router, service)
    _asking_routes(asking, service)
    _sheet_routes(router, service)
    return router, asking


def _asking_routes(router: APIRouter, service: DictionaryService) -> None:
    @router.post("/readings", summary="Preview how a question is interpreted")
    async def read(given: QuestionIn, actor: Acting) -> QuestionReading:
        """Show which terms of a question are found, how each would be interpreted and why. Nothing is answered or
        stored.
        """
        return await service.read(actor, given.question, given.department)


def _sense_routes(router: APIRouter, service: DictionaryService) -> None:
    @router.get("/senses", summary="List meanings")
    def list_senses(
        actor: Acting,
        state: Annotated[SenseState | None, Query(description="Only this state.")] = None,
        context: Annotated[
            Sought | None, Query(description="Only this context; empty: meanings that apply everywhere.")
        ] = None,
        term: Annotated[Sought | None, Query(description="Only this term, in any letter case.")] = None,
        text: Annotated[Sought, Query(description="Only those that contain this text anywhere.")] = "",
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> SensePage:
        """List one page of the meanings that match a filter, with the total in each state."""
        wanted = SenseFilter(state=state, context=context, term=term, text=text)
        return service.senses(actor, wanted, limit=limit, offset=offset)

    @router.get("/senses/{sense_id}", summary="Get a meaning")
    def get(sense_id: SenseId, actor: Acting, response: Response) -> SenseEntry:
        """Return a meaning with its version."""
        return _tagged(response, service.sense(actor, sense_id))

    @router.post("/senses", status_code=201, summary="Add a meaning")
    def add(given: SenseIn, actor: Acting, response: Response) -> SenseEntry:
        """Add a meaning of a term; it takes effect from the next question on. An existing meaning is unchanged."""
        return _tagged(response, service.add_sense(actor, given), new=True)

    @router.patch("/senses/{sense_id}", summary="Edit a meaning")
    def patch(
        sense_id: SenseId, given: SensePatch, actor: Acting, response: Response, if_match: IfMatch = None
    ) -> SenseEntry:
        """Change only the given fields."""
        return _tagged(response, service.edit_sense(actor, sense_id, given, if_match))

    @router.delete("/senses/{sense_id}", summary="Delete a meaning")
    def delete(sense_id: SenseId, actor: Acting, if_match: IfMatch = None) -> DeletedSense:
        """Delete a meaning; undoing the returned change restores it. A mined meaning may be suggested again."""
        return service.delete_sense(actor, sense_id, if_match)


def _context_routes(router: APIRouter, service: DictionaryService) -> None:
    """Add the routes under ``/contexts``. A name may contain slashes."""

    @router.get("/contexts", summary="List contexts")
    def list_contexts(actor: Acting) -> Items[ContextEntry]:
        """List all contexts, sorted by name."""
        return Items[ContextEntry](items=service.contexts(actor))

    @router.get("/contexts/{name:path}", summary="Get a context")
    def get_context(name: ContextName, actor: Acting, response: Response) -> ContextEntry:
        """Return a context with its version."""
        return _tagged(response, service.context(actor, name))

    @router.put("/contexts/{name:path}", summary="Add or update a context")
    def put_context(
        name: ContextName, given: ContextIn, actor: Acting, response: Response, if_match: IfMatch = None
    ) -> ContextEntry:
        """Update the description of a context, or add one; its name is spelled as in the address."""
        return _tagged(response, service.put_context(actor, name, given, if_match))

    @router.delete("/contexts/{name:path}", summary="Delete a context")
    def delete_context(name: ContextName, actor: Acting, if_match: IfMatch = None) -> DeletedContext:
        """Delete a context that no meaning is bound to."""
        return service.delete_context(actor, name, if_match)


def _waiting_routes(router: APIRouter, service: DictionaryService) -> None:
    """Add the routes for the queue of unknown terms. A term may contain slashes."""

    @router.get("/queue", summary="List unknown terms")
    def list_queue(actor: Acting, limit: Limit = 50, offset: Offset = 0) -> ItemPage[UnknownTerm]:
        """List the unknown terms that people asked about, most frequent first."""
        return service.queue(actor, limit=limit, offset=offset)

    @router.delete("/queue/{term:path}", status_code=204, summary="Dismiss an unknown term")
    def dismiss(term: QueuedName, actor: Acting) -> None:
        """Remove a term from the queue; it reappears when somebody asks about it again."""
        service.dismiss(actor, term)


def _sheet_routes(router: APIRouter, service: DictionaryService) -> None:
    @router.post("/import", summary="Import files", max_body_size=MAX_UPLOAD_BYTES)
    async def bring_in(
        actor: Acting,
        terms: Upload = None,
        contexts: Upload = None,
        preview: Annotated[
            bool, Query(description="Show row by row what would change, without changing anything.")
        ] = False,
        rows: Annotated[int, Query(ge=0, le=_MAX_ROWS, description="How many rows a preview lists.")] = 1_000,
    ) -> Imported:
        """Import terms, contexts or both, all or nothing; importing a file again changes nothing.

        Columns of terms: term, aliases (separated by ;), context, extended_name, description, notes, source, state.
        Columns of contexts: name, description, examples. Send the header X-Golden-Request: 1.
        """
        return await service.import_sheets(actor, _sheet(terms), _sheet(contexts), preview=preview, rows=rows)

    @router.get(
        "/export/{sheet}", summary="Export a file", response_class=Response, responses={200: {"content": {_CSV: {}}}}
    )
    async def export(sheet: SheetName, actor: Acting) -> Response:
        """Download the dictionary, or its contexts, as a file that can be imported again unchanged."""
        content = await service.export(actor, sheet)
        name = f"dictionary-{sheet}" if sheet.startswith("contexts") else sheet.replace("terms", "dictionary")
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=_CSV, headers=headers)


def _sheet(upload: UploadFile | None) -> Sheet | None:
    return None if upload is None else (upload.filename or "", upload.file)


def _tagged(response: Response, entry: _Entry, *, new: bool = False) -> _Entry:
    response.headers["etag"] = entry.etag
    if new:
        response.headers["location"] = f"{PREFIX}/senses/{entry.id}"
    return entry
