"""Column types that store the same values in every database."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, Text, TypeDecorator
from sqlalchemy.types import TypeEngine

from database.text import storable


class StoredText(TypeDecorator[str]):
    """Text from any source: characters that no database accepts are replaced with U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)


class Key(StoredText):
    """An id, name or normalised text, sorted by code point as in Python, independently of the database locale."""

    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return text with the collation "C" for PostgreSQL, and plain text for SQLite."""
        return Text(collation="C") if dialect.name == "postgresql" else Text()


class StoredJson(TypeDecorator[Any]):
    """JSON whose strings are converted as in ``StoredText``."""

    impl = JSON
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        return _storable_json(value)


class UtcTime(TypeDecorator[datetime]):
    """A time in UTC, even if the database stores no time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _storable_json(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list | tuple):
        return [_storable_json(each) for each in value]
    if isinstance(value, dict):
        return {_storable_json(name): _storable_json(each) for name, each in value.items()}
    return value
