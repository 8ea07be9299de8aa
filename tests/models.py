"""Models in tests."""

from typing import Any, TypeVar

from pydantic import BaseModel

from contracts.jargon import MinedTerm, Sense
from jargon_db.store import JargonStore

_Model = TypeVar("_Model", bound=BaseModel)


def replace(model: _Model, **changes: Any) -> _Model:
    """Return a copy of ``model`` with other values in some fields."""
    return model.model_copy(update=changes)


def mined(term: str, name: str, document: str = "a.pdf", *, page: int = 1, score: float = 0.9) -> MinedTerm:
    """Return a term as it is mined from a page of ``document``."""
    evidence = f"The {name} is here."
    return MinedTerm(term=term, extended_name=name, evidence=evidence, page=page, score=score, document=document)


def change_sense(store: JargonStore, sense: Sense, *, version: int | None = None) -> Sense:
    """Let the sense with this id be as given, all fields of it."""
    return store.edit_sense(sense.id, sense.model_dump(exclude={"id"}), version=version)
