"""A document's title: what its file says, or its first heading, or its name."""

import re
from collections.abc import Sequence
from pathlib import Path

from contracts.text import Page

# What writing programs put there when the author named nothing.
_NO_TITLE = re.compile(
    r"^(?:untitled.*|no title|title|document\d*|presentation\d*|book\d*|slide ?\d*"
    r"|(?:microsoft )?(?:word|powerpoint) .*|powerpoint presentation|layout \d+|print(?:out)?|scan\w*"
    r"|.*\.(?:docx?|pptx?|xlsx?|pdf|indd|tex|dvi|qxd|html?|png|jpe?g))$",
    re.IGNORECASE,
)
_MAX_CHARACTERS = 150
_FIRST_PAGES = 2


def choose_title(named: str, pages: Sequence[Page], path: Path) -> str:
    """Choose the title: ``named`` by the metadata unless a program made it up, else the highest early heading."""
    named = " ".join(named.split())
    if 3 <= len(named) <= _MAX_CHARACTERS and not _NO_TITLE.match(named) and any(map(str.isalpha, named)):
        return named
    headings = [block for page in pages[:_FIRST_PAGES] for block in page.blocks if block.kind == "heading"]
    # On sheets and slides the first heading is that of one page, not of the whole.
    if headings and path.suffix.lower() not in (".xlsx", ".csv", ".tsv"):
        best = min(headings, key=lambda block: block.level)
        text = " ".join(best.text.split())
        if 3 <= len(text) <= _MAX_CHARACTERS:
            return text
    return " ".join(re.sub(r"[_\-]+", " ", path.stem).split()) or path.name
