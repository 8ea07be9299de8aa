"""Which tables the library's migrations answer for: a database may hold the dictionary's as well."""

from collections.abc import Callable
from typing import Any

from library.models import chunk_lexemes, metadata


def scope_of(dialect: str) -> Callable[[Any, str | None, str, bool, Any], bool]:
    """Return what tells Alembic, for a database of ``dialect``, which things are the library's."""
    absent = set() if dialect == "postgresql" else {chunk_lexemes.name}

    def belongs_to_library(thing: Any, name: str | None, kind: str, reflected: bool, compared: Any) -> bool:
        return kind != "table" or name in metadata.tables.keys() - absent

    return belongs_to_library
