"""Preconditions: the version that an edit is based on (``ETag``, ``If-Match``), so that no edit overwrites another."""

import re
from typing import Annotated

from fastapi import Header

from contracts.errors import GoldenError, InvalidInput, PreconditionFailed

ANY = "*"
IfMatch = Annotated[
    str | None, Header(max_length=100, description="The ETag of the version that you saw; * overrides any version.")
]
_ENTRY = re.compile(r'(?:W/)?"?(\d{1,10})\.(\d{1,10})"?', re.ASCII)
_RECORD = re.compile(r'(?:W/)?"v([0-9]{1,9})"', re.ASCII)


class PreconditionMissing(GoldenError):
    """The request must say which version it is about (HTTP 428)."""

    code = "precondition_required"


def entry_version(if_match: str | None, entry: int | None, *, what: str) -> int | None:
    """Return the version of a dictionary entry that ``If-Match`` names, None for ``*``: any version.

    ``entry`` is the id of the entry at this address now, None if that is not known. ``what`` names it.

    Raises:
        PreconditionMissing: there is no ``If-Match``.
        PreconditionFailed: it belongs to another entry.
        InvalidInput: it is not an entity tag of this server.
    """
    given = (if_match or "").strip()
    if not given:
        raise PreconditionMissing(
            f'Say which version of {what} you have seen: send its ETag in If-Match, such as If-Match: "12.3". '
            "If-Match: * overrides whatever it is now."
        )
    if given == ANY:
        return None
    found = _ENTRY.fullmatch(given)
    if found is None:
        raise InvalidInput(
            f"If-Match: {if_match!r} is not the ETag of an entry: send one, as you received it, or * to override.",
            field="If-Match",
        )
    if entry is not None and int(found[1]) != entry:
        raise PreconditionFailed(f"The ETag {if_match} belongs to an entry other than {what}: load it again.")
    return int(found[2])


def record_version(if_match: str | None) -> int | None:
    """Return the version of a record that ``If-Match`` names; None if it names none, or any.

    Raises:
        InvalidInput: it is not an entity tag of this server.
    """
    given = (if_match or "").strip()
    if given in ("", ANY):
        return None
    found = _RECORD.fullmatch(given)
    if found is None:
        raise InvalidInput(
            'If-Match is not the ETag of a record: send it as you received it, such as "v3", or leave it out.',
            field="If-Match",
        )
    return int(found[1])
