"""Writing senses: each meaning once, compared by folded term, context and extended name."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, exists, insert, select, update

from contracts.jargon import Sense
from jargon_db.folding import fold, loose_name, loose_term
from jargon_db.models import aliases, contexts, senses, state, terms
from jargon_db.queries import in_pieces, select_senses
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


def put_senses(connection: Connection, wanted: Sequence[Sense]) -> ImportReport:
    """Add or change each of ``wanted`` (checked; their ids do not count). What is there as wanted stays untouched."""
    lock(connection)
    there = {meaning_of(sense): sense for sense in _with_keys(connection, [fold(sense.term) for sense in wanted])}
    added = changed = 0
    for sense in wanted:
        former = there.get(meaning_of(sense))
        if former is None:
            there[meaning_of(sense)] = replace(sense, id=insert_sense(connection, sense))
            added += 1
        elif not _alike(former, sense):
            overwrite_sense(connection, former.id, sense)
            there[meaning_of(sense)] = replace(sense, id=former.id)
            changed += 1
    if added or changed:
        advance(connection)
        drop_unused_terms(connection)
        published = [sense for sense in wanted if sense.state == "published"]
        forget_unknown(connection, [spelling for sense in published for spelling in spellings_of(sense)])
    return ImportReport(added=added, changed=changed, unchanged=len(wanted) - added - changed)


def _with_keys(connection: Connection, keys: Iterable[str]) -> list[Sense]:
    return [
        sense for some in in_pieces(keys) for sense in select_senses(connection, senses.c.term_key.in_(some)).values()
    ]


def _alike(former: Sense, wanted: Sense) -> bool:
    return _content(former) == _content(wanted)


def _content(sense: Sense) -> tuple[object, ...]:
    texts = (sense.term, sense.extended_name, sense.description, sense.notes, sense.source, sense.state)
    return (*texts, sorted(sense.aliases))


def insert_sense(connection: Connection, sense: Sense) -> int:
    """Insert a sense that is not there yet and return its id."""
    now = datetime.now(UTC)
    values = {**_values(connection, sense), "created_at": now, "changed_at": now}
    key = connection.execute(insert(senses).values(values)).inserted_primary_key
    assert key is not None
    _insert_aliases(connection, int(key[0]), sense)
    return int(key[0])


def overwrite_sense(connection: Connection, sense_id: int, sense: Sense) -> None:
    """Let the sense ``sense_id`` be as ``sense`` from now on."""
    values = {**_values(connection, sense), "changed_at": datetime.now(UTC)}
    connection.execute(update(senses).where(senses.c.id == sense_id).values(values))
    connection.execute(delete(aliases).where(aliases.c.sense_id == sense_id))
    _insert_aliases(connection, sense_id, sense)


def drop_unused_terms(connection: Connection) -> None:
    """Delete the terms that have no sense any longer."""
    connection.execute(delete(terms).where(~exists().where(senses.c.term_id == terms.c.id)))


def _values(connection: Connection, sense: Sense) -> dict[str, Any]:
    return {
        "term_id": _term_id(connection, sense.term),
        "term_key": fold(sense.term),
        "context_id": context_id(connection, sense.context),
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


def context_id(connection: Connection, name: str) -> int:
    """Return the id of the context ``name``, which is made, without a description, where it is not there yet."""
    found = connection.execute(select(contexts.c.id).where(contexts.c.key == fold(name))).scalar()
    if found is not None:
        return int(found)
    values = {"key": fold(name), "name": name, "description": "", "examples": []}
    key = connection.execute(insert(contexts).values(values)).inserted_primary_key
    assert key is not None
    return int(key[0])


def spellings_of(sense: Sense) -> list[str]:
    """Return the term of ``sense`` and its aliases."""
    return [sense.term, *sense.aliases]
