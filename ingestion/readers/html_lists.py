"""Lists of web pages: their items, including those that a page writes as a table."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bs4.element import Tag

from ingestion.readers.html_text import is_bold, text_of

# Possible names of columns.
_NAME = re.compile(r"[A-Z][^\W\d_]*(?:[ /][^\W\d_]+){0,3}")


@dataclass(frozen=True, slots=True)
class ListEntry:
    """An item of a list: its mark ("- ", "3. "), term ("SWL: ") and content; not a separate item if it has no mark."""

    mark: str
    term: str
    parts: tuple[Tag, ...]


def list_items(tag: Tag) -> Iterator[ListEntry]:
    """Yield the items of a ``ul`` or ``ol``, and the text between them."""
    number = _number(tag.get("start"), 1)
    for child in tag.find_all(True, recursive=False):
        if child.name != "li":
            yield ListEntry("", "", (child,))
            continue
        number = _number(child.get("value"), number)
        mark = chr(96 + number) if tag.get("type") in ("a", "A") and 0 < number <= 26 else str(number)
        yield ListEntry(f"{mark}. " if tag.name == "ol" else "- ", "", (child,))
        number += 1


def _number(value: object, usual: int) -> int:
    return int(value) if isinstance(value, str) and re.fullmatch(r"\d{1,6}", value) else usual


def definitions(tag: Tag) -> Iterator[ListEntry]:
    """Yield the terms of a ``dl``, each with its description."""
    terms: list[str] = []
    found: list[Tag] = []
    for each in (*(each for each in tag.find_all(["dt", "dd"]) if each.find_parent(["dl", "dd"]) is tag), None):
        if found and (each is None or each.name == "dt"):
            yield ListEntry("- ", f"{', '.join(terms)}: " if terms else "", tuple(found))
            terms, found = [], []
        if each is not None and each.name == "dd":
            found.append(each)
        elif each is not None and (text := text_of(each).removesuffix(":")):
            terms.append(text)
    yield from (ListEntry("- ", term, ()) for term in terms)


def described_names(rows: Sequence[Sequence[Tag]]) -> list[ListEntry]:
    """Return the rows of a table that lists names with their meanings, as items; [] for any other table.

    Such a table has two columns and no header. A long name, or a group's name, has a separate row; a row without a name
    continues the row above.
    """
    filled = [(row, cells) for row in rows if (cells := [cell for cell in row if text_of(cell)])]
    if any(len(cells) > 2 for _, cells in filled) or _names_columns([cells for _, cells in filled]):
        return []
    entries: list[ListEntry] = []
    above = ""
    for row, cells in filled:
        is_named = cells[0] is row[0]
        if above and (is_named or len(cells) == 2):
            entries.append(ListEntry("- ", above, ()))
            above = ""
        if len(cells) == 2:
            entries.append(_described_entry(text_of(cells[0]), cells[1], len(entries) + 1))
        elif is_named:
            above = text_of(cells[0])
        elif above or not entries:
            entries.append(_described_entry(above, cells[0], 0))
            above = ""
        else:
            entries[-1] = replace(entries[-1], parts=(*entries[-1].parts, cells[0]))
    if above:
        entries.append(ListEntry("- ", above, ()))
    return entries if any(entry.parts for entry in entries) else []


def _described_entry(name: str, meaning: Tag, number: int) -> ListEntry:
    """Return an item; ``name`` may be a bullet, or equal the item's ``number``."""
    if name.rstrip(".)") == str(number):
        return ListEntry(f"{number}. ", "", (meaning,))
    return ListEntry("- ", f"{name.removesuffix(':')}: " if any(map(str.isalnum, name)) else "", (meaning,))


def _names_columns(rows: Sequence[Sequence[Tag]]) -> bool:
    """Return whether the first row of a table names its columns: the only bold row, or two names above longer texts."""
    if len(rows) < 2 or len(rows[0]) != 2 or all((row[0].name, row[-1].name) == ("th", "td") for row in rows):
        return False
    if all(map(_is_bold, rows[0])):
        return not all(_is_bold(cell) for row in rows[1:] for cell in row)
    names = [text_of(cell) for cell in rows[0]]
    below = sorted(len(text_of(row[-1]).split()) for row in rows[1:])
    return all(map(_NAME.fullmatch, names)) and below[len(below) // 2] >= 2 * len(names[1].split())


def _is_bold(cell: Tag) -> bool:
    return cell.name == "th" or is_bold(cell)
