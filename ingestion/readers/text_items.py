"""Items of plain text: marks and labels beside their text, codes with a dash, and questions with answers."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby

from ingestion.readers.text_tables import WIDE_GAP

# The label is not an item's bullet or number.
_DASHED = re.compile(
    r"(?P<margin>\s*)(?!(?:[*+•·#-]+|\d+[.)])\s)(?P<label>[^\s|│]+(?: [^\s|│]+){0,2}) +(?P<dash>[-–—]) +(?=\S)"
)
# A label with its description beside it.
_BESIDE = re.compile(r"(?P<margin>\s+)(?!(?:[*+•·#o-]+|\(?\w{1,3}[.)])\s)(?P<label>\S+(?: \S+){0,2}) {2,}(?=\S)")
_FEWEST_ITEMS = 3
_MARK = re.compile(r"[-*+•·o]|\(?(?:\d{1,3}|[a-z])[.)]")
# "o" and at least two spaces are a bullet in manual pages.
ITEM = re.compile(r"^\s*(?:[-*+•·]|\(?\d{1,3}[.):]|\(?[a-z][.)]|o(?=\s\s))\s+\S")
QUESTION = re.compile(r"\s*Q(?:uestion)?\s?\d*[.:)]\s+(?=\S)")
ANSWER = re.compile(r"\s*A(?:nswer)?\s?\d*[.:)]\s+(?=\S)")


def is_marked(lines: list[str]) -> bool:
    """Return whether each of the outermost lines is a mark with an item beside it, not a table of two columns."""
    margins = [len(line) - len(line.lstrip()) for line in lines]
    rows = [WIDE_GAP.split(line.strip()) for line, margin in zip(lines, margins, strict=True) if margin == margins[0]]
    return all(len(row) == 2 and _MARK.fullmatch(row[0]) for row in rows)


def with_bullets(lines: list[str]) -> list[str]:
    """Write lines such as "4    - Errors left" as items ("- 4: Errors left").

    At least three such lines have the dash in the same column, or no other lines are beside them; the lines between and
    after them continue them.
    """
    found = [_DASHED.match(line) for line in lines]
    columns = Counter(match.start("dash") for match in found if match)
    column, count = columns.most_common(1)[0] if columns else (0, 0)
    if all(found):
        items, count = found, len(found)
    else:
        items = [match if match and match.start("dash") == column else None for match in found]
    first = next((number for number, match in enumerate(items) if match), 0)
    margins = [len(line) - len(line.lstrip()) for line in lines]
    goes_on = all(
        match or margin > margins[first] for match, margin in zip(items[first:], margins[first:], strict=True)
    )
    if count < _FEWEST_ITEMS or not goes_on:
        return lines
    return [
        f"{match['margin']}- {match['label']}: {line[match.end() :]}" if match else line
        for line, match in zip(lines, items, strict=True)
    ]


def with_items_marked(paragraphs: Iterable[list[str]]) -> Iterator[list[str]]:
    """Separate answers ("A: ...") from the questions directly above them, and mark items that have only a label."""
    return _with_labels_as_items(_with_answers_apart(paragraphs))


def _with_labels_as_items(paragraphs: Iterable[list[str]]) -> Iterator[list[str]]:
    """Write single lines such as "127    if nothing is found" as items ("- 127: if nothing is found").

    There are at least three in a row, separated by blank lines, with labels and descriptions in the same columns.
    """
    for columns, group in groupby(paragraphs, _columns):
        run = list(group)
        if columns is None or len(run) < _FEWEST_ITEMS:
            yield from run
        else:
            yield from (
                [f"{' ' * columns[0]}- {line[columns[0] : columns[1]].strip(' :')}: {line[columns[1] :]}"]
                for (line,) in run
            )


def _columns(lines: list[str]) -> tuple[int, int] | None:
    """Return where the label and its description begin, if the paragraph is one line with both and nothing else."""
    found = _BESIDE.match(lines[0]) if len(lines) == 1 else None
    if found is None or WIDE_GAP.search(lines[0][found.end() :]):
        return None
    return found.start("label"), found.end()


def _with_answers_apart(paragraphs: Iterable[list[str]]) -> Iterator[list[str]]:
    """Separate answers ("A: ...") from the questions ("Q: ...") that are directly above them."""
    for lines in paragraphs:
        answers = (number for number, line in enumerate(lines) if number and ANSWER.match(line))
        start = next(answers, 0) if QUESTION.match(lines[0]) else 0
        yield from (lines[:start], lines[start:]) if start else (lines,)


def margin_of(line: str) -> int:
    """Return the number of characters that a line is indented by."""
    return len(line) - len(line.lstrip())


def is_ended(line: str, following: str, longest: int) -> bool:
    """Return whether a line was ended on purpose: there was room for the next word."""
    return len(line) + 1 + len(following.split()[0]) <= longest
