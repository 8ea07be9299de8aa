"""What the dictionary's manager works with over HTTP: the store, its files, its inspection, a question's preview."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.services import Services
    from jargon_db.reading import JargonReader
    from jargon_db.store import JargonStore
    from jargon_db.values import Finding, ImportReport, PlannedRow
    from library.store import LibraryStore
    from serving.dictionary.base import DictionaryDesk


class StoredSheetExchanger:
    """Brings a stored dictionary in from CSV and XLSX files and out to them. Blocking."""

    def __init__(self, store: "JargonStore") -> None:
        self._store = store

    def bring_in(self, who: str, terms: Path | None, contexts: Path | None) -> "tuple[ImportReport, ImportReport]":
        """Import the files under the name ``who``, both or neither; return the terms' report first.

        Raises:
            InvalidInput: a file cannot be read, or rows of it are wrong; the text lists every problem with its line.
        """
        from jargon_db.importing import import_files

        return import_files(self._store.acting_as(who), terms, contexts)

    def preview(
        self, terms: Path | None, contexts: Path | None
    ) -> "tuple[tuple[PlannedRow, ...], tuple[PlannedRow, ...]]":
        """Say what ``bring_in`` would do, row by row, and change nothing; the terms' rows first.

        Raises:
            InvalidInput: as of ``bring_in``.
        """
        from jargon_db.importing import preview_import

        return preview_import(self._store, terms, contexts)

    def write_terms(self, path: Path) -> int:
        """Write every sense to a CSV or XLSX file, and return how many there are.

        Raises:
            InvalidInput: the file cannot be written.
        """
        from jargon_db.exporting import export_terms

        return export_terms(self._store, path)

    def write_contexts(self, path: Path) -> int:
        """Write every context to a CSV or XLSX file, and return how many there are.

        Raises:
            InvalidInput: the file cannot be written.
        """
        from jargon_db.exporting import export_contexts

        return export_contexts(self._store, path)


class StoredDictionaryInspector:
    """Says what in a stored dictionary deserves a look; where there are documents, which terms they never use."""

    def __init__(self, store: "JargonReader", library: "LibraryStore") -> None:
        self._store = store
        self._library = library

    def inspect(self) -> "tuple[Finding, ...]":
        """Return what is to be looked at. Blocking."""
        from golden_retriever.wiring.inspecting import inspect_stored

        return inspect_stored(self._store, self._library)


class KnownSpellings:
    """Finds spellings of a stored dictionary and of the documents that are near to a term. Blocking."""

    def __init__(self, store: "JargonReader", library: "LibraryStore") -> None:
        self._store = store
        self._library = library

    def near(
        self, terms: Sequence[str], limit: int, *, groups: frozenset[str] | None = None
    ) -> Mapping[str, Sequence[str]]:
        """Return spellings near to each of ``terms``: at most ``limit`` of the dictionary's, then the documents'.

        Of documents, those of ``groups`` (None: all).
        """
        if not terms:
            return {}
        from library.lexical import SqlLexicalSearch
        from tools.jargon.spelling import NearSpellings

        listed, written = NearSpellings(self._store.spellings()), SqlLexicalSearch(self._library.engine)
        return {
            term: list(
                dict.fromkeys([*listed.nearest(term, limit), *written.near_spellings(term, limit, groups=groups)])
            )
            for term in terms
        }


def build_dictionary_desk(store: "JargonStore", library: "LibraryStore", services: "Services") -> "DictionaryDesk":
    """Return what the routes of the dictionary work with."""
    from agent.previewing import QuestionPreviewer
    from golden_retriever.wiring.evidence_places import StoredEvidencePlaces
    from jargon_db.limited import LimitedJargonStore
    from serving.dictionary.base import DictionaryDesk

    def limited(groups: frozenset[str]) -> LimitedJargonStore:
        def may_read(names: Collection[str]) -> frozenset[str]:
            return library.names_in(names, groups)

        return LimitedJargonStore(library.engine, may_read=may_read)

    return DictionaryDesk(
        keeper=store,
        limited=limited,
        sheets=StoredSheetExchanger(store),
        inspector=StoredDictionaryInspector(store, library),
        spellings=KnownSpellings(store, library),
        places=StoredEvidencePlaces(library),
        previewer=QuestionPreviewer(services),
    )
