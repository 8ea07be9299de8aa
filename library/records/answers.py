"""Answers as they are stored: plain JSON of all that came with them."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from contracts.answer import Answer
from contracts.errors import ConfigurationError


def values_of(answer: Answer) -> dict[str, Any]:
    """Return the answer as values of JSON."""
    return answer.model_dump(exclude_computed_fields=True)


def answer_of(values: Mapping[str, Any]) -> Answer:
    """Return the answer that was stored, by this version or an older one.

    Raises:
        ConfigurationError: the values are none of ours.
    """
    try:
        return Answer.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(
            f"A kept answer cannot be read ({place}: {first['msg']}): was the database changed by hand, or by a later "
            "version?"
        ) from error
