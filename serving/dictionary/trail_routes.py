"""The routes of what concerns the whole dictionary: files in and out, its history and how readings were corrected."""

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, File, Query, UploadFile
from fastapi import Path as PathParameter
from fastapi.responses import Response

from contracts.dictionary import Batch, Change, ChangePage, CorrectionEntry, Imported
from contracts.items import Items
from serving.access import RequestGuard
from serving.dictionary.problems import problems
from serving.dictionary.routing import FORM, Acting, dictionary_router
from serving.dictionary.service import SHEET_KINDS, DictionaryService, Sheet, SheetName

# The largest that is read of one file (20 MB) twice, and the form around them.
MAX_UPLOAD_BYTES = 42 * 1024 * 1024
MAX_LIMIT = 500
# The largest number that a key of either database holds.
MAX_NUMBER = 2**31 - 1
_MAX_ROWS = 5_000

# Longer than any term; a longer pattern is refused by SQLite.
Sought = Annotated[str, Query(max_length=400)]
ChangeNumber = Annotated[int, PathParameter(ge=1, le=MAX_NUMBER, description="The change's number.", examples=[41])]
PageLimit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many items to list.")]
Upload = Annotated[UploadFile | None, File(description="A CSV or XLSX file.")]


def sheet_routes(service: DictionaryService, guard: RequestGuard) -> tuple[APIRouter, APIRouter]:
    """Return the routes ``/import`` and ``/export/…``."""
    # Whoever may not read every document is refused before a file is read.
    uploads = dictionary_router(guard, "manage", reads=FORM, whole="An import of the dictionary")
    downloads = dictionary_router(guard, "manage")

    @uploads.post("/import", summary="Import files", responses=problems(400, 413, 415))
    async def bring_in(
        actor: Acting,
        terms: Upload = None,
        contexts: Upload = None,
        preview: Annotated[bool, Query(description="Say row by row what would change, and change nothing.")] = False,
        rows: Annotated[int, Query(ge=0, le=_MAX_ROWS, description="How many rows a preview lists.")] = 1_000,
    ) -> Imported:
        """Import terms, contexts or both, all of them or nothing; importing a file again changes nothing.

        Columns of terms: term, aliases (separated by ;), context, extended_name, description, notes, source, state.
        Columns of contexts: name, description, examples. Send the header X-Golden-Request: 1.
        """
        return await service.bring_in(actor, _sheet(terms), _sheet(contexts), preview=preview, rows=rows)

    @downloads.get(
        "/export/{sheet}",
        summary="Export a file",
        response_class=Response,
        responses={200: {"content": {kind: {} for kind in SHEET_KINDS.values()}}, **problems()},
    )
    async def export(sheet: SheetName, actor: Acting) -> Response:
        """Download the dictionary, or its contexts, as a file that imports back to the same."""
        content = await service.export(actor, sheet)
        name = f"dictionary-{sheet}" if sheet.startswith("contexts") else sheet.replace("terms", "dictionary")
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=SHEET_KINDS[Path(sheet).suffix], headers=headers)

    return uploads, downloads


def trail_routes(service: DictionaryService, guard: RequestGuard) -> APIRouter:
    """Return the routes under ``/history`` and ``/batches``, and ``/corrections``."""
    router = dictionary_router(guard, "manage")

    @router.get("/history", summary="List changes", responses=problems())
    def history(
        actor: Acting,
        term: Annotated[
            Sought | None, Query(description="A term's or a context's spelling, now or formerly; all without one.")
        ] = None,
        before: Annotated[
            int | None, Query(ge=1, le=MAX_NUMBER, description="Only changes with a smaller number: the next page.")
        ] = None,
        limit: PageLimit = 50,
    ) -> ChangePage:
        """List who changed what when, the newest first."""
        return service.history(actor, term=term, before=before, limit=limit)

    @router.post("/history/{number}/undo", summary="Undo a change", responses=problems(404, 409))
    def undo(number: ChangeNumber, actor: Acting) -> Items[Change]:
        """Take a change back (a merge as a whole); refused where an entry has changed since. This can be undone, too.

        Send the header X-Golden-Request: 1.
        """
        return Items[Change](items=service.undo(actor, number))

    @router.get("/batches", summary="List what was changed at once", responses=problems())
    def batches(actor: Acting, limit: PageLimit = 50) -> Items[Batch]:
        """List imports, merges and whatever else was changed at once, the newest first, each with its counts."""
        return Items[Batch](items=service.batches(actor, limit=limit))

    @router.get("/batches/{number}", summary="List a batch's changes", responses=problems(404))
    def batch(number: ChangeNumber, actor: Acting, limit: PageLimit = 50) -> Items[Change]:
        """List the changes that were made with a change, in their order."""
        return Items[Change](items=service.batch(actor, number, limit=limit))

    @router.post("/batches/{number}/undo", summary="Undo a batch", responses=problems(404, 409))
    def undo_batch(number: ChangeNumber, actor: Acting) -> Batch:
        """Take back all that was changed at once, such as an import, or nothing of it. This can be undone, too.

        Send the header X-Golden-Request: 1.
        """
        return service.undo_batch(actor, number)

    @router.get("/corrections", summary="List corrections", responses=problems())
    def corrections(actor: Acting, limit: PageLimit = 50) -> Items[CorrectionEntry]:
        """List the meanings that askers chose for terms in their questions, the newest first."""
        return Items[CorrectionEntry](items=service.corrections(actor, limit=limit))

    return router


def _sheet(upload: UploadFile | None) -> Sheet | None:
    return None if upload is None else (upload.filename or "", upload.file)
