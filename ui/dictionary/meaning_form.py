"""The form of one meaning: what it sends, and what it shows if somebody else changed the meaning in the meantime."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from contracts.dictionary import SenseEntry
from contracts.errors import PreconditionFailed
from contracts.jargon import Sense, SenseState

STATES: tuple[SenseState, ...] = ("published", "draft", "rejected")
_BETWEEN = re.compile(r"[;\n]")
_FIELDS = ("term", "extended_name", "context", "description", "notes", "source", "aliases", "state")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """A refused edit: what somebody wrote, and the current version (None: deleted)."""

    mine: Sense
    theirs: SenseEntry | None

    @property
    def differing(self) -> tuple[str, ...]:
        return tuple(name for name in _FIELDS if getattr(self.mine, name) != getattr(self.theirs, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class MeaningForm:
    """What a form shows: a meaning at the version ``etag``; its first field has the key ``first-<key>``."""

    meaning: Sense
    key: str
    etag: str = ""
    clash: Clash | None = None


def form_of(entry: Sense, told: object) -> MeaningForm:
    """Return the form of an entry; what was written stays in it if ``told`` is the clash of its edit."""
    etag = entry.etag if isinstance(entry, SenseEntry) else ""
    key = f"{entry.id}-{etag}"
    if not isinstance(told, Clash) or told.mine.id != entry.id:
        return MeaningForm(meaning=entry, key=key, etag=etag)
    if told.theirs is None:
        return MeaningForm(meaning=told.mine.model_copy(update={"id": 0}), key=key, clash=told)
    return MeaningForm(meaning=told.mine, key=key, etag=told.theirs.etag, clash=told)


def fields_in(sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a meaning that a form sent, as the API takes them."""
    told: dict[str, Any] = {name: sent[name].strip() for name in _FIELDS if name in sent}
    if "aliases" in told:
        told["aliases"] = [each.strip() for each in _BETWEEN.split(told["aliases"]) if each.strip()]
    if told.get("state") not in STATES:
        told.pop("state", None)
    return told


def clash_of(number: int, sent: Mapping[str, str], refused: PreconditionFailed) -> Clash:
    """Return the clash of an edit that was refused; ``sent`` are the fields of its form."""
    mine = Sense(**{"term": "", "extended_name": "", **fields_in(sent), "id": number})
    return Clash(mine=mine, theirs=refused.current if isinstance(refused.current, SenseEntry) else None)
