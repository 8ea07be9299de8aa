"""Documents, their histories and reports as lines for a terminal and as JSON values for machines."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from golden_retriever.cli.progress import shown

if TYPE_CHECKING:
    from contracts.documents import FileRecord, HistoryEntry, RemovalProof
    from contracts.text import Document


def list_line(record: "FileRecord") -> str:
    """Return a record in a line."""
    pages = f"{record.pages:>4} pages" if record.answers else " " * 10
    told = f": {shown(record.reason)}" if record.reason else ""
    older = " (an earlier version answers)" if record.state == "failed" and record.answers else ""
    return f"{record.document_id}  {record.state:<9} {pages}  {record.group:<12} {shown(record.path)}{told}{older}"


def record_values(record: "FileRecord", stored: "Document | None") -> dict[str, Any]:
    """Return a record as JSON values, with what the library says of its document."""
    return {
        **record.model_dump(by_alias=True, exclude={"poor_pages"}),
        "name": stored.name if stored is not None else record.name,
        "media_type": stored.media_type if stored is not None else "",
        "changed_at": record.changed_at.isoformat(),
    }


def entry_values(entry: "HistoryEntry") -> dict[str, Any]:
    """Return an ingestion as JSON values."""
    moments = {"started_at": entry.started_at.isoformat(), "finished_at": entry.finished_at.isoformat()}
    return {**entry.model_dump(), **moments}


def show_lines(record: "FileRecord", history: "Sequence[HistoryEntry]") -> Iterator[str]:
    """Yield all that is known of a document."""
    yield shown(record.path)
    yield f"  id       {record.document_id}"
    yield f"  state    {record.state}" + (f": {shown(record.reason)}" if record.reason else "")
    yield f"  answers  {'yes' if record.answers else 'no'}, for the readers of {record.group}"
    if record.answers:
        yield f"  title    {shown(record.title)}"
    read = [entry for entry in history if entry.outcome == "ready"]
    if read and record.answers:
        yield from _reading_lines(read[-1])
    yield "  history"
    for entry in history:
        told = f": {shown(entry.reason)}" if entry.reason else ""
        content = f"  content {entry.content_hash[:12]}" if entry.content_hash else ""
        yield f"    {entry.finished_at:%Y-%m-%d %H:%M:%S}  {entry.outcome:<10}{content}{told}"


def _reading_lines(entry: "HistoryEntry") -> Iterator[str]:
    report = entry.report
    yield (
        f"  read     {report.pages} pages, {report.ocr_pages} by OCR, {report.tables} tables, {report.chunks} chunks, "
        f"{report.mined_terms} mined terms"
    )
    phases = ", ".join(f"{name} {seconds:.1f}" for name, seconds in report.phases.items())
    yield f"  seconds  {report.seconds:.1f} ({phases})"
    for warning in report.warnings:
        yield f"  warning  {shown(warning)}"
    for page in report.poor_pages:
        yield f"  poor     page {page.page}: {shown(page.reason)}"


def report_lines(report: dict[str, Any]) -> Iterator[str]:
    """Yield the report of a library."""
    yield ", ".join(f"{count} {state}" for state, count in report["states"].items()) or "the library is empty"
    yield ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in report["sums"].items())
    if report["seconds"]:
        yield "seconds: " + ", ".join(f"{name} {spent:.1f}" for name, spent in report["seconds"].items())
    for file in report["files"]:
        yield f"{file['state']:<9} {shown(file['path'])}" + (f": {shown(file['reason'])}" if file["reason"] else "")
        for warning in file["warnings"]:
            yield f"          {shown(warning)}"
        for page in file["poor_pages"]:
            picture = page.get("picture") or page.get("why_no_picture")
            yield f"          page {page['page']}: {shown(page['reason'])}" + (f" ({picture})" if picture else "")


def proof_values(proof: "RemovalProof") -> dict[str, Any]:
    """Return a removal and its proof as JSON values."""
    return {
        "id": proof.id,
        "path": proof.path,
        "removed": {"chunks": proof.chunks, "vectors": proof.vectors},
        "searched_again": proof.searched_again,
        "problems": list(proof.problems),
        "gone": proof.gone,
        "copies": [{"path": copy.path, "answers": copy.answers} for copy in proof.copies],
    }


def proof_lines(proof: "RemovalProof") -> Iterator[str]:
    """Yield a removal and its proof."""
    yield f"deleted {shown(proof.path)}: {proof.chunks} chunks, {proof.vectors} vectors"
    for problem in proof.problems:
        yield f"but {problem}: golden documents rebuild"
    if proof.gone:
        yield f"searched for {proof.searched_again} of its chunks by words and by vectors: none is found any more"
    for copy in proof.copies:
        what = "answers" if copy.answers else "is read at the next ingestion"
        yield f"but {shown(copy.path)} has the same content, and {what}"
