"""The vocabulary: every spelling and extended name of what is published, whole, or what changed of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from jargon_db.folding import fold
from jargon_db.models import aliases, changes, senses, terms
from jargon_db.senses import in_pieces, select_version

# After more changes than these everything is read anew: each of them costs as much as several rows of the whole.
MOST_CHANGES = 10_000

_Names = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailMark:
    """How far the trail went: its last change (0 where there is none), and when that was made."""

    change: int
    at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVocabulary:
    """Spellings and extended names with the terms they stand for, at ``version``.

    In an update they are only those that may have changed; what is gone stands for no terms.
    """

    version: str
    mark: TrailMark
    terms: Mapping[str, tuple[str, ...]]
    names: Mapping[str, tuple[str, ...]]


def select_vocabulary(connection: Connection) -> StoredVocabulary:
    """Return the whole vocabulary, in the order of its texts."""
    spelling_of = {row[0]: (row[1],) for row in connection.execute(select(terms.c.id, terms.c.spelling))}
    of_spellings: _Names = {}
    of_names: _Names = {}
    published = select(senses.c.id, senses.c.term_id, senses.c.extended_name).where(senses.c.state == "published")
    for _, term_id, name in connection.execute(published):
        of_spellings[spelling_of[term_id][0]] = spelling_of[term_id]
        _add(of_names, name, spelling_of[term_id])
    renamed = select(aliases.c.spelling, senses.c.term_id).join(senses, senses.c.id == aliases.c.sense_id)
    for alias, term_id in connection.execute(renamed.where(senses.c.state == "published")):
        _add(of_spellings, alias, spelling_of[term_id])
    return StoredVocabulary(
        version=select_version(connection),
        mark=_select_mark(connection),
        terms=_ordered(of_spellings),
        names=_ordered(of_names),
    )


def select_vocabulary_update(
    connection: Connection, mark: TrailMark, names: Mapping[str, tuple[str, ...]]
) -> StoredVocabulary | None:
    """Return what may have changed since ``mark``, when ``names`` were the extended names and their terms.

    None where the trail does not go on from there, as in a dictionary restored from a copy, or tells of too much.
    """
    now = _select_mark(connection)
    if not 0 <= now.change - mark.change <= MOST_CHANGES or _moment(connection, mark.change) != mark.at:
        return None
    # Kind and state are looked at here: told of them, SQLite walks all that have them instead of the few meant.
    later = select(changes.c.kind, changes.c.before, changes.c.after).where(changes.c.id > mark.change)
    asked: dict[str, None] = {}
    named: dict[str, set[str]] = {}
    for kind, *sides in connection.execute(later):
        for side in sides:
            if kind != "sense" or side is None or side["state"] != "published":
                continue
            asked.update(dict.fromkeys((side["term"], *side["aliases"])))
            # A term has the name now only if it had it before or has been changed since.
            named.setdefault(side["extended_name"], set(names.get(side["extended_name"], ()))).add(side["term"])
    return StoredVocabulary(
        version=select_version(connection),
        mark=now,
        terms=_select_terms(connection, asked),
        names=_select_names(connection, named),
    )


def _select_terms(connection: Connection, asked: Iterable[str]) -> _Names:
    found: _Names = dict.fromkeys(asked, ())
    own = select(terms.c.spelling, senses.c.state).join(senses, senses.c.term_id == terms.c.id)
    renamed = (
        select(aliases.c.spelling, terms.c.spelling, senses.c.state)
        .join(senses, senses.c.id == aliases.c.sense_id)
        .join(terms, terms.c.id == senses.c.term_id)
    )
    for some in in_pieces(found):
        for spelling, state in connection.execute(own.where(terms.c.spelling.in_(some))):
            if state == "published":
                _add(found, spelling, (spelling,))
        keys = list(dict.fromkeys(map(fold, some)))
        for alias, term, state in connection.execute(renamed.where(aliases.c.key.in_(keys))):
            if alias in found and state == "published":
                _add(found, alias, (term,))
    return _ordered(found)


def _select_names(connection: Connection, named: Mapping[str, set[str]]) -> _Names:
    found: _Names = dict.fromkeys(named, ())
    query = select(senses.c.extended_name, terms.c.spelling, senses.c.state)
    query = query.join(terms, terms.c.id == senses.c.term_id)
    for some in in_pieces(fold(term) for several in named.values() for term in several):
        for name, term, state in connection.execute(query.where(senses.c.term_key.in_(some))):
            if name in found and state == "published":
                _add(found, name, (term,))
    return _ordered(found)


def _add(found: _Names, text: str, term: tuple[str, ...]) -> None:
    known = found.get(text)
    if not known:
        found[text] = term
    elif term[0] not in known:
        found[text] = tuple(sorted((*known, *term)))


def _ordered(found: _Names) -> _Names:
    return {text: found[text] for text in sorted(found)}


def _select_mark(connection: Connection) -> TrailMark:
    change = int(connection.execute(select(func.max(changes.c.id))).scalar_one() or 0)
    return TrailMark(change=change, at=_moment(connection, change))


def _moment(connection: Connection, change: int) -> datetime | None:
    return connection.execute(select(changes.c.at).where(changes.c.id == change)).scalar_one_or_none()
