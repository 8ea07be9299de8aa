"""Which tables the library's migrations answer for: a database may hold the dictionary's as well."""

from typing import Any

from sqlalchemy import MetaData

from library.models import metadata, postgresql_metadata


def tables_of(dialect: str) -> list[MetaData]:
    """Return the tables that a database of ``dialect`` has."""
    return [metadata, postgresql_metadata] if dialect == "postgresql" else [metadata]


def belongs_to_library(thing: Any, name: str | None, kind: str, reflected: bool, _compared: Any) -> bool:
    """Say whether Alembic should compare ``thing``: the library's tables, and what belongs to them."""
    if kind != "table":
        return True
    return name in metadata.tables or name in postgresql_metadata.tables
