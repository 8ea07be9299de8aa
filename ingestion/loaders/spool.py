"""What a loader brings, written to disk as it comes: each document waits there as a file to be read."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ingestion.files.finding import FoundFile
from ingestion.limits import IngestionLimits
from ingestion.loaders.arguments import LoaderCall

SUFFIX = ".loaded"

# In the order of how surely each names a document for good.
_SOURCES = ("source", "url", "file_path", "path", "link", "permalink", "id", "doc_id", "key", "uri")
_TITLES = ("title", "name", "subject", "page_title", "file_name", "filename")
# What tells documents of one source apart.
_PARTS = ("page", "page_number", "row", "slide", "seq_num", "chunk", "start_index", "element_id")
_MOST_PLACE_CHARACTERS = 400
_MOST_NAME_CHARACTERS = 150


class Spool:
    """A folder in which documents of one call of a loader wait; ``files`` are those that came so far."""

    def __init__(self, folder: Path, call: LoaderCall, limits: IngestionLimits) -> None:
        self.files: list[FoundFile] = []
        self._folder = folder
        self._call = call
        self._limits = limits
        self._seen: Counter[str] = Counter()

    def fill(self, documents: Iterable[Any], hear: Callable[[int], bool]) -> None:
        """Write documents as they come; ``hear`` is told how many, and answers whether to go on."""
        for document in documents:
            self._write(document)
            if not hear(len(self.files)):
                return

    def _write(self, document: Any) -> None:
        text = self._call.redact(str(getattr(document, "page_content", "") or ""))
        found = getattr(document, "metadata", None)
        metadata: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
        source = self._source(document, metadata, text)
        title = self._call.redact(_first(metadata, _TITLES))[:_MOST_NAME_CHARACTERS]
        path = self._folder / f"{len(self.files):08d}{SUFFIX}"
        # Only what is shown and found: times of fetching and the like would make each run a change.
        content = json.dumps({"source": source, "text": text, "title": title}, sort_keys=True)
        skipped = ""
        if not text.strip():
            skipped = "the loader gave no text for it"
        elif len(content) > self._limits.markup_bytes:
            skipped = f"it has {len(text):,} characters, more than are allowed"
        else:
            path.write_text(content, encoding="ascii")
        self.files.append(
            FoundFile(
                path=path,
                skipped=skipped,
                stored_path=f"{self._call.place}{source}",
                stored_name=title or _last_part(source),
                size_bytes=len(content),
            )
        )

    def _source(self, document: Any, metadata: Mapping[str, Any], text: str) -> str:
        """Return what names a document for good: its source with its part there, else a hash of its text."""
        source = _first(metadata, _SOURCES) or " ".join(str(getattr(document, "id", None) or "").split())
        source = self._call.redact(source)
        if not source:
            source = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        if len(source) > _MOST_PLACE_CHARACTERS:
            digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:16]
            source = f"{source[:_MOST_PLACE_CHARACTERS]}…{digest}"
        source += "".join(f"#{name}={metadata[name]}" for name in _PARTS if isinstance(metadata.get(name), int | str))
        source = source.encode("utf-8", "replace").decode("utf-8")
        self._seen[source] += 1
        return source if self._seen[source] == 1 else f"{source}#{self._seen[source]}"


def _first(metadata: Mapping[str, Any], names: Iterable[str]) -> str:
    return next(_texts(metadata, names), "")


def _texts(metadata: Mapping[str, Any], names: Iterable[str]) -> Iterator[str]:
    for name in names:
        value = metadata.get(name)
        text = " ".join(str(value).split()) if isinstance(value, str | int | Path) else ""
        if text:
            yield text.encode("utf-8", "replace").decode("utf-8")


def _last_part(source: str) -> str:
    return source.rstrip("/").rpartition("/")[2][-_MOST_NAME_CHARACTERS:] or source[:_MOST_NAME_CHARACTERS]
