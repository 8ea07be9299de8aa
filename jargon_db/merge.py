"""Merges two spellings of the same term."""

from sqlalchemy import Connection, insert, literal, select

from contracts.errors import InvalidInput, NotFound
from contracts.jargon import Sense
from jargon_db.change_log import ChangeLog
from jargon_db.corrections import move_corrections
from jargon_db.normalization import fold
from jargon_db.sense_queries import select_senses
from jargon_db.sense_writes import delete_senses, existing_senses, finish_changes, meaning_of, overwrite_sense
from jargon_db.tables import evidence, senses
from jargon_db.validation import checked


def merge_terms(log: ChangeLog, old: str, new: str) -> tuple[Sense, ...]:
    """Merge two terms; see ``JargonStore.merge_terms``."""
    connection = log.connection
    sources, targets = _of_term(connection, old), _of_term(connection, new)
    old, new = sources[0].term, targets[0].term
    if old == new:
        raise InvalidInput(f"{old!r} cannot be merged into itself.", field="term")
    for target in targets:
        if target.state != "rejected":
            _rewrite(log, target, target.model_copy(update={"aliases": _joined(target.aliases, (old,))}))
    for source in sources:
        kept = tuple(alias for alias in source.aliases if alias != new)
        moved = checked(source.model_copy(update={"term": new, "aliases": _joined(kept, (old,))}))
        twin = existing_senses(connection, [moved]).get(meaning_of(moved))
        if twin is None or twin.id == source.id:
            _rewrite(log, source, moved)
            continue
        _copy_evidence(connection, source.id, twin.id)
        move_corrections(connection, source.id, twin.id)
        delete_senses(log, [source])
        _rewrite(log, twin, _united(twin, moved))
    result = tuple(select_senses(connection, senses.c.term_key == fold(new)).values())
    finish_changes(connection, result)
    return tuple(sense for sense in result if sense.term == new)


def _united(twin: Sense, moved: Sense) -> Sense:
    published = "published" in (twin.state, moved.state)
    return twin.model_copy(
        update={
            "description": twin.description or moved.description,
            "notes": twin.notes or moved.notes,
            "source": twin.source or moved.source,
            "aliases": _joined(twin.aliases, tuple(alias for alias in moved.aliases if alias != twin.term)),
            "state": "published" if published else twin.state,
        }
    )


def _joined(aliases: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    there = {fold(alias) for alias in aliases}
    return (*aliases, *(alias for alias in more if fold(alias) not in there))


def _rewrite(log: ChangeLog, former: Sense, wanted: Sense) -> None:
    tidy = checked(wanted)
    if tidy != former:
        overwrite_sense(log, former, tidy)


def _copy_evidence(connection: Connection, source: int, target: int) -> None:
    there = select(evidence.c.digest).where(evidence.c.sense_id == target)
    columns = ("document", "page", "sentence", "score", "digest")
    copied = select(literal(target), *(evidence.c[name] for name in columns)).where(
        evidence.c.sense_id == source, evidence.c.digest.not_in(there)
    )
    connection.execute(insert(evidence).from_select(["sense_id", *columns], copied))


def _of_term(connection: Connection, spelling: str) -> list[Sense]:
    found = list(select_senses(connection, senses.c.term_key == fold(spelling)).values())
    if not found:
        raise NotFound(f"There is no term {spelling!r} in the dictionary.")
    exact = [sense for sense in found if sense.term == " ".join(spelling.split())]
    spellings = sorted({sense.term for sense in found})
    if not exact and len(spellings) > 1:
        several = f"{spelling!r} matches several terms ({', '.join(spellings)}): use the exact spelling."
        raise InvalidInput(several, field="term")
    return exact or found
