"""What to do with a file: nothing, read it, or record that its content is already known."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from contracts.documents import FileRecord
from contracts.text import Document
from ingestion.files.archives import hash_content, holds
from ingestion.files.found_files import FoundFile
from library.ledger import suffix_of
from library.store import LibraryStore

Action = Literal["keep", "regroup", "move", "duplicate", "read"]

# A file changed twice within a tick of the clock would look unchanged: its modification time counts once it is this
# old.
_SETTLED_NS = 2_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to do with a file. ``stored`` is the document that is kept or moved, or that a duplicate repeats."""

    action: Action
    document_id: str
    content_hash: str
    size_bytes: int
    modified_ns: int
    stored: Document | None = None


class Planner:
    """Plans files one after another, in order. Blocking; each content is read once per run."""

    def __init__(self, store: LibraryStore, *, group: str, recipe: str) -> None:
        self._store = store
        self._ledger = store.ledger
        self._group = group
        self._recipe = recipe
        self._moved: set[str] = set()
        self._coming: set[tuple[str, str]] = set()

    def unchanged(self, files: Sequence[FoundFile]) -> set[str]:
        """Return the places of the files whose size and modification time are unchanged."""
        records = self._ledger.records_at([file.place for file in files])
        return {
            file.place
            for file in files
            if (known := records.get(file.place)) is not None and self._is_same(file, known)
        }

    def plan(self, file: FoundFile) -> Plan:
        """Plan one file. Raises ``UnreadableFile``."""
        content_hash = hash_content(file.path)
        stored = self._store.document_at(file.place)
        record = self._ledger.record_at(file.place)
        plan = partial(Plan, content_hash=content_hash, size_bytes=file.size_bytes, modified_ns=file.modified_ns)
        if stored is not None and stored.content_hash == content_hash and self._is_made_alike(record):
            action: Action = "keep" if stored.group == self._group else "regroup"
            return plan(action=action, document_id=stored.id, stored=stored)
        document_id = stored.id if stored is not None else self._ledger.id_for(file.place)
        key = (content_hash, suffix_of(file.place))
        twins = [twin for twin in self._twins(file.place, content_hash) if twin.id not in self._moved]
        gone = [twin for twin in twins if not holds(Path(twin.path))]
        there = [twin for twin in twins if twin.group == self._group and twin not in gone]
        known = key in self._coming
        # This also applies to a duplicate: if its twin has other content when its turn comes, the duplicate itself is
        # read.
        self._coming.add(key)
        if stored is None and gone:
            # The document with the same file name, or else the first by path.
            moved = min(gone, key=lambda each: (each.name != file.name, each.path))
            self._moved.add(moved.id)
            return plan(action="move", document_id=moved.id, stored=moved)
        if there or known:
            return plan(action="duplicate", document_id=document_id, stored=there[0] if there else None)
        return plan(action="read", document_id=document_id, stored=stored)

    def twin_of(self, place: str, content_hash: str) -> Document | None:
        """Return a document with this content and group at a different path whose file exists."""
        for twin in self._twins(place, content_hash):
            if twin.group == self._group and holds(Path(twin.path)):
                return twin
        return None

    def _twins(self, place: str, content_hash: str) -> list[Document]:
        return [
            each
            for each in self._ledger.with_content(content_hash)
            if each.path != place
            and suffix_of(each.path) == suffix_of(place)
            and self._is_made_alike(self._ledger.record(each.id))
        ]

    def _is_made_alike(self, record: FileRecord | None) -> bool:
        return record is not None and record.recipe == self._recipe

    def _is_same(self, file: FoundFile, known: FileRecord) -> bool:
        same = file.modified_ns and (file.size_bytes, file.modified_ns) == (known.size_bytes, known.modified_ns)
        settled = known.changed_at.timestamp() * 1e9 - file.modified_ns >= _SETTLED_NS
        if not same or not settled or known.group != self._group or file.modified_ns > time.time_ns():
            return False
        if known.state == "ready":
            return known.answers and known.recipe == self._recipe
        return known.state == "duplicate" and self.twin_of(file.place, known.content_hash) is not None
