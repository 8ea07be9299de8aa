"""Replies: an answer for its client, cut off as requested, with its citations in the formats that clients know.

``annotations`` are in the format of OpenAI, ``citations`` in that of Perplexity (the place of each ``[n]``, by its
index), and ``sources`` in that of Open WebUI.
"""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from contracts.answer import Answer, Citation
from serving.footer import footer_of
from serving.wire import FinishReason, Usage
from tools.language import split_sentences

# The bot's judgements do not share a tokenizer. Source: OpenAI's rule of thumb for English.
CHARACTERS_A_TOKEN = 4

_MARKER = re.compile(r"\[(\d{1,4})\]")
_HALF_MARKER = re.compile(r"[ ]?\[\d{0,4}$")


def cut_answer(
    answer: Answer, *, stops: Sequence[str] = (), most_tokens: int | None = None, footer: bool
) -> tuple[Answer, str, FinishReason]:
    """Cut ``answer`` before the first of ``stops``, then to ``most_tokens`` (None: no limit); return it and its footer.

    Markers are never cut in half, and the answer keeps the citations of the remaining ones. The footer is left out ("")
    if ``footer`` is False, if the text was cut, or if there is no room for all of it.
    """
    below = footer_of(answer) if footer else ""
    places = [place for stop in stops if (place := (answer.text + below).find(stop)) >= 0]
    text = answer.text[: min(places, default=None)]
    most = None if most_tokens is None else most_tokens * CHARACTERS_A_TOKEN
    reason: FinishReason = "stop" if most is None or len(text) <= most else "length"
    if reason == "length":
        text = _HALF_MARKER.sub("", text[:most])
    if places or reason == "length" or (most is not None and len(text) + len(below) > most):
        below = ""
    if len(text) < len(answer.text):
        left = {number for number, _, _ in markers_in(text, [each.number for each in answer.quoted])}
        citations, closest = (
            tuple(each for each in those if each.number in left) for those in (answer.citations, answer.closest)
        )
        answer = answer.model_copy(update={"text": text, "citations": citations, "closest": closest})
    return answer, below, reason


def pieces_of(answer: Answer, footer: str) -> list[str]:
    """Split an answer's text into sentences, each with the white space before it; the ``footer`` follows."""
    pieces: list[str] = []
    position = 0
    for span in split_sentences(answer.text):
        pieces.append(answer.text[position : span.end])
        position = span.end
    return [piece for piece in (*pieces, answer.text[position:], footer) if piece]


def usage_of(prompt: str, content: str) -> Usage:
    """Return the usage of a reply to ``prompt``."""
    # Division that rounds up.
    asked, said = (-(-len(text) // CHARACTERS_A_TOKEN) for text in (prompt, content))
    return Usage(prompt_tokens=asked, completion_tokens=said, total_tokens=asked + said)


def markers_in(text: str, numbers: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return each marker ``[n]`` of one of ``numbers`` in ``text``: its number, where it starts and where it ends."""
    known = set(numbers)
    return [
        (int(match.group(1)), match.start(), match.end())
        for match in _MARKER.finditer(text)
        if int(match.group(1)) in known
    ]


def address_of(citation: Citation, template: str) -> str:
    """Return the address of a cited page, "" if there is none.

    ``template`` may contain ``{name}``, ``{id}`` and ``{page}`` of a document; "": there are no addresses.
    """
    values = {"name": citation.document_name, "id": citation.document_id, "page": str(citation.page or 1)}
    for name, value in values.items():
        template = template.replace(f"{{{name}}}", quote(value, safe=""))
    return template


def citing_fields(answer: Answer, template: str) -> dict[str, Any]:
    """Return ``annotations``, ``citations`` and ``sources`` of an answer, as JSON values."""
    return {
        "annotations": annotations_of(answer, template),
        "citations": citations_of(answer.quoted, template),
        "sources": sources_of(answer.quoted, template),
    }


def annotations_of(answer: Answer, template: str) -> list[dict[str, Any]]:
    """Return one annotation for each marker in the text: a ``url_citation`` if the page has an address.

    Otherwise it is a ``file_citation``, with the fields of OpenAI's responses. ``start_index`` and ``end_index``
    delimit the marker in code points.
    """
    cited = {each.number: each for each in answer.quoted}
    return [
        _annotation(cited[number], start, end, address_of(cited[number], template))
        for number, start, end in markers_in(answer.text, list(cited))
    ]


def _annotation(citation: Citation, start: int, end: int, address: str) -> dict[str, Any]:
    if address:
        place = {"start_index": start, "end_index": end, "title": citation.place, "url": address}
        return {"type": "url_citation", "url_citation": place}
    return {
        "type": "file_citation",
        "file_id": citation.document_id,
        "filename": citation.document_name,
        "index": start,
        "start_index": start,
        "end_index": end,
        "page": citation.page,
        "quote": citation.quote,
    }


def citations_of(citations: Sequence[Citation], template: str) -> list[str]:
    """Return the place of each citation: its address, or its name and page; the place of ``[n]`` is at index n - 1."""
    last = max((each.number for each in citations), default=0)
    places = {
        each.number: address_of(each, template)
        or quote(each.document_name, safe=" ") + (f"#page={each.page}" if each.page else "")
        for each in citations
    }
    return [places.get(number, "") for number in range(1, last + 1)]


def sources_of(citations: Sequence[Citation], template: str) -> list[dict[str, Any]]:
    """Return the citations as sources for Open WebUI, one for each citation and in their order.

    Open WebUI finds ``[n]`` by counting sources with different names, so each has a unique name and id. ``distances``
    is empty: a cited sentence has no comparable distance.
    """
    sources: list[dict[str, Any]] = []
    names: dict[str, int] = {}
    for citation in citations:
        name = citation.place
        names[name] = count = names.get(name, 0) + 1
        name = name if count == 1 else f"{name} ({count})"
        identity = f"{citation.document_id}#{citation.number}"
        source = {"id": identity, "name": name, "url": address_of(citation, template)}
        metadata = {
            "source": identity,
            "name": name,
            "page": citation.page,
            "title": citation.document_title,
            "file_id": citation.document_id,
            "headings": list(citation.heading_path),
        }
        sources.append(
            {
                "source": {key: value for key, value in source.items() if value},
                "document": [citation.quote],
                "metadata": [metadata],
                "distances": [],
            }
        )
    return sources
