"""Writes senses, one for each folded term, context and extended name. All changes are in the change log."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, exists, insert, select, update

from contracts.dictionary import ChangedSenses, ImportReport
from contracts.errors import Conflict, PreconditionFailed
from contracts.jargon import Sense, SenseState
from database.statements import in_batches, upsert
from jargon_db.change_log import ChangeLog, check_version, describe_change, latest_changes, with_last_changes
from jargon_db.contexts import get_or_create_context
from jargon_db.normalization import fold, loose_name, loose_term
from jargon_db.sense_queries import no_such_sense, select_entries, select_senses
from jargon_db.tables import aliases, evidence, senses, state, terms
from jargon_db.unknown_terms import forget_unknown
from jargon_db.validation import checked

_Meaning = tuple[str, str, str]


def increase_version(connection: Connection) -> None:
    """Increase the version. Call this first in a write transaction: on PostgreSQL, its row lock serialises writers."""
    connection.execute(update(state).values(version=state.c.version + 1))


def lock(connection: Connection) -> None:
    """Serialise writers, without increasing the version."""
    connection.execute(update(state).values(version=state.c.version))


def meaning_of(sense: Sense) -> _Meaning:
    """Return a key that is equal for two senses with the same meaning."""
    return fold(sense.term), fold(sense.context), fold(sense.extended_name)


def put_senses(log: ChangeLog, wanted: Sequence[Sense]) -> ImportReport:
    """Add or change the senses ``wanted`` (checked; their ids are ignored). Equal senses are not changed.

    If several senses have the same meaning, the last one counts.
    """
    written: list[Sense] = []
    added = 0
    for batch in in_batches({meaning_of(sense): sense for sense in wanted}.values()):
        there = existing_senses(log.connection, batch)
        new = insert_senses(log, [sense for sense in batch if meaning_of(sense) not in there])
        known = [(there[meaning_of(sense)], sense) for sense in batch if meaning_of(sense) in there]
        written += [*new, *overwrite_senses(log, [pair for pair in known if not same_content(*pair)])]
        added += len(new)
        log.flush()
    if written:
        finish_changes(log.connection, written)
    return ImportReport(added=added, changed=len(written) - added, unchanged=len(wanted) - len(written))


def finish_changes(connection: Connection, written: Sequence[Sense]) -> None:
    """After senses were ``written``, update the version, terms without senses and the queue of unknown terms."""
    increase_version(connection)
    connection.execute(delete(terms).where(~exists().where(senses.c.term_id == terms.c.id)))
    published = [sense for sense in written if sense.state == "published"]
    forget_unknown(connection, [spelling for sense in published for spelling in (sense.term, *sense.aliases)])


def existing_senses(connection: Connection, wanted: Iterable[Sense]) -> dict[_Meaning, Sense]:
    """Return the existing senses of the terms in ``wanted``, by meaning."""
    keys = [fold(sense.term) for sense in wanted]
    return {
        meaning_of(sense): sense
        for batch in in_batches(keys)
        for sense in select_senses(connection, senses.c.term_key.in_(batch)).values()
    }


def check_not_taken(connection: Connection, sense: Sense) -> None:
    """Check that no other sense has the meaning of ``sense``.

    Raises:
        Conflict: another sense already has this term, context and extended name.
    """
    taken = existing_senses(connection, [sense]).get(meaning_of(sense))
    if taken is not None and taken.id != sense.id:
        raise Conflict(taken_message(taken))


def taken_message(taken: Sense) -> str:
    """Return the message that a meaning already exists."""
    where = f"the context {taken.context}" if taken.context else "every context"
    return f"{taken.term} already means {taken.extended_name} in {where}: change that sense ({taken.id}) instead."


def same_content(former: Sense, wanted: Sense) -> bool:
    """Return whether two senses with the same meaning are equal, apart from their ids and the order of aliases."""
    fields = ("term", "extended_name", "description", "notes", "source", "state")
    same = all(getattr(former, name) == getattr(wanted, name) for name in fields)
    return same and sorted(former.aliases) == sorted(wanted.aliases)


def insert_senses(log: ChangeLog, wanted: Sequence[Sense], *, versions: Mapping[int, int] | None = None) -> list[Sense]:
    """Insert new senses, and return them as stored, in order.

    ``versions`` are the versions of deleted senses that are restored with their ids.
    """
    if not wanted:
        return []
    ids = [sense.id for sense in wanted] if versions else log.fresh_ids(senses, "sense", len(wanted))
    made, rows = _with_rows(log, wanted, ids)
    for row in rows:
        row |= {"created_at": log.at, "version": (versions or {}).get(row["id"], 1)}
    log.connection.execute(insert(senses), rows)
    _insert_aliases(log.connection, made)
    for sense, row in zip(made, rows, strict=True):
        log.note("sense", sense.id, None, sense, version=row["version"])
    return made


def overwrite_sense(log: ChangeLog, former: Sense, sense: Sense) -> Sense:
    """Overwrite the sense ``former`` with ``sense``, and return it."""
    return overwrite_senses(log, [(former, sense)])[0]


def overwrite_senses(log: ChangeLog, pairs: Sequence[tuple[Sense, Sense]]) -> list[Sense]:
    """Overwrite the first sense in each pair with the second, and return the results.

    No sense may be in two pairs, and all must fit into one statement.
    """
    if not pairs:
        return []
    connection = log.connection
    ids = [former.id for former, _ in pairs]
    made, rows = _with_rows(log, [sense for _, sense in pairs], ids)
    now = select(senses.c.id, senses.c.version).where(senses.c.id.in_(ids))
    versions = {row.id: row.version + 1 for row in connection.execute(now)}
    for row in rows:
        row["of_id"] = row.pop("id")
        row["version"] = versions[row["of_id"]]
    connection.execute(update(senses).where(senses.c.id == bindparam("of_id")), rows)
    renamed = [sense for (former, _), sense in zip(pairs, made, strict=True) if former.aliases != sense.aliases]
    if renamed:
        connection.execute(delete(aliases).where(aliases.c.sense_id.in_([sense.id for sense in renamed])))
        _insert_aliases(connection, renamed)
    for (former, _), sense in zip(pairs, made, strict=True):
        log.note("sense", sense.id, former, sense, version=versions[sense.id])
    return made


def delete_senses(log: ChangeLog, gone: Sequence[Sense]) -> None:
    """Delete senses with their aliases and evidence; all must fit into one statement."""
    ids = [sense.id for sense in gone]
    of_them = evidence.c.sense_id.in_(ids)
    columns = (evidence.c.document, evidence.c.page, evidence.c.sentence, evidence.c.score, evidence.c.digest)
    places: dict[int, list[dict[str, Any]]] = {}
    for row in log.connection.execute(select(evidence.c.sense_id, *columns).where(of_them)).mappings():
        place = dict(row)
        places.setdefault(place.pop("sense_id"), []).append(place)
    removal = delete(senses).where(senses.c.id.in_(ids)).returning(senses.c.id, senses.c.version)
    versions = {row.id: row.version + 1 for row in log.connection.execute(removal)}
    for sense in gone:
        log.note("sense", sense.id, sense, None, version=versions[sense.id], evidence=places.get(sense.id, ()))


def _with_rows(log: ChangeLog, wanted: Sequence[Sense], ids: Sequence[int]) -> tuple[list[Sense], list[dict[str, Any]]]:
    """Return the senses with these ``ids`` and the stored spellings of their contexts, and their rows.

    Contexts and terms that do not exist are created.
    """
    names = {fold(sense.context): sense.context for sense in reversed(wanted)}
    places = {key: get_or_create_context(log, name) for key, name in names.items()}
    term_ids = _term_ids(log.connection, [sense.term for sense in wanted])
    made = [
        sense.model_copy(update={"id": sense_id, "context": places[fold(sense.context)][1]})
        for sense_id, sense in zip(ids, wanted, strict=True)
    ]
    rows = [
        {
            "term_id": term_ids[sense.term],
            "term_key": fold(sense.term),
            "context_id": places[fold(sense.context)][0],
            "extended_key": fold(sense.extended_name),
            "loose_name": loose_name(sense.extended_name),
            "changed_at": log.at,
            **sense.model_dump(include={"id", "extended_name", "description", "notes", "source", "state"}),
        }
        for sense in made
    ]
    return made, rows


def _insert_aliases(connection: Connection, made: Sequence[Sense]) -> None:
    rows = [{"sense_id": sense.id, "spelling": alias, "key": fold(alias)} for sense in made for alias in sense.aliases]
    if rows:
        connection.execute(insert(aliases), rows)


def _term_ids(connection: Connection, spellings: Sequence[str]) -> dict[str, int]:
    """Return the ids of the terms ``spellings``; create missing ones."""
    rows = [{"spelling": each, "key": fold(each), "loose_key": loose_term(each)} for each in dict.fromkeys(spellings)]
    connection.execute(upsert(connection, terms).on_conflict_do_nothing(index_elements=["spelling"]), rows)
    return {
        row.spelling: int(row.id)
        for batch in in_batches(spellings)
        for row in connection.execute(select(terms.c.id, terms.c.spelling).where(terms.c.spelling.in_(batch)))
    }


def set_states(log: ChangeLog, sense_ids: Sequence[int], state: SenseState, seen: Mapping[int, int]) -> None:
    """Publish senses, reject them, or make them drafts; ``seen`` are the versions that the caller saw, by id."""
    made: list[Sense] = []
    touched = False
    for batch in in_batches(sense_ids):
        there = select_senses(log.connection, senses.c.id.in_(batch))
        named = [each for each in batch if each in seen or each not in there]
        there |= {each: get_seen_sense(log.connection, each, seen.get(each)) for each in named}
        pairs = [(there[each], checked(there[each].model_copy(update={"state": state}))) for each in batch]
        written = overwrite_senses(log, [(former, sense) for former, sense in pairs if former != sense])
        touched = touched or bool(written)
        made += [sense for _, sense in pairs]
        log.flush()
    if touched:
        finish_changes(log.connection, made)


def changed_senses(log: ChangeLog, sense_ids: Sequence[int]) -> ChangedSenses:
    """Return the current senses with the number of the batch that changed them."""
    change = log.flush()
    there = {
        number: entry
        for batch in in_batches(sense_ids)
        for number, entry in select_entries(log.connection, senses.c.id.in_(batch)).items()
    }
    items = with_last_changes(log.connection, "sense", [there[each] for each in sense_ids])
    return ChangedSenses(items=items, change=change)


def get_seen_sense(connection: Connection, sense_id: int, seen: int | None) -> Sense:
    """Return a sense; its version must be ``seen`` (None: any).

    Raises:
        NotFound: the sense does not exist.
        PreconditionFailed: the sense has a different version, or was deleted.
    """
    former = select_entries(connection, senses.c.id == sense_id).get(sense_id)
    if former is None:
        last = latest_changes(connection, "sense", [sense_id]).get(sense_id)
        if last is None or seen is None:
            raise no_such_sense(sense_id)
        raise PreconditionFailed(f"The sense {sense_id} no longer exists: nothing was changed. {describe_change(last)}")
    check_version(connection, former, seen)
    return former.sense
