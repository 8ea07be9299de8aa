"""Tables of contents: lines of titles, dot leaders and page numbers, which say nothing that the pages do not."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ingestion.layout.words import Segment, join_words

_ENTRY = re.compile(r"(?:\.\s?){4,}\s*(?P<page>\d{1,4})\s*$")
_LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}")
_LEAST_ENTRIES = 4


def without_contents(rows: Sequence[Segment]) -> list[Segment]:
    """Return the rows of a page without the entries of a table of contents, and without dot leaders.

    Entries count as such when there are several and their page numbers grow; a price list with leaders stays.
    """
    entries = {index: int(match.group("page")) for index, row in enumerate(rows) if (match := _match(row))}
    numbers = list(entries.values())
    falls = sum(1 for before, after in pairwise(numbers) if after < before)
    if len(numbers) >= _LEAST_ENTRIES and falls <= len(numbers) // 10:
        return [row for index, row in enumerate(rows) if index not in entries]
    return [stripped for row in rows if (stripped := _strip(row))]


def _match(row: Segment) -> re.Match[str] | None:
    # Most rows end without a digit: the text of a row is only put together where it may be an entry.
    if not row[-1].text[-1:].isdigit() or not any(".." in word.text or word.text == "." for word in row):
        return None
    return _ENTRY.search(join_words(row))


def _strip(row: Segment) -> Segment:
    if not any("...." in word.text or "……" in word.text for word in row):
        return row
    words = [replace(word, text=_LEADERS.sub(" ", word.text).strip()) for word in row]
    return [word for word in words if word.text]
