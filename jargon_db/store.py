"""The dictionary's store: senses, contexts, candidates and the queue of unknown terms."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from contracts.jargon import Context, Sense, SenseState
from jargon_db import editing
from jargon_db.checks import checked, checked_context
from jargon_db.describing import delete_context, expect_context, put_contexts
from jargon_db.drafting import JargonDrafter
from jargon_db.merging import merge_terms
from jargon_db.planning import plan_contexts, plan_senses
from jargon_db.trail import Trail, refuse_stale
from jargon_db.undoing import undo, undo_batch
from jargon_db.values import Batch, Change, ImportReport, PlannedRow
from jargon_db.writing import advance, formers, lock, meaning_of, put_senses, refuse_taken


class _NothingStays(Exception):
    """Rolls a transaction back."""


class JargonStore(JargonDrafter):
    """Keeps the dictionary. Blocking and thread-safe; each call is one transaction.

    Each change of a sense or context is noted on the trail in the transaction that makes it, under the name ``who``
    (empty: the program itself). An edit may name the version of the entry that its author saw: where somebody changed
    the entry meanwhile, it is refused with ``Conflict``. Every method raises ``Unavailable`` where the database cannot
    be used just now.
    """

    def acting_as(self, who: str) -> "JargonStore":
        """Return a store of the same dictionary that notes its changes under the name ``who``."""
        return JargonStore(self._engine, who=who, keep_questions=self._keep_questions)

    def add_sense(
        self,
        term: str,
        extended_name: str,
        *,
        context: str = "",
        description: str = "",
        notes: str = "",
        source: str = "",
        aliases: Sequence[str] = (),
        state: SenseState = "published",
        only_new: bool = False,
    ) -> Sense:
        """Put a sense in. One with the same term, context and extended name (compared folded) becomes as given here.

        Raises:
            Conflict: ``only_new`` is set, and there is such a sense already.
            InvalidInput: a field is empty, too long or contradicts another, or aliases would go in a circle; the text
                says which.
        """
        sense = checked(
            Sense(
                id=0,
                term=term,
                extended_name=extended_name,
                context=context,
                description=description,
                notes=notes,
                source=source,
                aliases=tuple(aliases),
                state=state,
            )
        )
        with self._changing() as trail:
            if only_new:
                lock(trail.connection)
                refuse_taken(trail.connection, sense)
            put_senses(trail, [sense])
            return formers(trail.connection, [sense])[meaning_of(sense)]

    def put_senses(self, wanted: Sequence[Sense], *, origin: str = "") -> ImportReport:
        """Put all of ``wanted`` in, or none, as ``add_sense`` does; their ids do not count.

        ``origin`` is the name of the file that they come from, for the history.

        Raises:
            InvalidInput: one of them cannot be stored.
        """
        tidy = [checked(sense) for sense in wanted]
        with self._changing("import", origin) as trail:
            return put_senses(trail, tidy)

    def put_all(
        self, senses: Sequence[Sense], contexts: Sequence[Context] = (), *, origin: str = ""
    ) -> tuple[ImportReport, ImportReport]:
        """Do what ``put_contexts`` and then ``put_senses`` do, both or neither; return the senses' report first.

        Raises:
            InvalidInput: one of them cannot be stored.
        """
        wanted, described = [checked(each) for each in senses], [checked_context(each) for each in contexts]
        with self._changing("import", origin) as trail:
            of_contexts = self._put_contexts(trail, described, None)
            return put_senses(trail, wanted), of_contexts

    def preview(
        self, senses: Sequence[Sense], contexts: Sequence[Context] = ()
    ) -> tuple[tuple[PlannedRow, ...], tuple[PlannedRow, ...]]:
        """Say what ``put_contexts`` and then ``put_senses`` would do: a row for each sense, and one for each context.

        Nothing is changed.

        Raises:
            InvalidInput: they would be refused.
        """
        wanted, described = [checked(each) for each in senses], [checked_context(each) for each in contexts]
        with suppress(_NothingStays), self._changing("import") as trail:
            planned = plan_senses(trail.connection, wanted), plan_contexts(trail.connection, described)
            # Done and rolled back, it is refused here exactly where it would be.
            self._put_contexts(trail, described, None)
            put_senses(trail, wanted)
            raise _NothingStays
        return planned

    def change_sense(self, sense: Sense, *, version: int | None = None) -> Sense:
        """Let the sense with this id be as given, whatever its fields were before.

        ``version`` is the one that the caller saw; None: whatever it is now.

        Raises:
            NotFound: there is no such sense.
            Conflict: it is at another version (the text says who changed what when), or another sense already has
                this term, context and extended name.
            InvalidInput: a field cannot be stored, or aliases would go in a circle.
        """
        tidy = checked(sense)
        with self._changing("edit") as trail:
            return editing.change_sense(trail, tidy, version)

    def remove_sense(self, sense_id: int, *, version: int | None = None) -> Sense:
        """Remove a sense with its aliases and evidence, and return it; ``version`` as in ``change_sense``.

        A mined one may be offered again: reject it to prevent that.

        Raises:
            NotFound: there is no such sense.
            Conflict: it is at another version.
        """
        with self._changing("delete") as trail:
            return editing.remove_sense(trail, sense_id, version)

    def merge_terms(self, old: str, new: str, *, versions: Mapping[int, int] | None = None) -> tuple[Sense, ...]:
        """Move the senses of the term ``old`` to the term ``new``, and return every sense that ``new`` then has.

        ``old`` becomes an alias of each that is not rejected. Two senses that are the same then become one: it keeps
        its texts, gains those that it lacks, and is published where one of them was. ``versions`` are those that the
        caller saw of senses of the two terms, by their ids.

        Raises:
            NotFound: there is no such term.
            Conflict: a sense is at another version than the caller saw.
            InvalidInput: both are the same term, a spelling stands for several terms that differ in letter case, or
                aliases would go in a circle.
        """
        with self._changing("merge") as trail:
            return merge_terms(trail, old, new, versions or {})

    def undo(self, number: int) -> tuple[Change, ...]:
        """Take the change ``number`` of the trail back, and return the changes that this makes, in their order.

        A merge, and what took one back, is taken back as a whole. A deleted sense comes back under its number, with its
        evidence.

        Raises:
            NotFound: there is no such change.
            Conflict: the entry has changed since, or what it was before cannot stand beside what is there now.
        """
        with self._changing("undo") as trail:
            return undo(trail, number)

    def undo_batch(self, number: int) -> Batch:
        """Take back all that was changed with the change ``number``, such as a whole import, or nothing of it.

        Returns what that makes. It can be undone in turn.

        Raises:
            NotFound: there is no such change.
            Conflict: an entry is not as the changes left it (the text names some), or what it was before cannot stand
                beside what is there now.
        """
        with self._changing("undo") as trail:
            return undo_batch(trail, number)

    def put_context(self, context: Context, *, version: int | None = None) -> None:
        """Describe a context, new or known (its name compared folded); ``version`` as in ``change_sense``, 0: new.

        Raises:
            InvalidInput: the name is empty, or a text is too long.
            Conflict: it is at another version, or gone.
        """
        tidy = checked_context(context)
        with self._changing() as trail:
            self._put_contexts(trail, [tidy], version)

    def put_contexts(self, wanted: Sequence[Context], *, origin: str = "") -> ImportReport:
        """Describe all of ``wanted``, or none; ``origin`` as in ``put_senses``.

        Raises:
            InvalidInput: a name is empty, or a text is too long.
        """
        tidy = [checked_context(context) for context in wanted]
        with self._changing("import", origin) as trail:
            return self._put_contexts(trail, tidy, None)

    def _put_contexts(self, trail: Trail, wanted: Sequence[Context], version: int | None) -> ImportReport:
        lock(trail.connection)
        report = put_contexts(trail, wanted, version)
        if report.added or report.changed:
            advance(trail.connection)
        return report

    def remove_context(self, name: str, *, version: int | None = None) -> None:
        """Remove a context that no sense is bound to; ``version`` as in ``change_sense``.

        Raises:
            NotFound: there is no such context.
            Conflict: senses are bound to it, or it is at another version.
        """
        with self._changing("delete") as trail:
            lock(trail.connection)
            former = expect_context(trail.connection, name)
            refuse_stale(trail.connection, "context", former.id, former.context.name, version, former.version)
            delete_context(trail, former)
            advance(trail.connection)
