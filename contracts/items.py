"""Lists of models, as the HTTP API returns them."""

from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict

_Item = TypeVar("_Item")


class Items(BaseModel, Generic[_Item], frozen=True):
    """All items of one kind, in order."""

    # Pydantic does not add a description to the models for each kind of item.
    model_config = ConfigDict(json_schema_extra=lambda schema: schema.setdefault("description", "Items in order."))

    items: tuple[_Item, ...]


class ItemPage(Items[_Item], Generic[_Item], frozen=True):
    """At most ``limit`` of the ``total`` items, after the first ``offset`` items."""

    total: int
    limit: int
    offset: int
