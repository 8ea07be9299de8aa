"""Pages of the dictionary: what a table of meanings shows at a time, by filter."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from contracts.jargon import SenseState
from jargon_db.values import SenseEntry

SenseOrder = Literal["term", "newest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseFilter:
    """Which senses are wanted; None wants any.

    ``term`` and ``context`` ("" for everywhere) are compared folded. ``text`` stands somewhere in the term, an alias,
    the extended name, the context, the description or the notes. The senses whose numbers are ``hidden`` are never
    among them.
    """

    state: SenseState | None = None
    context: str | None = None
    term: str | None = None
    text: str = ""
    hidden: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class SensePage:
    """Some of the senses that a filter wants, in order, and how many there are of each state.

    ``counts`` are of all senses that the filter wants but for its state: what the other states would show.
    """

    entries: tuple[SenseEntry, ...]
    total: int
    counts: Mapping[SenseState, int]
