"""Preconditions: the version that an edit is based on (``ETag``, ``If-Match``), so that no edit overwrites another."""

import re
from typing import Annotated

from fastapi import Header

from contracts.errors import InvalidInput

IfMatch = Annotated[
    str | None, Header(max_length=100, description="The ETag of the version that you saw; without it, any version.")
]
_TAG = re.compile(r'(?:W/)?"v([0-9]{1,9})"', re.ASCII)


def version_in(if_match: str | None) -> int | None:
    """Return the version that ``If-Match`` names; None if it names none, or any.

    Raises:
        InvalidInput: it is not an entity tag of this server.
    """
    given = (if_match or "").strip()
    if given in ("", "*"):
        return None
    found = _TAG.fullmatch(given)
    if found is None:
        raise InvalidInput(
            'If-Match is not an ETag of this server: send it as you received it, such as "v3", or leave it out.',
            field="If-Match",
        )
    return int(found[1])
