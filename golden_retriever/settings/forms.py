"""How settings of several values are written: names with commas between, or JSON, which a TOML file may hold itself."""

import json
from typing import Annotated, Any

from pydantic import BeforeValidator
from pydantic_settings import NoDecode


def names_in(value: Any) -> Any:
    """Return the names of a comma-separated list; what is no text is for Pydantic to check."""
    return tuple(each.strip() for each in value.split(",") if each.strip()) if isinstance(value, str) else value


def json_in(value: Any) -> Any:
    """Return what a JSON text holds, an empty object for none.

    Raises:
        ValueError: it is not JSON.
    """
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value) if value.strip() else {}
    except ValueError as error:
        raise ValueError(f"is not JSON: {error}") from None


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(names_in)]
JsonObject = Annotated[dict[str, Any], NoDecode, BeforeValidator(json_in)]
