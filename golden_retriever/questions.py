"""What people on this machine specify with a question: department, documents and chosen meanings."""

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from contracts.errors import InvalidInput
from contracts.question import LOCAL_ACCOUNT, Asker, SensePick
from tools.language import fold

if TYPE_CHECKING:
    from golden_retriever.wiring import Application


def local_asker(
    application: "Application", channel: str, *, department: str = "", documents: Collection[str] = ()
) -> Asker:
    """Return the asker on this machine; ``department`` "" means the one in the settings. Blocking.

    ``department`` may be in any letter case. ``documents`` are the ids of the documents to search (all if empty).

    Raises:
        InvalidInput: the dictionary has no such department; the message names those that it has.
        NotFound: the library has no document with one of these ids.
    """
    application.store.expect_documents(documents)
    settings, name = application.settings, department.strip()
    if name:
        known = sorted((each.name for each in application.jargon.contexts()), key=str.casefold)
        if not any(fold(each) == fold(name) for each in known):
            choice = f"choose one of {', '.join(known)}" if known else "the dictionary has no contexts yet"
            raise InvalidInput(f"There is no department {name!r}: {choice}.", field="department")
        name = next(each for each in known if fold(each) == fold(name))
    return Asker(
        department=name or settings.department,
        documents=frozenset(documents) or None,
        account=LOCAL_ACCOUNT,
        name=settings.effective_user,
        channel=channel,
    )


def pick_of(term: str, name: str) -> SensePick:
    """Return the pick of the meaning ``name`` for ``term``; the name may be ``EXTENDED NAME (CONTEXT)``.

    Raises:
        InvalidInput: the term or the name is empty.
    """
    if not (term.strip() and name.strip()):
        raise InvalidInput(
            f"The chosen meaning {term!r}: {name!r} lacks its term or name: write TERM=NAME.", field="picks"
        )
    # Text in brackets may belong to the name: the dictionary decides.
    placed = re.fullmatch(r"(.+?)\s*\(([^()]+)\)", name.strip())
    extended_name, context = (placed.group(1), placed.group(2)) if placed else (name.strip(), None)
    return SensePick(term=term.strip(), extended_name=extended_name, context=context)
