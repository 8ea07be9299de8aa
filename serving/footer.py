"""The footer: how the jargon was read and where the answer stands, for clients that show nothing but text."""

import re

from contracts.answer import Answer
from contracts.jargon import Reading, Sense

_READ, _SOURCES = "**Read as**", "**Sources**"
_FOOTER = re.compile(
    rf"(?:\n+{re.escape(_READ)}\n(?:\n|- \*\*.*(?:\n|$))*)?(?:\n+{re.escape(_SOURCES)}\n(?:\n|- \[\d+\].*(?:\n|$))*)?\Z"
)
_ITEM, _MEANS = "- **", "** → "
_OTHERS, _AGAIN = ". It can also mean ", " to ask again with that."
_ESCAPED = re.compile(r"\\([\\`*_<>|~])")
_MARKS = re.compile(r"([\\`*_<>|~])")
_MOST_OTHERS = 3


def footer_of(answer: Answer) -> str:
    """Return the footer: the readings, then each cited place once; "" where there is neither."""
    return _readings(answer) + _sources(answer)


def without_footer(text: str) -> str:
    """Drop the footer from an earlier answer that a client sends back as history."""
    for heading in (_READ, _SOURCES):
        # From its heading on: the text comes from a client, and may be anything of any length.
        place = text.rfind(f"\n{heading}\n")
        if place >= 0 and _FOOTER.fullmatch(text, place):
            return text[:place].rstrip("\n")
    return text


def senses_in(text: str) -> tuple[Sense, ...]:
    """Return the meanings that footers in ``text`` say terms were read with, each once."""
    return tuple(dict.fromkeys(sense for line in text.splitlines() if (sense := _sense_said(line)) is not None))


def _sense_said(line: str) -> Sense | None:
    """Read a line of a footer as ``_reading`` writes it."""
    term, arrow, said = line.removeprefix(_ITEM).partition(_MEANS)
    if not (line.startswith(_ITEM) and arrow and term and said.endswith((".", _AGAIN))):
        return None
    named = said.partition(_OTHERS)[0].removesuffix(".").partition(", ")[0]
    name, opening, context = named.rpartition(" (")
    if not opening or not named.endswith(")"):
        name, context = named, ""
    return Sense(id=0, term=_bare(term), extended_name=_bare(name), context=_bare(context.removesuffix(")")))


def _readings(answer: Answer) -> str:
    """List the readings with their reasons, and say how one that could be another can be corrected."""
    if answer.outcome == "unknown_term":
        # Its text says already what the other terms mean, and nothing was answered with them.
        return ""
    lines = [f"- {_reading(reading)}" for reading in answer.readings if reading.status in ("chosen", "documents")]
    return f"\n\n{_READ}\n\n" + "\n".join(lines) if lines else ""


def _reading(reading: Reading) -> str:
    term = _plain(reading.mention.term)
    meaning = f" → {_named(reading.sense)}" if reading.sense is not None else ""
    reason = f", {_plain(reading.reason)}" if reading.reason else ""
    others = reading.alternatives[:_MOST_OTHERS] if reading.sense is not None else ()
    if not others:
        return f"**{term}**{meaning}{reason}."
    named = "; ".join(_named(each) for each in others)
    example = f"“{term} means {_plain(others[0].extended_name)}”"
    return f"**{term}**{meaning}{reason}{_OTHERS}{named}: answer {example}{_AGAIN}"


def _named(sense: Sense) -> str:
    return f"{_plain(sense.extended_name)} ({_plain(sense.context)})" if sense.context else _plain(sense.extended_name)


def _sources(answer: Answer) -> str:
    """Name each cited place; the citations of one page share a line."""
    places: dict[str, list[int]] = {}
    for citation in answer.citations:
        name = _plain(citation.document_name)
        place = f"{name}, page {citation.page}" if citation.page else name
        places.setdefault(place, []).append(citation.number)
    lines = [f"- {''.join(f'[{number}]' for number in numbers)} {place}" for place, numbers in places.items()]
    return f"\n\n{_SOURCES}\n\n" + "\n".join(lines) if lines else ""


def _bare(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def _plain(text: str) -> str:
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
