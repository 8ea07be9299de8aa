"""Contexts, which senses refer to and the dictionary's manager describes. All changes are in the change log."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from contracts.dictionary import ContextEntry, ImportReport
from contracts.errors import Conflict, NotFound, PreconditionFailed
from contracts.jargon import Context
from jargon_db.change_log import ChangeLog, check_version, with_last_changes
from jargon_db.normalization import fold
from jargon_db.tables import contexts, senses


def select_contexts(connection: Connection) -> dict[str, ContextEntry]:
    """Return all contexts by folded name, in order, without their last changes."""
    query = select(contexts).where(contexts.c.key != "").order_by(contexts.c.key)
    return {row.key: ContextEntry.model_validate(dict(row._mapping)) for row in connection.execute(query)}


def select_context_entries(connection: Connection) -> tuple[ContextEntry, ...]:
    """Return all contexts with their last changes, sorted by name."""
    return with_last_changes(connection, "context", select_contexts(connection).values())


def get_context(connection: Connection, name: str) -> ContextEntry:
    """Return the context ``name``, in any letter case. Raises ``NotFound``."""
    found = next((each for each in select_context_entries(connection) if fold(each.name) == fold(name)), None)
    if found is None:
        raise NotFound(f"There is no context {name!r} in the dictionary.")
    return found


def get_or_create_context(log: ChangeLog, name: str) -> tuple[int, str]:
    """Return the id and spelling of the context ``name``; if it does not exist, create it without a description."""
    query = select(contexts.c.id, contexts.c.name).where(contexts.c.key == fold(name))
    found = log.connection.execute(query).one_or_none()
    return (found.id, found.name) if found is not None else (insert_context(log, Context(name=name)), name)


def put_contexts(log: ChangeLog, wanted: Sequence[Context], seen: int | None = None) -> ImportReport:
    """Add or change the contexts ``wanted`` (checked); ``seen`` is the version that the caller saw, 0 if new.

    Raises:
        PreconditionFailed: a context has a version other than ``seen``, or was deleted.
    """
    there = select_contexts(log.connection)
    added = changed = 0
    for context in wanted:
        former = there.get(fold(context.name))
        if former is None:
            if seen:
                raise PreconditionFailed(
                    f"The context {context.name!r} does not exist, or was deleted: nothing was changed."
                )
            new_id = insert_context(log, context)
            there[fold(context.name)] = ContextEntry(**dict(context), id=new_id, version=1)
            added += 1
            continue
        check_version(log.connection, former, seen)
        if former.context != context:
            there[fold(context.name)] = overwrite_context(log, former, context)
            changed += 1
    return ImportReport(added=added, changed=changed, unchanged=len(wanted) - added - changed)


def insert_context(log: ChangeLog, context: Context, *, entry: int | None = None, version: int = 1) -> int:
    """Insert a context, with its old id ``entry`` if it had one, and return its id."""
    if entry is None:
        (entry,) = log.fresh_ids(contexts, "context", 1)
    log.connection.execute(insert(contexts).values({**_values(context), "id": entry, "version": version}))
    log.note("context", entry, None, context, version=version)
    return entry


def overwrite_context(log: ChangeLog, former: ContextEntry, context: Context) -> ContextEntry:
    """Overwrite the context ``former`` with ``context``, and return it."""
    version = former.version + 1
    change = update(contexts).where(contexts.c.id == former.id)
    log.connection.execute(change.values({**_values(context), "version": version}))
    log.note("context", former.id, former.context, context, version=version)
    return ContextEntry(**dict(context), id=former.id, version=version)


def delete_context(log: ChangeLog, former: ContextEntry) -> None:
    """Delete a context without senses. Raises ``Conflict`` if it has senses."""
    bound = select(senses.c.id).where(senses.c.context_id == former.id).limit(1)
    if log.connection.execute(bound).scalar() is not None:
        raise Conflict(f"The context {former.name!r} has senses: move or delete them first.")
    log.connection.execute(delete(contexts).where(contexts.c.id == former.id))
    log.note("context", former.id, former.context, None, version=former.version + 1)


def _values(context: Context) -> dict[str, Any]:
    return {**context.model_dump(include=set(Context.model_fields)), "key": fold(context.name)}
