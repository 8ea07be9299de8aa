"""Routes of import and export: the dictionary in from CSV and XLSX files, and out to them."""

import asyncio
import re
import shutil
import tempfile
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, File, Query, UploadFile
from fastapi.responses import Response

from contracts.errors import InvalidInput
from serving.access import RequestGuard
from serving.dictionary.base import DictionaryDesk, SheetExchanger
from serving.dictionary.editing import newest_change
from serving.dictionary.problems import problems
from serving.dictionary.rendering import imported_sheet, planned_sheet
from serving.dictionary.routing import FORM, Acting, dictionary_router, in_thread
from serving.dictionary.trail_wire import Imported
from serving.dictionary.wire import SheetName

# The largest that is read of one file (20 MB) twice, and the form around them.
MAX_UPLOAD_BYTES = 42 * 1024 * 1024
# A whole dictionary in memory, and a core busy with it: others wait for their turn.
_AT_ONCE = 2
_MAX_ROWS = 5_000
# Of others, while an import ran.
_BATCHES_BETWEEN = 50
_KINDS = {
    ".csv": "text/csv; charset=utf-8",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_UNSAFE = re.compile(r"[^\w .()+-]")

Sheet = Annotated[UploadFile | None, File(description="A CSV or XLSX file.")]


def exchange_routes(desk: DictionaryDesk, guard: RequestGuard) -> tuple[APIRouter, APIRouter]:
    """Return the routes ``/import`` and ``/export/…``."""
    turns = asyncio.Semaphore(_AT_ONCE)
    uploads = dictionary_router(guard, "manage", reads=FORM, whole="An import of the dictionary")
    downloads = dictionary_router(guard, "manage", whole="An export of the dictionary")

    @uploads.post("/import", summary="Import files", responses=problems(400, 413, 415))
    async def bring_in(
        actor: Acting,
        terms: Sheet = None,
        contexts: Sheet = None,
        preview: Annotated[bool, Query(description="Say row by row what would change, and change nothing.")] = False,
        rows: Annotated[int, Query(ge=0, le=_MAX_ROWS, description="How many rows a preview lists.")] = 1_000,
    ) -> Imported:
        """Import terms, contexts or both, all of them or nothing; importing a file again changes nothing.

        Columns of terms: term, aliases (separated by ;), context, extended_name, description, notes, source, state.
        Columns of contexts: name, description, examples. Send the header X-Golden-Request: 1.
        """
        if terms is None and contexts is None:
            raise InvalidInput("There is no file: send a part named terms, contexts or both.", field="terms")
        async with turns:
            return await in_thread(_import, desk, actor.name, terms, contexts, preview, rows)

    @downloads.get(
        "/export/{sheet}",
        summary="Export a file",
        response_class=Response,
        responses={200: {"content": {kind: {} for kind in _KINDS.values()}}, **problems()},
    )
    async def export(sheet: SheetName) -> Response:
        """Download the dictionary, or its contexts, as a file that imports back to the same."""
        async with turns:
            content = await in_thread(_export, desk.sheets, sheet)
        name = f"dictionary-{sheet}" if sheet.startswith("contexts") else sheet.replace("terms", "dictionary")
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=_KINDS[Path(sheet).suffix], headers=headers)

    return uploads, downloads


def _import(
    desk: DictionaryDesk,
    who: str,
    terms: UploadFile | None,
    contexts: UploadFile | None,
    preview: bool,
    rows: int,
) -> Imported:
    with tempfile.TemporaryDirectory(prefix="golden-import-") as folder:
        of_terms = _kept(terms, Path(folder) / "terms") if terms is not None else None
        of_contexts = _kept(contexts, Path(folder) / "contexts") if contexts is not None else None
        before = newest_change(desk.keeper)
        if preview:
            planned, described = desk.sheets.preview(of_terms, of_contexts)
            done = planned_sheet(planned, rows), planned_sheet(described, rows)
        else:
            reports = desk.sheets.bring_in(who, of_terms, of_contexts)
            done = imported_sheet(reports[0]), imported_sheet(reports[1])
        made = [] if preview else desk.keeper.batches(limit=_BATCHES_BETWEEN)
    imports = [each.number for each in made if each.first.action == "import" and each.first.who == who]
    return Imported(
        preview=preview,
        change=max((number for number in imports if number > before), default=None),
        terms=done[0] if of_terms is not None else None,
        contexts=done[1] if of_contexts is not None else None,
    )


def _kept(upload: UploadFile, folder: Path) -> Path:
    """Write an upload to a file of its own name, as far as that is one, so that messages can name it.

    Raises:
        InvalidInput: its name does not say of which kind it is.
    """
    name = _UNSAFE.sub("_", (upload.filename or "").replace("\\", "/").rpartition("/")[2])[-100:].strip(" .")
    if Path(name).suffix.lower() not in (*_KINDS, ".tsv", ".txt", ".xls"):
        raise InvalidInput(
            f"{upload.filename or 'A part without a file name'!r} cannot be imported: send a file that ends in .csv or "
            ".xlsx.",
            field="file",
        )
    folder.mkdir()
    path = folder / name
    with path.open("wb") as file:
        shutil.copyfileobj(upload.file, file)
    return path


def _export(sheets: SheetExchanger, sheet: SheetName) -> bytes:
    with tempfile.TemporaryDirectory(prefix="golden-export-") as folder:
        path = Path(folder) / sheet
        write = sheets.write_terms if sheet.startswith("terms") else sheets.write_contexts
        write(path)
        return path.read_bytes()
