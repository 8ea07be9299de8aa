"""The footer: how the jargon was interpreted, the sources, and any fallback, for clients that show only text."""

import re

from agent.wording import fallback_notices
from contracts.answer import Answer
from contracts.jargon import Reading

_READ, _SOURCES, _NOTICE = "**Interpreted as**", "**Sources**", "**Please note**"
_FOOTER = re.compile(
    rf"(?:\n+{re.escape(_READ)}\n(?:\n|- \*\*.*(?:\n|$))*)?(?:\n+{re.escape(_SOURCES)}\n(?:\n|- \[\d+\].*(?:\n|$))*)?"
    rf"(?:\n+{re.escape(_NOTICE)}\n(?:\n|- .*(?:\n|$))*)?\Z"
)
_MARKS = re.compile(r"([\\`*_<>|~])")
_MOST_OTHERS = 3


def footer_of(answer: Answer) -> str:
    """Return the footer: the readings, each cited place once, and the steps done without the language model."""
    return _readings(answer) + _sources(answer) + _notices(answer)


def without_footer(text: str) -> str:
    """Drop the footer from an earlier answer that a client sends back as history."""
    for heading in (_READ, _SOURCES, _NOTICE):
        # Matched only from a heading on, since the text comes from a client and may have any content and length.
        place = text.rfind(f"\n{heading}\n")
        if place >= 0 and _FOOTER.fullmatch(text, place):
            return text[:place].rstrip("\n")
    return text


def _readings(answer: Answer) -> str:
    """List the readings with their reasons, and explain how to correct an ambiguous one."""
    if answer.outcome == "unknown_term":
        # The text already explains the other terms, and none of them was used to answer.
        return ""
    lines = [f"- {_reading(reading)}" for reading in answer.readings if reading.status in ("chosen", "documents")]
    return f"\n\n{_READ}\n\n" + "\n".join(lines) if lines else ""


def _reading(reading: Reading) -> str:
    term = _plain(reading.mention.term)
    meaning = f" → {_plain(reading.sense.name_in_context)}" if reading.sense is not None else ""
    reason = f", {_plain(reading.reason)}" if reading.reason else ""
    others = reading.alternatives[:_MOST_OTHERS] if reading.sense is not None else ()
    if not others:
        return f"**{term}**{meaning}{reason}."
    named = "; ".join(_plain(each.name_in_context) for each in others)
    example = f"“{term} means {_plain(others[0].extended_name)}”"
    return f"**{term}**{meaning}{reason}. It can also mean {named}: answer {example} to ask again with that."


def _sources(answer: Answer) -> str:
    """Name each cited place; the citations of one page share a line."""
    places: dict[str, list[int]] = {}
    for citation in answer.citations:
        places.setdefault(_plain(citation.place), []).append(citation.number)
    lines = [f"- {''.join(f'[{number}]' for number in numbers)} {place}" for place, numbers in places.items()]
    return f"\n\n{_SOURCES}\n\n" + "\n".join(lines) if lines else ""


def _notices(answer: Answer) -> str:
    lines = [f"- {_plain(notice)}" for notice in fallback_notices(answer)]
    return f"\n\n{_NOTICE}\n\n" + "\n".join(lines) if lines else ""


def _plain(text: str) -> str:
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
