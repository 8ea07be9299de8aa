"""What adapters reply: JSON with fields of their own names, and the forms that it must have."""

import json
from collections.abc import Mapping
from types import GenericAlias
from typing import Any, TypeVar, cast

from pydantic import BaseModel, RootModel, create_model

from tools.structured import parse_reply

Form = TypeVar("Form", bound=BaseModel)


def record_form(fields: Mapping[str, Any]) -> type[BaseModel]:
    """Make the form of a JSON object with ``fields``, each of its type, in this order."""
    # The names are the adapter's, which no type checker can know.
    make = cast(Any, create_model)
    return cast(type[BaseModel], make("AdapterRecord", **{name: (kind, ...) for name, kind in fields.items()}))


def records_form(fields: Mapping[str, Any]) -> type[BaseModel]:
    """Make the form of a JSON array of objects with ``fields``."""
    rows = GenericAlias(list, (record_form(fields),))
    return cast(type[BaseModel], cast(Any, RootModel)[rows])


def read_json(text: str, form: type[Form]) -> Any:
    """Return the value of the form ``form`` in an adapter's reply, which may be JSON written as a JSON string.

    It comes as a dict, or a list of them.

    Source: granite-io notes of the hallucination adapter that it answers with JSON in a string.

    Raises:
        MalformedReply: there is none; the text says what is wrong with the nearest.
    """
    bare = text.strip()
    if bare.startswith('"'):
        try:
            inner = json.loads(bare, strict=False)
        except ValueError:
            inner = bare
        bare = inner if isinstance(inner, str) else bare
    return parse_reply(bare, form).model_dump()
