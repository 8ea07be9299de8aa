"""What a hostile file is: how it is made, and what ingestion must say of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class HostileFile:
    """A file that tries to break its reader.

    ``says`` must stand in the reason or in a warning of the report of a file that ends as one of ``statuses``; "" where
    nothing has to be said.
    """

    name: str
    write: Callable[[Path], None]
    statuses: tuple[str, ...] = ("failed",)
    says: str = ""
