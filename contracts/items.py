"""Lists of models as they are served."""

from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict

_Item = TypeVar("_Item")


class Items(BaseModel, Generic[_Item], frozen=True):
    """All there are of something, in order."""

    # Pydantic gives the models that it makes for each kind of item no description.
    model_config = ConfigDict(json_schema_extra=lambda schema: schema.setdefault("description", "Items in order."))

    items: tuple[_Item, ...]


class ItemPage(Items[_Item], Generic[_Item], frozen=True):
    """Some of ``total`` items, after the first ``offset``."""

    total: int
    limit: int
    offset: int
