"""The store of the dictionary: senses, contexts, candidates and their history."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine

from contracts.dictionary import (
    Action,
    ChangedSenses,
    ChosenDrafts,
    DeletedContext,
    DeletedSense,
    EntryKind,
    Imported,
    ImportReport,
)
from contracts.errors import NotFound
from contracts.jargon import Context, Correction, MinedTerm, Sense, SenseState
from database.transactions import writing
from jargon_db.candidates import add_candidates, forget_evidence
from jargon_db.change_log import ChangeLog, changes_of, check_version
from jargon_db.contexts import delete_context, get_context, put_contexts
from jargon_db.corrections import record_correction, redact_corrections
from jargon_db.merge import merge_terms
from jargon_db.reader import JargonReader, MayRead
from jargon_db.sense_writes import (
    changed_senses,
    check_not_taken,
    delete_senses,
    existing_senses,
    finish_changes,
    get_seen_sense,
    increase_version,
    lock,
    meaning_of,
    overwrite_sense,
    put_senses,
    set_states,
)
from jargon_db.undo import undo
from jargon_db.unknown_terms import forget_unknown, record_unknown, redact_unknown
from jargon_db.validation import checked, checked_context

_ACTIONS: dict[str, Action] = {"published": "publish", "rejected": "reject", "draft": "draft"}


class JargonStore(JargonReader):
    """Stores the dictionary. Blocking and thread-safe; each call is one transaction.

    Each change of a sense or context is recorded in the change log, in the same transaction, under the name ``who``
    (empty: the program itself). An edit may name the ``version`` of the entry that its author saw (None: any). If
    somebody has changed the entry since, the edit raises ``Conflict``. Every method raises ``Unavailable`` if the
    database cannot be used.
    """

    def __init__(
        self, engine: Engine, *, who: str = "", keep_questions: bool = True, may_read: MayRead | None = None
    ) -> None:
        """``keep_questions`` says whether askers' questions are stored; ``may_read`` is that of ``JargonReader``."""
        super().__init__(engine, may_read=may_read)
        self._who = who
        self._keep_questions = keep_questions

    def acting_as(self, who: str) -> "JargonStore":
        """Return a store of the same dictionary that records its changes under the name ``who``."""
        return JargonStore(self._engine, who=who, keep_questions=self._keep_questions, may_read=self._may_read)

    @contextmanager
    def _changing(self, action: Action | None = None, origin: str = "") -> Iterator[ChangeLog]:
        with writing(self._engine) as connection:
            lock(connection)
            log = ChangeLog(connection, self._who, action, origin)
            yield log
            log.flush()

    def add_sense(
        self, term: str, extended_name: str, *, aliases: Sequence[str] = (), only_new: bool = False, **fields: Any
    ) -> Sense:
        """Add a sense, or overwrite the one with the same folded term, context and extended name.

        ``fields`` are further fields of the sense.

        Raises:
            Conflict: ``only_new`` is set, and the sense exists already.
            InvalidInput: a field is empty, too long or contradicts another; the message says which.
        """
        given = {"id": 0, "term": term, "extended_name": extended_name, "aliases": tuple(aliases), **fields}
        sense = checked(Sense.model_construct(**given))
        with self._changing() as log:
            if only_new:
                check_not_taken(log.connection, sense)
            put_senses(log, [sense])
            return existing_senses(log.connection, [sense])[meaning_of(sense)]

    def put_all(
        self, senses: Sequence[Sense], contexts: Sequence[Context] = (), *, origin: str = "", preview: int | None = None
    ) -> Imported:
        """Store ``contexts`` and ``senses``, all or none; the ids of the senses are ignored.

        ``origin`` is the name of their file, for the history. With ``preview``, nothing is stored: the result lists at
        most that many of the changes to each kind.

        Raises:
            InvalidInput: one of them is invalid.
        """
        wanted, described = [checked(each) for each in senses], [checked_context(each) for each in contexts]
        with self._changing("import", origin) as log:
            reports = {"contexts": self._put_contexts(log, described, None), "terms": put_senses(log, wanted)}
            change = log.flush()
            if preview is not None:
                kinds: tuple[tuple[str, EntryKind], ...] = (("contexts", "context"), ("terms", "sense"))
                for name, kind in kinds:
                    count = reports[name].added + reports[name].changed
                    rows = changes_of(log.connection, change or 0, kind, min(preview, count))
                    reports[name] = reports[name].model_copy(update={"rows": rows, "rows_left_off": count - len(rows)})
                undone = log.connection.get_transaction()
                assert undone is not None
                undone.rollback()
                change = None
        return Imported(change=change, terms=reports["terms"], contexts=reports["contexts"])

    def edit_sense(self, sense_id: int, fields: Mapping[str, Any], *, version: int | None = None) -> Sense:
        """Change ``fields`` of a sense; its other fields stay as they are.

        Raises:
            NotFound: there is no such sense.
            Conflict: it has another version (the message says who changed what and when), or another sense already has
                this term, context and extended name.
            InvalidInput: a field is invalid.
        """
        self._expect_shown([sense_id])
        with self._changing("edit") as log:
            former = get_seen_sense(log.connection, sense_id, version)
            wanted = checked(former.model_copy(update=dict(fields)))
            check_not_taken(log.connection, wanted)
            if former == wanted:
                return former
            changed = overwrite_sense(log, former, wanted)
            finish_changes(log.connection, [changed])
            return changed

    def remove_sense(self, sense_id: int, *, version: int | None = None) -> DeletedSense:
        """Delete a sense with its aliases and evidence. A mined one may come back: reject it to prevent that.

        Raises:
            NotFound: there is no such sense.
            Conflict: it has another version.
        """
        self._expect_shown([sense_id])
        with self._changing("delete") as log:
            former = get_seen_sense(log.connection, sense_id, version)
            delete_senses(log, [former])
            finish_changes(log.connection, [])
            return DeletedSense(deleted=former, change=log.flush())

    def set_state(self, sense_id: int, state: SenseState, *, version: int | None = None) -> Sense:
        """Publish or reject a sense or make it a draft, as ``set_states`` does, and return it."""
        versions = {} if version is None else {sense_id: version}
        return self.set_states([sense_id], state, versions=versions).items[0].sense

    def set_states(
        self, sense_ids: Sequence[int], state: SenseState, *, versions: Mapping[int, int] | None = None
    ) -> ChangedSenses:
        """Publish or reject senses or make them drafts, all or none; ``versions`` are those that the caller saw, by id.

        Raises:
            NotFound: one does not exist.
            Conflict: one has another version.
            InvalidInput: there is no such state.
        """
        self._expect_shown(sense_ids)
        distinct = list(dict.fromkeys(sense_ids))
        with self._changing(_ACTIONS.get(state, "edit")) as log:
            set_states(log, distinct, state, versions or {})
            return changed_senses(log, distinct)

    def merge_terms(self, old: str, new: str) -> ChangedSenses:
        """Move the senses of the term ``old`` to the term ``new``, and return every sense that ``new`` then has.

        ``old`` becomes an alias of each that is not rejected. Two senses that are then equal become one: it keeps its
        texts, gains missing ones, and is published if one of them was.

        Raises:
            NotFound: there is no such term.
            InvalidInput: both are the same term, or a spelling means several terms that differ in letter case.
        """
        with self._changing("merge") as log:
            return changed_senses(log, [sense.id for sense in merge_terms(log, old, new)])

    def undo(self, number: int) -> int:
        """Undo the whole batch of change ``number``, such as an import, or nothing of it.

        A deleted sense comes back with its id and its evidence. Returns the number of the new
        batch, which can be undone in turn.

        Raises:
            NotFound: there is no such change.
            Conflict: an entry has changed since (the message names some), or its former content conflicts with current
                entries.
        """
        with self._changing("undo") as log:
            return undo(log, number)

    def put_context(self, context: Context, *, version: int | None = None) -> None:
        """Store a context, new or existing (by folded name); ``version`` 0 says that it is new.

        Raises:
            InvalidInput: its name is empty, or a field is too long.
            Conflict: it has another version, or was deleted.
        """
        tidy = checked_context(context)
        with self._changing() as log:
            self._put_contexts(log, [tidy], version)

    def _put_contexts(self, log: ChangeLog, wanted: Sequence[Context], version: int | None) -> ImportReport:
        report = put_contexts(log, wanted, version)
        if report.added or report.changed:
            increase_version(log.connection)
        return report

    def remove_context(self, name: str, *, version: int | None = None) -> DeletedContext:
        """Delete a context without senses.

        Raises:
            NotFound: there is no such context.
            Conflict: senses are bound to it, or it has another version.
        """
        with self._changing("delete") as log:
            former = get_context(log.connection, name)
            check_version(log.connection, former, version)
            delete_context(log, former)
            increase_version(log.connection)
            return DeletedContext(deleted=former.context, change=log.flush())

    def add_candidates(self, mined: Sequence[MinedTerm]) -> int:
        """Store mined terms as drafts with their evidence, and return how many are new.

        Terms and extended names that differ only in letter case, plural or hyphens are the same. Published and rejected
        senses are left alone; existing drafts gain evidence.
        """
        documents = {found.document for found in mined}
        with self._changing("mine", documents.pop() if len(documents) == 1 else "") as log:
            new, touched = add_candidates(log, mined)
            if touched:
                finish_changes(log.connection, [])
            return new

    def forget_document(self, document: str) -> int:
        """Delete the evidence from a document, and mined drafts without other evidence; return how many were deleted.

        Drafts that a person has edited stay.
        """
        with self._changing("forget", document) as log:
            gone, forgotten = forget_evidence(log, document)
            if forgotten:
                finish_changes(log.connection, [])
            return gone

    def publish_drafts(self, least_score: float) -> ChosenDrafts:
        """Publish the mined drafts whose best evidence scores at least ``least_score`` (in [0, 1]), all or none.

        Drafts that contradict a published sense or one another stay drafts.

        Raises:
            Conflict: somebody is changing one of them.
        """
        choice = self.choose_drafts(least_score)
        versions = {each.sense.id: each.sense.version for each in choice.published}
        change = self.set_states(list(versions), "published", versions=versions).change if versions else None
        return choice.model_copy(update={"change": change})

    def record_unknown(self, term: str, question: str, context: str) -> None:
        """Count a question about an undefined term. The dictionary's version does not change.

        Beyond the limit, the terms that were asked about once and longest ago are deleted.
        """
        with writing(self._engine) as connection:
            record_unknown(connection, term, question if self._keep_questions else "", context)

    def dismiss_unknown(self, term: str) -> None:
        """Remove a term from the queue of unknown terms. Raises ``NotFound`` if it is not on the queue."""
        with writing(self._engine) as connection:
            if not forget_unknown(connection, [term]):
                raise NotFound(f"{term!r} is not in the queue of unknown terms.")

    def record_correction(self, correction: Correction) -> None:
        """Store the sense that an asker chose; the same choice in the same folded question is counted.

        It belongs to the sense: it stays with it when the sense is renamed or merged, and is deleted with it. A choice
        that is not in the dictionary is ignored. Beyond the limit, the oldest are deleted. The dictionary's version
        does not change; ``corrections_version`` does.
        """
        kept = correction if self._keep_questions else correction.model_copy(update={"question": ""})
        with writing(self._engine) as connection:
            record_correction(connection, kept, self._who)

    def redact_questions(self) -> int:
        """Delete every question stored with an unknown term or a correction, and return how many there were.

        Terms, counts, contexts and times are kept.
        """
        with writing(self._engine) as connection:
            return redact_unknown(connection) + redact_corrections(connection)
