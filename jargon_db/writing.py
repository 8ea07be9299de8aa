"""Writing senses: each meaning once, compared by folded term, context and extended name; each change on the trail."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, delete, exists, insert, select, update

from contracts.errors import Conflict
from contracts.jargon import Sense
from jargon_db.circles import refuse_circles
from jargon_db.describing import named_context
from jargon_db.folding import fold, loose_name, loose_term
from jargon_db.models import aliases, evidence, senses, state, terms
from jargon_db.queries import in_pieces, select_senses
from jargon_db.trail import Trail
from jargon_db.unknown import forget_unknown
from jargon_db.values import ImportReport

_Meaning = tuple[str, str, str]


def advance(connection: Connection) -> None:
    """Let the version grow. First in a writing transaction: on PostgreSQL its row lock puts writers in a queue."""
    connection.execute(update(state).values(version=state.c.version + 1))


def lock(connection: Connection) -> None:
    """Put writers in a queue without letting the version grow."""
    connection.execute(update(state).values(version=state.c.version))


def meaning_of(sense: Sense) -> _Meaning:
    """Return what makes two senses the same."""
    return fold(sense.term), fold(sense.context), fold(sense.extended_name)


def put_senses(trail: Trail, wanted: Sequence[Sense]) -> ImportReport:
    """Add or change each of ``wanted`` (checked; their ids do not count). What is there as wanted stays untouched."""
    connection = trail.connection
    lock(connection)
    there = formers(connection, wanted)
    written: list[Sense] = []
    added = 0
    for sense in wanted:
        former = there.get(meaning_of(sense))
        if former is None:
            written.append(replace(sense, id=insert_sense(trail, sense)))
            added += 1
        elif not alike(former, sense):
            written.append(overwrite_sense(trail, former, sense))
        else:
            continue
        there[meaning_of(sense)] = written[-1]
    if written:
        settle(connection, written)
    return ImportReport(added=added, changed=len(written) - added, unchanged=len(wanted) - len(written))


def settle(connection: Connection, written: Sequence[Sense]) -> None:
    """Bring in order what follows from ``written``: the version, terms without senses, the queue of unknown terms.

    Raises:
        InvalidInput: aliases go in a circle now.
    """
    refuse_circles(connection, written)
    advance(connection)
    connection.execute(delete(terms).where(~exists().where(senses.c.term_id == terms.c.id)))
    published = [sense for sense in written if sense.state == "published"]
    forget_unknown(connection, [spelling for sense in published for spelling in spellings_of(sense)])


def formers(connection: Connection, wanted: Iterable[Sense]) -> dict[_Meaning, Sense]:
    """Return the senses that are there for the terms of ``wanted``, by what makes two the same."""
    keys = [fold(sense.term) for sense in wanted]
    return {
        meaning_of(sense): sense
        for some in in_pieces(keys)
        for sense in select_senses(connection, senses.c.term_key.in_(some)).values()
    }


def refuse_taken(connection: Connection, sense: Sense) -> None:
    """Let ``sense`` pass where no other one has its meaning.

    Raises:
        Conflict: another sense already has this term, context and extended name.
    """
    taken = formers(connection, [sense]).get(meaning_of(sense))
    if taken is not None and taken.id != sense.id:
        where = f"the context {taken.context}" if taken.context else "every context"
        raise Conflict(
            f"{taken.term} means {taken.extended_name} in {where} already: change that sense ({taken.id}) instead."
        )


def alike(former: Sense, wanted: Sense) -> bool:
    """Say whether two senses of the same meaning are the same in everything else but their ids and letter case."""
    return _content(former) == _content(wanted)


def _content(sense: Sense) -> tuple[object, ...]:
    texts = (sense.term, sense.extended_name, sense.description, sense.notes, sense.source, sense.state)
    return (*texts, sorted(sense.aliases))


def insert_sense(trail: Trail, sense: Sense) -> int:
    """Insert a sense that is not there yet and return its id."""
    context_id, context = named_context(trail, sense.context)
    values = {**_values(trail, sense, context_id), "created_at": trail.at, "changed_at": trail.at}
    fresh = trail.fresh_id(senses, "sense")
    key = trail.connection.execute(insert(senses).values(values | fresh)).inserted_primary_key
    assert key is not None
    sense_id = int(key[0])
    _insert_aliases(trail.connection, sense_id, sense)
    trail.note("sense", sense_id, None, replace(sense, id=sense_id, context=context), version=1)
    return sense_id


def restore_sense(
    trail: Trail, sense: Sense, version: int, places: Sequence[Mapping[str, Any]], *, undoes: int
) -> None:
    """Insert a deleted sense again under its old id, with the evidence that it had."""
    context_id, context = named_context(trail, sense.context)
    values = {**_values(trail, sense, context_id), "created_at": trail.at, "changed_at": trail.at}
    trail.connection.execute(insert(senses).values(values | {"id": sense.id, "version": version}))
    _insert_aliases(trail.connection, sense.id, sense)
    if places:
        trail.connection.execute(insert(evidence), [{**place, "sense_id": sense.id} for place in places])
    trail.note("sense", sense.id, None, replace(sense, context=context), version=version, undoes=undoes)


def overwrite_sense(trail: Trail, former: Sense, sense: Sense, *, undoes: int | None = None) -> Sense:
    """Let the sense ``former`` be as ``sense`` from now on, and return it."""
    connection = trail.connection
    context_id, context = named_context(trail, sense.context)
    values = {**_values(trail, sense, context_id), "changed_at": trail.at, "version": senses.c.version + 1}
    change = update(senses).where(senses.c.id == former.id).values(values).returning(senses.c.version)
    version = connection.execute(change).scalar_one()
    if former.aliases != sense.aliases:
        connection.execute(delete(aliases).where(aliases.c.sense_id == former.id))
        _insert_aliases(connection, former.id, sense)
    after = replace(sense, id=former.id, context=context)
    trail.note("sense", former.id, former, after, version=version, undoes=undoes)
    return after


def delete_sense(trail: Trail, former: Sense, *, undoes: int | None = None) -> None:
    """Delete a sense with its aliases and evidence."""
    kept = select(evidence.c.document, evidence.c.page, evidence.c.sentence, evidence.c.score, evidence.c.digest)
    places = trail.connection.execute(kept.where(evidence.c.sense_id == former.id)).mappings().all()
    gone = delete(senses).where(senses.c.id == former.id).returning(senses.c.version)
    version = trail.connection.execute(gone).scalar_one() + 1
    trail.note(
        "sense", former.id, former, None, version=version, evidence=[dict(place) for place in places], undoes=undoes
    )


def _values(trail: Trail, sense: Sense, context_id: int) -> dict[str, Any]:
    return {
        "term_id": _term_id(trail.connection, sense.term),
        "term_key": fold(sense.term),
        "context_id": context_id,
        "extended_name": sense.extended_name,
        "extended_key": fold(sense.extended_name),
        "loose_name": loose_name(sense.extended_name),
        "description": sense.description,
        "notes": sense.notes,
        "source": sense.source,
        "state": sense.state,
    }


def _insert_aliases(connection: Connection, sense_id: int, sense: Sense) -> None:
    if sense.aliases:
        rows = [{"sense_id": sense_id, "spelling": alias, "key": fold(alias)} for alias in sense.aliases]
        connection.execute(insert(aliases), rows)


def _term_id(connection: Connection, spelling: str) -> int:
    found = connection.execute(select(terms.c.id).where(terms.c.spelling == spelling)).scalar()
    if found is not None:
        return int(found)
    values = {"spelling": spelling, "key": fold(spelling), "loose_key": loose_term(spelling)}
    key = connection.execute(insert(terms).values(values)).inserted_primary_key
    assert key is not None
    return int(key[0])


def spellings_of(sense: Sense) -> list[str]:
    """Return the term of ``sense`` and its aliases."""
    return [sense.term, *sense.aliases]
