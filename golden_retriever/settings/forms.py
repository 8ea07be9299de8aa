"""Formats of settings with several values: comma-separated names, or JSON, which may be a table in a TOML file."""

import json
from typing import Annotated, Any

from pydantic import BeforeValidator
from pydantic_settings import NoDecode


def names_in(value: Any) -> Any:
    """Return the names in a comma-separated list; Pydantic checks values that are not text."""
    return tuple(each.strip() for each in value.split(",") if each.strip()) if isinstance(value, str) else value


def json_in(value: Any) -> Any:
    """Return the value of a JSON text, an empty object for "". Raises ``ValueError`` if it is not JSON."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value) if value.strip() else {}
    except ValueError as error:
        raise ValueError(f"is not JSON: {error}") from None


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(names_in)]
JsonObject = Annotated[dict[str, Any], NoDecode, BeforeValidator(json_in)]
