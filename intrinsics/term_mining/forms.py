"""The form in which a mined term and its expansion go into the dictionary."""

import re

from intrinsics.term_mining.alignment import letters_of
from tools.language import fold

_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\.?")


def dictionary_form(term: str, name: str) -> tuple[str, str] | None:
    """Return term and name in the singular, without an abbreviation's full stops; None where the name says no more.

    A name says no more than its term where it is the term, is no longer than its letters, or is a code itself.
    """
    name = " ".join(name.split())
    if fold(name) == fold(term) or len(name) <= len(letters_of(term)) or "_" in name:
        return None
    single = _singular(term)
    return _without_dots(single), _singular_name(name) if single != term else name


def _singular(term: str) -> str:
    return term[:-1] if len(term) > 2 and term.endswith("s") and term[-2].isupper() else term


def _singular_name(name: str) -> str:
    """Return the name of one of them: "media encryption keys (MEKs)" defines a media encryption key."""
    if name.endswith("ies") and len(name) > 5:
        return name[:-3] + "y"
    return name[:-1] if name.endswith("s") and not name.endswith(("ss", "us", "is")) else name


def _without_dots(term: str) -> str:
    """Return an abbreviation written with full stops (L.O.C.K.) as people ask for it."""
    return term.replace(".", "") if _DOTTED.fullmatch(term) else term
