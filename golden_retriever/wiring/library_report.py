"""What the library was made of: sums over the last reading of each document, and what deserves a look."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.errors import GoldenError, InvalidInput

if TYPE_CHECKING:
    from contracts.documents import FileRecord, HistoryEntry
    from library.store import LibraryStore

_SUMMED = ("pages", "ocr_pages", "tables", "chunks", "mined_terms")


def report_library(store: "LibraryStore", *, pictures: Path | None = None) -> dict[str, Any]:
    """Report every file by its last reading, as plain JSON values; poor pages are drawn into the folder ``pictures``.

    Only documents with something to say (failed, with warnings, with poor pages) are listed.

    Raises:
        InvalidInput: the folder cannot be made.
        Unavailable: the library cannot be read just now.
    """
    if pictures is not None:
        try:
            pictures.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput(f"the folder {pictures} cannot be made: {error.strerror or error}") from error
    sums: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    states: Counter[str] = Counter()
    listed: list[dict[str, Any]] = []
    for record in store.ledger.records():
        states[record.state] += 1
        last = last_reading(store.ledger.history(record.document_id))
        if last is not None and record.answers:
            sums.update({name: getattr(last.report, name) for name in _SUMMED})
            seconds.update(last.report.phases)
        told = _told(record, last, pictures)
        if told is not None:
            listed.append(told)
    return {
        "states": dict(states),
        "sums": {name: sums[name] for name in _SUMMED},
        "seconds": {name: round(spent, 3) for name, spent in seconds.items()},
        "files": listed,
    }


def last_reading(history: "tuple[HistoryEntry, ...]") -> "HistoryEntry | None":
    """Return the ingestion that read the version in the library, None where none did."""
    return next((entry for entry in reversed(history) if entry.outcome == "ready"), None)


def _told(record: "FileRecord", last: "HistoryEntry | None", pictures: Path | None) -> dict[str, Any] | None:
    report = last.report if last is not None and record.answers else None
    poor = [
        {
            "page": each.page,
            "confidence": each.confidence,
            "reason": each.reason,
            **_picture(record, each.page, pictures),
        }
        for each in (report.poor_pages if report is not None else ())
    ]
    warnings = list(report.warnings) if report is not None else []
    if record.state == "ready" and not warnings and not poor:
        return None
    return {
        "id": record.document_id,
        "path": record.path,
        "state": record.state,
        "reason": record.reason,
        "answers": record.answers,
        "warnings": warnings,
        "poor_pages": poor,
    }


def _picture(record: "FileRecord", page: int, folder: Path | None) -> dict[str, str]:
    if folder is None:
        return {}
    from ingestion.files.archives import local_copy
    from ingestion.limits import IngestionLimits
    from ingestion.pictures import write_picture

    target = folder / f"{record.document_id}-{page:05}.png"
    try:
        with local_copy(Path(record.path), IngestionLimits()) as file:
            write_picture(file, page, target)
    except (GoldenError, OSError) as error:
        # The file may have gone since: the page is named all the same.
        return {"picture": "", "why_no_picture": str(error)}
    return {"picture": str(target)}
