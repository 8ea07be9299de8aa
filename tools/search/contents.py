"""What SQL holds for a vector index: the measure by which an index is whole or not."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from library.store import LibraryStore
from tools.search.base import Fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """The searchable chunks of one embedder: chunk id → document group, by id, and their fingerprint."""

    groups: Mapping[str, str]
    fingerprint: Fingerprint


def read_contents(store: LibraryStore, embedder_name: str) -> Contents:
    """Read which chunks an index of ``embedder_name`` should hold. Blocking.

    Raises:
        Unavailable: the library cannot be read just now.
    """
    return contents_of(embedder_name, store.searchable_groups(embedder=embedder_name))


def contents_of(embedder_name: str, groups: Mapping[str, str]) -> Contents:
    """Return the contents of an index of ``embedder_name`` with these chunks, by id, in these groups."""
    # At a million chunks one update for each of them takes a second longer.
    rows = "".join([f"\n{chunk_id}\t{group}" for chunk_id, group in groups.items()])
    digest = hashlib.sha256(f"{embedder_name}{rows}".encode())
    return Contents(groups=groups, fingerprint=Fingerprint(count=len(groups), digest=digest.hexdigest()))
