"""Lists of web pages: their items."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bs4.element import Tag

from ingestion.readers.html_text import text_of


@dataclass(frozen=True, slots=True)
class ListEntry:
    """An item of a list: its mark ("- ", "3. "), its term ("SWL: "), its content. No mark: no item of its own."""

    mark: str
    term: str
    parts: tuple[Tag, ...]


def list_items(tag: Tag) -> Iterator[ListEntry]:
    """Yield the items of a ``ul`` or ``ol``, and what stands between them."""
    number = _number(tag.get("start"), 1)
    for child in tag.find_all(True, recursive=False):
        if child.name != "li":
            yield ListEntry("", "", (child,))
            continue
        number = _number(child.get("value"), number)
        yield ListEntry(f"{number}. " if tag.name == "ol" else "- ", "", (child,))
        number += 1


def _number(value: object, usual: int) -> int:
    return int(value) if isinstance(value, str) and re.fullmatch(r"\d{1,6}", value) else usual


def definitions(tag: Tag) -> Iterator[ListEntry]:
    """Yield the terms of a ``dl``, each with what is said of it."""
    terms: list[str] = []
    found: list[Tag] = []
    for each in (*(each for each in tag.find_all(["dt", "dd"]) if each.find_parent("dl") is tag), None):
        if found and (each is None or each.name == "dt"):
            yield ListEntry("- ", f"{', '.join(terms)}: " if terms else "", tuple(found))
            terms, found = [], []
        if each is not None and each.name == "dd":
            found.append(each)
        elif each is not None and (text := text_of(each).removesuffix(":")):
            terms.append(text)
    yield from (ListEntry("- ", term, ()) for term in terms)
