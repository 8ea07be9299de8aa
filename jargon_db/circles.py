"""Circles: terms that are aliases of each other, over any number of steps, in any context."""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, select

from contracts.errors import InvalidInput
from contracts.jargon import Sense
from jargon_db.folding import fold
from jargon_db.models import aliases, senses
from jargon_db.senses import in_pieces

# From the folded alias to the folded terms that it stands for.
Steps = Mapping[str, Iterable[str]]


def steps_of(sense: Sense) -> tuple[tuple[str, str], ...]:
    """Return the steps from a folded alias of ``sense`` to its folded term; a rejected sense has none.

    Another letter case of the term itself (VccQ for VCCQ) is no step.
    """
    term = fold(sense.term)
    if sense.state == "rejected":
        return ()
    return tuple((fold(each), term) for each in sense.aliases if fold(each) != term)


def find_circles(steps: Steps) -> list[tuple[str, ...]]:
    """Return circles such as ("a", "b", "a"), at least one wherever there are any."""
    found: list[tuple[str, ...]] = []
    done: set[str] = set()
    for start in steps:
        path: list[str] = []
        stack = [iter([start])]
        while stack:
            here = next(stack[-1], None)
            if here is None:
                stack.pop()
                if path:
                    done.add(path.pop())
            elif here in path:
                found.append((*path[path.index(here) :], here))
            elif here not in done:
                path.append(here)
                stack.append(iter(steps.get(here, ())))
    return found


def refuse_circles(connection: Connection, written: Iterable[Sense]) -> None:
    """Let senses that have been written pass where none of their aliases leads back to itself.

    Raises:
        InvalidInput: one does; the text shows the circle.
    """
    new = {step for sense in written for step in steps_of(sense)}
    onward = _steps_from(connection, {term for _, term in new})
    for alias, term in sorted(new):
        path = _path(onward, term, alias)
        if path:
            raise InvalidInput(circle_text((alias, *path)), field="aliases")


def circle_text(circle: Sequence[str]) -> str:
    """Return a circle as a sentence."""
    return f"The aliases go in a circle: {' -> '.join(circle)}."


def _steps_from(connection: Connection, starts: set[str]) -> dict[str, set[str]]:
    onward: dict[str, set[str]] = {}
    fresh = starts
    while fresh:
        reached: set[str] = set()
        for some in in_pieces(fresh):
            query = (
                select(aliases.c.key, senses.c.term_key)
                .join(senses, senses.c.id == aliases.c.sense_id)
                .where(aliases.c.key.in_(some), senses.c.state != "rejected", aliases.c.key != senses.c.term_key)
            )
            for alias, term in connection.execute(query):
                onward.setdefault(alias, set()).add(term)
                reached.add(term)
        starts = starts | fresh
        fresh = reached - starts
    return onward


def _path(onward: Steps, start: str, end: str) -> tuple[str, ...]:
    came_from: dict[str, str] = {start: start}
    waiting = [start]
    for here in waiting:
        if here == end:
            path = [here]
            while path[-1] != start:
                path.append(came_from[path[-1]])
            return tuple(reversed(path))
        for each in sorted(onward.get(here, ())):
            if each not in came_from:
                came_from[each] = here
                waiting.append(each)
    return ()
