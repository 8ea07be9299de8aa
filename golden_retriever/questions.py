"""What callers say with a question: their department, and the meanings that they chose."""

import re
from collections.abc import Iterable

from contracts.errors import InvalidInput
from contracts.question import SensePick
from tools.language import fold


def known_department(department: str, contexts: Iterable[str]) -> str:
    """Return the name of the context that ``department`` means, in any letter case; "" stays "".

    Raises:
        InvalidInput: the dictionary has no such context; the text names those that it has.
    """
    name = department.strip()
    known = sorted(contexts, key=str.casefold)
    found = next((each for each in known if fold(each) == fold(name)), None)
    if not name or found is not None:
        return found or ""
    choice = f"choose one of {', '.join(known)}" if known else "the dictionary has no contexts yet"
    raise InvalidInput(f"There is no department {name!r}: {choice}.", field="department")


def pick_of(term: str, name: str) -> SensePick:
    """Return the choice of the meaning ``name`` for ``term``; the name may be ``EXTENDED NAME (CONTEXT)``.

    Raises:
        InvalidInput: one of them is empty.
    """
    if not (term.strip() and name.strip()):
        raise InvalidInput(f"The chosen meaning {term!r}: {name!r} lacks its term or its name.", field="picks")
    # What stands in brackets may belong to the name: the dictionary decides.
    placed = re.fullmatch(r"(.+?)\s*\(([^()]+)\)", name.strip())
    extended_name, context = (placed.group(1), placed.group(2)) if placed else (name.strip(), None)
    return SensePick(term=term.strip(), extended_name=extended_name, context=context)
