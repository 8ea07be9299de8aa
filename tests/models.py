"""Models in tests."""

from typing import Any, TypeVar

from pydantic import BaseModel

from contracts.jargon import Sense
from jargon_db.store import JargonStore

_Model = TypeVar("_Model", bound=BaseModel)


def replace(model: _Model, **changes: Any) -> _Model:
    """Return a copy of ``model`` with other values in some fields."""
    return model.model_copy(update=changes)


def change_sense(store: JargonStore, sense: Sense, *, version: int | None = None) -> Sense:
    """Let the sense with this id be as given, all fields of it."""
    return store.edit_sense(sense.id, sense.model_dump(exclude={"id"}), version=version)
