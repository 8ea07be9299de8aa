"""The actions that people perform on the dictionary, called by the HTTP routes and the pages.

Each function takes the caller. Functions that are not coroutines block. They raise the errors of ``JargonStore`` (an
``etag`` names the version that the caller saw), and ``Forbidden`` if access to every group is needed but missing.
"""

import asyncio
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any, BinaryIO, Literal

from agent.previews import QuestionReading, preview_question
from agent.services import Services
from contracts.dictionary import (
    Candidate,
    Change,
    ChangedSenses,
    ChosenDrafts,
    ContextEntry,
    DeletedContext,
    DeletedSense,
    Imported,
    SenseEntry,
    SenseFilter,
    SensePage,
    UnknownTerm,
)
from contracts.errors import InvalidInput, NotFound
from contracts.items import ItemPage
from contracts.jargon import Context, SenseState
from contracts.question import Asker
from jargon_db.import_export import export_contexts, export_terms, import_files
from jargon_db.store import JargonStore
from library.store import LibraryStore
from serving.access import Actor, expect_all_groups
from serving.dictionary.bodies import ContextIn, SenseIn, SensePatch
from serving.routing import version_in

SheetName = Literal["terms.csv", "contexts.csv"]
# A file as sent: its name and its content.
Sheet = tuple[str, BinaryIO]

_HISTORY = "The dictionary's history"
# Each import keeps a whole dictionary in memory and a core busy, so further imports wait.
_SHEETS_AT_ONCE = 2
_UNSAFE = re.compile(r"[^\w .()+-]")


