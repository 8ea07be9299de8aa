"""The doctor: checks whether everything that the bot needs works on this machine, and explains how to fix it."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from contracts.errors import Conflict, GoldenError
from database.transactions import reading
from golden_retriever.settings import Settings, cache_folder
from golden_retriever.wiring.engines import build_ocr
from golden_retriever.wiring.indexes import build_embedder, make_data_folder, open_database, open_library
from golden_retriever.wiring.library_checks import verify_indexes
from golden_retriever.wiring.llm_check import check_llm

_GIB = 1024**3
_LOW_DISK_BYTES = 2 * _GIB
_FULL_DISK_BYTES = _GIB // 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result for one part, with the command or setting that fixes it; ``details`` are further lines.

    A ``fault`` means that something does not work; a ``warning``, that it only partly works, or may soon stop working.
    """

    part: str = ""
    state: Literal["ok", "warning", "fault"] = "ok"
    found: str
    mend: str = ""
    details: tuple[str, ...] = ()


async def examine(settings: Settings) -> AsyncIterator[Finding]:
    """Check every part, and yield the finding for each as soon as it is known.

    The data folder and the database tables are created if they are missing, as with every command.
    """
    checks: dict[str, Callable[[Settings], Awaitable[Finding]]] = {
        "data folder": _data_folder,
        "disk": _disk,
        "database": _database,
        "embedding model": _embedding_model,
        "indexes": _indexes,
        "documents": _documents,
        "OCR": _ocr,
        "language model": _language_model,
    }
    for part, check in checks.items():
        try:
            found = await check(settings)
        except Exception as error:
            # Errors raised by libraries are included: the remaining parts must still be checked.
            known = isinstance(error, GoldenError | OSError)
            found = Finding(state="fault", found=str(error) if known else f"{type(error).__name__}: {error}")
        yield replace(found, part=part)


async def _data_folder(settings: Settings) -> Finding:
    make_data_folder(settings)
    folder = settings.data_dir.resolve()
    locked = [each.name for each in sorted(folder.iterdir()) if not os.access(each, os.R_OK | os.W_OK)]
    if not locked:
        return Finding(found=str(folder))
    found = f"this account may not read and write {', '.join(locked)} in {folder}"
    return Finding(state="fault", found=found, mend=f"make it the owner: chown -R {os.getuid()} {folder}")


async def _disk(settings: Settings) -> Finding:
    places = {settings.data_dir.resolve(), cache_folder(), Path(tempfile.gettempdir())}
    free, place = min((shutil.disk_usage(each).free, each) for each in places)
    found = f"{free / _GIB:,.1f} GiB are free at {place}"
    if free >= _LOW_DISK_BYTES:
        return Finding(found=found)
    mend = "delete unneeded files, or set a different folder: GOLDEN_DATA_DIR, XDG_CACHE_HOME or TMPDIR"
    return Finding(state="fault" if free < _FULL_DISK_BYTES else "warning", found=found, mend=mend)


async def _database(settings: Settings) -> Finding:
    with open_database(settings) as engine:
        name = engine.url.render_as_string(hide_password=True)
        if engine.name == "sqlite":
            with reading(engine) as connection:
                damage = connection.exec_driver_sql("PRAGMA quick_check(10)").scalars().all()
            if damage != ["ok"]:
                mend = "stop the programs that use it, and restore a backup"
                return Finding(state="fault", found=f"{name} is damaged", mend=mend, details=tuple(damage))
    return Finding(found=f"{name}, with the tables of this version")


async def _embedding_model(settings: Settings) -> Finding:
    embedder = build_embedder(settings)
    await embedder.embed_queries(["ready?"])
    return Finding(found=embedder.name)


async def _indexes(settings: Settings) -> Finding:
    with open_library(settings) as store:
        try:
            faults = await verify_indexes(settings, store, build_embedder(settings).name)
        except Conflict as error:
            return Finding(state="warning", found=f"not compared with SQL: {error}", mend="stop the server first")
    if not faults:
        return Finding(found="they agree with SQL")
    mend = "golden documents rebuild; for the rest, delete the document and ingest it again"
    return Finding(state="fault", found="they differ from SQL", mend=mend, details=tuple(faults))


async def _documents(settings: Settings) -> Finding:
    with open_library(settings) as store:
        totals = store.ledger.totals()
    ready, failed = totals.get("ready", 0), totals.get("failed", 0)
    if not failed:
        return Finding(found=f"{ready} can be searched")
    found = f"{ready} can be searched, {failed} could not be read"
    return Finding(state="warning", found=found, mend="golden documents list --state failed says why")


async def _ocr(settings: Settings) -> Finding:
    from PIL import Image, ImageDraw, ImageFont

    page = Image.new("L", (600, 120), 255)
    ImageDraw.Draw(page).text((20, 20), "Scanned pages", fill=0, font=ImageFont.load_default(size=60))
    engine = build_ocr(settings)
    try:
        words = (await asyncio.to_thread(engine.read, page)).words
    except GoldenError as error:
        # Everything except scans can be read without it.
        return Finding(state="warning", found=f"scanned pages cannot be read: {error}")
    read = " ".join(each.text for each in words)
    found = f"{type(engine).__name__} reads 'Scanned pages' as {read!r}"
    return Finding(state="ok" if "scanned" in read.casefold() else "warning", found=found)


async def _language_model(settings: Settings) -> Finding:
    if not settings.llm:
        return Finding(found="none is set (GOLDEN_LLM): everything runs embedded")
    report = await check_llm(settings)
    if report.as_asked:
        return Finding(found=report.verdict, details=report.lines)
    mend = "see the marked lines, or remove from GOLDEN_ENGINES what cannot run there"
    return Finding(state="fault", found=report.verdict, mend=mend, details=report.lines)
