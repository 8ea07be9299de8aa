"""Preconditions: the version that an edit was made of (``ETag``, ``If-Match``), so that none overwrites another."""

import re
from typing import Annotated

from fastapi import Header

from contracts.errors import GoldenError, InvalidInput, PreconditionFailed

ANY = "*"
IfMatch = Annotated[
    str | None, Header(max_length=100, description="The ETag of the version that you saw; * overrides knowingly.")
]
_ENTRY = re.compile(r'(?:W/)?"?(\d{1,10})\.(\d{1,10})"?', re.ASCII)
_RECORD = re.compile(r'(?:W/)?"v([0-9]{1,9})"', re.ASCII)


class PreconditionMissing(GoldenError):
    """The request must say which version it is about (HTTP 428)."""

    code = "precondition_required"


def entry_version(if_match: str | None, entry: int | None, *, what: str) -> int | None:
    """Return the version of a dictionary's entry that ``If-Match`` names, None for ``*``: whatever it is now.

    ``entry`` is the id of what stands under the address now, None where that is not known. ``what`` names it.

    Raises:
        PreconditionMissing: there is no ``If-Match``.
        PreconditionFailed: it is of another entry.
        InvalidInput: it is no entity tag of ours.
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
            f"If-Match: {if_match!r} is no ETag of an entry: send it as you got it, one only, or * to override.",
            field="If-Match",
        )
    if entry is not None and int(found[1]) != entry:
        raise PreconditionFailed(f"The ETag {if_match} is of another entry than {what}: load it again.")
    return int(found[2])


def record_version(if_match: str | None) -> int | None:
    """Return the version of a record that ``If-Match`` names; None where it names none, or any.

    Raises:
        InvalidInput: it is no tag of ours.
    """
    given = (if_match or "").strip()
    if given in ("", ANY):
        return None
    found = _RECORD.fullmatch(given)
    if found is None:
        raise InvalidInput(
            'If-Match is no ETag of a record: send it as you got it, such as "v3", or leave it out.', field="If-Match"
        )
    return int(found[1])
