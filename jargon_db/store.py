"""Stores the dictionary: senses, contexts, candidates and their history."""

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
    """Stores the dictionary. The calls block and are thread-safe; each is one transaction.

    Each change of a sense or context is recorded in the change log, in the same transaction, under the name ``who``
    (empty: the program itself). An edit may give the ``version`` of the entry that its author saw (None: any). If
    somebody has changed the entry since, the edit raises ``Conflict``. All methods raise ``Unavailable`` if the
    database cannot be used.
    """

    def __init__(
        self, engine: Engine, *, who: str = "", keep_questions: bool = True, may_read: MayRead | None = None
    ) -> None:
        """Store askers' questions if ``keep_questions`` is true; ``may_read`` is described in ``JargonReader``."""
        super().__init__(engine, may_read=may_read)
        self._who = who
        self._keep_questions = keep_questions

    def acting_as(self, who: str) -> "JargonStore":
        """Return a store for the same dictionary that records changes under the name ``who``."""
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
        """Add a sense, or overwrite the sense with the same folded term, context and extended name.

        ``fields`` are other fields of the sense.

        Raises:
            Conflict: ``only_new`` is true, and the sense already exists.
            InvalidInput: a field is empty, too long or contradicts another; the message names it.
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

        ``origin`` is the name of their file, for the history. If ``preview`` is given, nothing is stored, and the
        result lists up to ``preview`` changes of each kind.

        Raises:
            InvalidInput: an entry is invalid.
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
        """Change ``fields`` of a sense; the other fields are not changed.

        Raises:
            NotFound: the sense does not exist.
            Conflict: the sense has a different version (the message says who changed what and when), or another
                sense already has this term, context and extended name.
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
        """Delete a sense with its aliases and evidence. A mined sense may be found again; reject it to prevent this.

        Raises:
            NotFound: the sense does not exist.
            Conflict: the sense has a different version.
        """
        self._expect_shown([sense_id])
        with self._changing("delete") as log:
            former = get_seen_sense(log.connection, sense_id, version)
            delete_senses(log, [former])
            finish_changes(log.connection, [])
            return DeletedSense(deleted=former, change=log.flush())

    def set_state(self, sense_id: int, state: SenseState, *, version: int | None = None) -> Sense:
        """Publish a sense, reject it, or make it a draft, as in ``set_states``, and return it."""
        versions = {} if version is None else {sense_id: version}
        return self.set_states([sense_id], state, versions=versions).items[0].sense

    def set_states(
        self, sense_ids: Sequence[int], state: SenseState, *, versions: Mapping[int, int] | None = None
    ) -> ChangedSenses:
        """Publish senses, reject them, or make them drafts, all or none; ``versions`` are those the caller saw, by id.

        Raises:
            NotFound: a sense does not exist.
            Conflict: a sense has a different version.
            InvalidInput: the state does not exist.
        """
        self._expect_shown(sense_ids)
        distinct = list(dict.fromkeys(sense_ids))
        with self._changing(_ACTIONS.get(state, "edit")) as log:
            set_states(log, distinct, state, versions or {})
            return changed_senses(log, distinct)

    def merge_terms(self, old: str, new: str) -> ChangedSenses:
        """Move the senses of the term ``old`` to the term ``new``, and return all senses that ``new`` then has.

        ``old`` becomes an alias of all senses that are not rejected. Two senses that are then equal become one, which
        keeps its texts, gets missing texts from the other, and is published if one of them was.

        Raises:
            NotFound: a term does not exist.
            InvalidInput: both are the same term, or a spelling matches several terms that differ in letter case.
        """
        with self._changing("merge") as log:
            return changed_senses(log, [sense.id for sense in merge_terms(log, old, new)])

    def undo(self, number: int) -> int:
        """Undo the whole batch of change ``number``, such as an import, or none of it.

        Deleted senses are restored with their ids and evidence. Return the number of the new batch, which can also be
        undone.

        Raises:
            NotFound: the change does not exist.
            Conflict: an entry has changed since (the message names some), or its old content conflicts with current
                entries.
        """
        with self._changing("undo") as log:
            return undo(log, number)

    def put_context(self, context: Context, *, version: int | None = None) -> None:
        """Add or change a context (compared by folded name); ``version`` 0 means that it must be new.

        Raises:
            InvalidInput: the name is empty, or a field is too long.
            Conflict: the context has a different version, or was deleted.
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
            NotFound: the context does not exist.
            Conflict: the context has senses, or a different version.
        """
        with self._changing("delete") as log:
            former = get_context(log.connection, name)
            check_version(log.connection, former, version)
            delete_context(log, former)
            increase_version(log.connection)
            return DeletedContext(deleted=former.context, change=log.flush())

    def add_candidates(self, mined: Sequence[MinedTerm]) -> int:
        """Store mined terms as drafts with their evidence, and return the number of new drafts.

        Terms and extended names that differ only in letter case, plural endings or hyphens are the same. Published and
        rejected senses are not changed; existing drafts get more evidence.
        """
        documents = {found.document for found in mined}
        with self._changing("mine", documents.pop() if len(documents) == 1 else "") as log:
            new, touched = add_candidates(log, mined)
            if touched:
                finish_changes(log.connection, [])
            return new

    def forget_document(self, document: str) -> int:
        """Delete the evidence from a document, and mined drafts without other evidence; return the number of drafts.

        Drafts that a person has edited are kept.
        """
        with self._changing("forget", document) as log:
            gone, forgotten = forget_evidence(log, document)
            if forgotten:
                finish_changes(log.connection, [])
            return gone

    def publish_drafts(self, least_score: float) -> ChosenDrafts:
        """Publish mined drafts whose best evidence has a score of at least ``least_score`` (in [0, 1]), all or none.

        Drafts that contradict a published sense or each other remain drafts.

        Raises:
            Conflict: somebody is changing one of the drafts.
        """
        choice = self.choose_drafts(least_score)
        versions = {each.sense.id: each.sense.version for each in choice.published}
        change = self.set_states(list(versions), "published", versions=versions).change if versions else None
        return choice.model_copy(update={"change": change})

    def record_unknown(self, term: str, question: str, context: str) -> None:
        """Count a question about an undefined term. The dictionary's version does not change.

        Above the limit, terms that were asked about only once and longest ago are deleted.
        """
        with writing(self._engine) as connection:
            record_unknown(connection, term, question if self._keep_questions else "", context)

    def dismiss_unknown(self, term: str) -> None:
        """Remove a term from the queue of unknown terms. Raises ``NotFound`` if it is not in the queue."""
        with writing(self._engine) as connection:
            if not forget_unknown(connection, [term]):
                raise NotFound(f"{term!r} is not in the queue of unknown terms.")

    def record_correction(self, correction: Correction) -> None:
        """Store the sense that an asker chose; if the same choice was made for the same folded question, count it.

        The correction stays with the sense if it is renamed or merged, and is deleted with the sense. A choice that is
        not in the dictionary is ignored. Above the limit, the oldest corrections are deleted. The dictionary's version
        does not change, but ``corrections_version`` does.
        """
        kept = correction if self._keep_questions else correction.model_copy(update={"question": ""})
        with writing(self._engine) as connection:
            record_correction(connection, kept, self._who)

    def redact_questions(self) -> int:
        """Delete all questions stored with unknown terms and corrections, and return their number.

        Terms, counts, contexts and times are kept.
        """
        with writing(self._engine) as connection:
            return redact_unknown(connection) + redact_corrections(connection)