class DictionaryService:
    """The dictionary in ``store``, with the documents in ``library``; ``services`` interpret questions.

    Mined meanings are visible to those who may read their evidence.
    """

    def __init__(self, store: JargonStore, library: LibraryStore, services: Services) -> None:
        self._store = store
        self._library = library
        self._services = services
        self._sheets = asyncio.Semaphore(_SHEETS_AT_ONCE)

    def senses(self, actor: Actor, wanted: SenseFilter, *, limit: int = 50, offset: int = 0) -> SensePage:
        return self._of(actor).page(wanted, limit=limit, offset=offset)

    def sense(self, actor: Actor, number: int) -> SenseEntry:
        """Return a meaning."""
        return self._of(actor).entry(number)

    def add_sense(self, actor: Actor, given: SenseIn) -> SenseEntry:
        """Add a meaning; an existing one is unchanged."""
        store = self._of(actor)
        return store.entry(store.add_sense(**given.model_dump(), only_new=True).id)

    def edit_sense(self, actor: Actor, number: int, given: SenseIn, etag: str | None) -> SenseEntry:
        """Replace a meaning, or change only the fields in a ``SensePatch``.

        A patch with only a state publishes or rejects the meaning, or makes it a draft.
        """
        patched = isinstance(given, SensePatch)
        fields: dict[str, Any] = given.model_dump(include=given.model_fields_set if patched else None)
        if not fields:
            raise InvalidInput("There is nothing to change: name a field with its new value.")
        if patched and set(fields) == {"state"}:
            return self.set_state(actor, number, given.state, etag)
        store = self._of(actor)
        store.edit_sense(number, fields, version=version_in(etag))
        return store.entry(number)

    def set_state(self, actor: Actor, number: int, state: SenseState, etag: str | None) -> SenseEntry:
        """Publish or reject a meaning, or make it a draft."""
        store = self._of(actor)
        store.set_state(number, state, version=version_in(etag))
        return store.entry(number)

    def delete_sense(self, actor: Actor, number: int, etag: str | None) -> DeletedSense:
        """Delete a meaning."""
        return self._of(actor).remove_sense(number, version=version_in(etag))

    def merge(self, actor: Actor, old: str, into: str) -> ChangedSenses:
        """Merge two terms: ``old`` becomes an alias of ``into``."""
        expect_all_groups(actor, "Merging terms")
        return self._of(actor).merge_terms(old, into)

    def contexts(self, _: Actor) -> tuple[ContextEntry, ...]:
        return self._store.context_entries()

    def context(self, _: Actor, name: str) -> ContextEntry:
        """Return the context with this name, in any letter case."""
        return self._store.context_entry(name)

    def put_context(self, actor: Actor, name: str, given: ContextIn, etag: str | None) -> ContextEntry:
        """Update the description of a context, or add one (version 0); its name is spelled as in ``name``."""
        store = self._store.acting_as(actor.name)
        wanted = Context(name=name, description=given.description, examples=tuple(given.examples))
        store.put_context(wanted, version=version_in(etag))
        return store.context_entry(name)

    def delete_context(self, actor: Actor, name: str, etag: str | None) -> DeletedContext:
        """Delete a context that no meaning is bound to."""
        return self._store.acting_as(actor.name).remove_context(name, version=version_in(etag))

    def counts(self, actor: Actor) -> dict[str, int]:
        """Count all ``terms``, the ``candidates``, the unknown terms in the ``queue`` and the ``contexts``."""
        store = self._of(actor)
        states = store.page(SenseFilter(), limit=0).counts
        waiting, contexts = len(store.unknown_terms()), len(store.contexts())
        return {"terms": states.total, "candidates": states.draft, "queue": waiting, "contexts": contexts}

    def candidates(self, actor: Actor, *, text: str = "", limit: int = 50, offset: int = 0) -> ItemPage[Candidate]:
        """Return a page of the mined drafts with ``text`` in the term or its name, best evidence first."""
        store, wanted = self._of(actor), text.strip().casefold()
        found = [
            each for each in store.candidates() if wanted in f"{each.sense.term}\n{each.sense.extended_name}".casefold()
        ]
        shown = found[offset : offset + limit]
        entries = store.with_last_changes([each.sense for each in shown])
        items = tuple(each.model_copy(update={"sense": entry}) for each, entry in zip(shown, entries, strict=True))
        return ItemPage[Candidate](items=items, total=len(found), limit=limit, offset=offset)

    def choose_drafts(self, actor: Actor, least_score: float) -> ChosenDrafts:
        """Return the drafts that ``publish_drafts`` would publish."""
        return self._of(actor).choose_drafts(least_score)

    def publish_drafts(self, actor: Actor, least_score: float) -> ChosenDrafts:
        """Publish the candidates whose best evidence scores at least ``least_score``, all of them or none."""
        return self._of(actor).publish_drafts(least_score)

    def queue(self, _: Actor, *, limit: int = 50, offset: int = 0) -> ItemPage[UnknownTerm]:
        """Return a page of the unknown terms, most frequent first."""
        found = self._store.unknown_terms()
        shown = found[offset : offset + limit]
        return ItemPage[UnknownTerm](items=shown, total=len(found), limit=limit, offset=offset)

    def dismiss(self, _: Actor, term: str) -> None:
        """Remove a term from the queue; it reappears when somebody asks about it again."""
        self._store.dismiss_unknown(term)

    def redact(self, _: Actor) -> int:
        """Delete every question stored in the queue or with a correction; return how many there were."""
        return self._store.redact_questions()

    def want(self, actor: Actor, term: str, note: str = "") -> str:
        """Ask the manager to explain an unknown term; return its queue entry.

        Its count goes up by one, and ``note`` replaces the last question.

        Raises:
            NotFound: the term is not in the queue.
        """
        wanted = " ".join(term.split()).casefold()
        queued = next((each for each in self._store.unknown_terms() if each.term.casefold() == wanted), None)
        if queued is None:
            raise NotFound(f"{term!r} is not in the queue of unknown terms: ask a question with it first.")
        said = note.strip() or queued.last_question
        self._store.record_unknown(queued.term, said, actor.department or queued.context)
        return queued.term

    def history(
        self, actor: Actor, *, term: str | None = None, before: int | None = None, limit: int = 50
    ) -> tuple[Change, ...]:
        """Return who changed what and when, newest first: for a term or context by any current or former name, or for
        all. With ``before``, return only changes with smaller numbers.
        """
        expect_all_groups(actor, _HISTORY)
        return self._store.history(term, limit=limit, before=before)

    def undo(self, actor: Actor, number: int) -> int:
        """Undo a change and all changes made together with it; return the number of the first new change."""
        expect_all_groups(actor, _HISTORY)
        return self._store.acting_as(actor.name).undo(number)

    async def read(self, actor: Actor, question: str, department: str = "") -> QuestionReading:
        """Show the terms found in a question, how each would be interpreted and why. Nothing is answered or stored."""
        asker = Asker(department=department or actor.department, groups=actor.groups)
        return await preview_question(question, asker, self._services)

    async def import_sheets(
        self, actor: Actor, terms: Sheet | None, contexts: Sheet | None, *, preview: bool = False, rows: int = 1_000
    ) -> Imported:
        """Import terms, contexts or both, all or nothing; or show row by row what the import would change.

        Raises:
            RefusedSheet: rows of a file are wrong.
        """
        expect_all_groups(actor, "An import of the dictionary")
        if terms is None and contexts is None:
            raise InvalidInput("No file was sent: send a part named terms, contexts or both.", field="terms")
        async with self._sheets:
            return await asyncio.to_thread(self._import, actor.name, terms, contexts, preview, rows)

    async def export(self, actor: Actor, sheet: SheetName) -> bytes:
        expect_all_groups(actor, "An export of the dictionary")
        async with self._sheets:
            return await asyncio.to_thread(self._export, sheet)

    def _of(self, actor: Actor) -> JargonStore:
        """Return a store that is limited to what ``actor`` may see and records changes under their name."""
        groups, library = actor.groups, self._library
        if groups is None:
            return self._store.acting_as(actor.name)
        return JargonStore(library.engine, who=actor.name, may_read=lambda names: library.names_in(names, groups))

    def _import(self, who: str, terms: Sheet | None, contexts: Sheet | None, preview: bool, rows: int) -> Imported:
        with tempfile.TemporaryDirectory(prefix="golden-import-") as folder:
            of_terms = _kept(terms, Path(folder) / "terms") if terms is not None else None
            of_contexts = _kept(contexts, Path(folder) / "contexts") if contexts is not None else None
            store = self._store.acting_as(who)
            return import_files(store, of_terms, of_contexts, preview=rows if preview else None)

    def _export(self, sheet: SheetName) -> bytes:
        with tempfile.TemporaryDirectory(prefix="golden-export-") as folder:
            path = Path(folder) / sheet
            write = export_terms if sheet.startswith("terms") else export_contexts
            write(self._store, path)
            return path.read_bytes()


def _kept(sheet: Sheet, folder: Path) -> Path:
    """Write a file under its own name, if that is valid, so that messages can name it.

    Raises:
        InvalidInput: its name does not show its type.
    """
    sent_as, content = sheet
    name = _UNSAFE.sub("_", sent_as.replace("\\", "/").rpartition("/")[2])[-100:].strip(" .")
    if Path(name).suffix.lower() not in (".csv", ".xlsx", ".tsv", ".txt", ".xls"):
        raise InvalidInput(
            f"{sent_as or 'A part without a file name'!r} cannot be imported: send a file that ends in .csv or .xlsx.",
            field="file",
        )
    folder.mkdir()
    path = folder / name
    with path.open("wb") as file:
        shutil.copyfileobj(content, file)
    return path
