"""Sources: the footer that names each cited place, for clients that show nothing but text."""

import re

from contracts.answer import Answer

_HEADING = "**Sources**"
_FOOTER = re.compile(rf"\n+{re.escape(_HEADING)}\n(?:\n|- \[\d+\].*(?:\n|$))*\Z")
_MARKS = re.compile(r"([\\`*_<>|~])")


def sources_footer(answer: Answer) -> str:
    """Return the footer, "" without citations; the citations of one page share a line."""
    places: dict[str, list[int]] = {}
    for citation in answer.citations:
        name = _MARKS.sub(r"\\\1", citation.document_name)
        place = f"{name}, page {citation.page}" if citation.page else name
        places.setdefault(place, []).append(citation.number)
    lines = [f"- {''.join(f'[{number}]' for number in numbers)} {place}" for place, numbers in places.items()]
    return f"\n\n{_HEADING}\n\n" + "\n".join(lines) if lines else ""


def without_footer(text: str) -> str:
    """Drop the footer from an earlier answer that a client sends back as history."""
    return _FOOTER.sub("", text)
