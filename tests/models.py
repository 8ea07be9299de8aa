"""Models in tests."""

from typing import Any, TypeVar

from pydantic import BaseModel

_Model = TypeVar("_Model", bound=BaseModel)


def replace(model: _Model, **changes: Any) -> _Model:
    """Return a copy of ``model`` with other values in some fields."""
    return model.model_copy(update=changes)
