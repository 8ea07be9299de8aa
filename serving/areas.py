"""Areas: what the server offers beside the questions, each a set of routes with what is checked before them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fastapi import APIRouter

from serving.access import Guard


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """Routes, and how requests to them are checked.

    ``bounds`` gives the most bytes of a body by path prefix. ``scoped`` are path prefixes whose routes say which scope
    they need; elsewhere it is "ask". ``open`` are paths that nobody needs a key for.
    """

    routers: tuple[APIRouter, ...]
    bounds: Mapping[str, int] = field(default_factory=dict)
    scoped: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


# Makes an area whose routes let in whom the guard does.
AreaBuilder = Callable[[Guard], Area]
