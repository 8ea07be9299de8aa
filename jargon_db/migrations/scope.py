"""Which tables the dictionary's migrations answer for: a database may hold the library's as well."""

from typing import Any

from jargon_db.models import metadata


def belongs_to_dictionary(thing: Any, name: str | None, kind: str, reflected: bool, _compared: Any) -> bool:
    """Say whether Alembic should compare ``thing``: the dictionary's tables, and what belongs to them."""
    return kind != "table" or name in metadata.tables
