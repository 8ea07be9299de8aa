"""Wording: the bot's own sentences, in English and Markdown, one idea per sentence."""

import re
from collections.abc import Iterable, Sequence

from contracts.answer import Answer, Citation
from contracts.jargon import Reading
from contracts.text import Document

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#])")
_ESCAPED = re.compile(r"\\([\\`*_\[\]<>|~#])")
UNSUPPORTED_MARK = " *(not supported by the sources)*"
_ABOUT_ME = (
    "I answer questions from this library's documents and its dictionary of terms, and I show the page that each "
    "answer comes from."
)
SMALL_TALK_REPLIES = {
    "identity": f"I am Golden Retriever, a help bot. {_ABOUT_ME}",
    "wellbeing": "I am fine, thank you. What would you like to know?",
    "goodbye": "Goodbye! Come back whenever you have a question.",
    "thanks": "You are welcome. Ask whenever you need something else.",
    "greeting": "Hello! What would you like to know?",
    "acknowledgement": "All right. Ask whenever you need something else.",
    "praise": "I am glad to hear that. Ask whenever you need something else.",
}
_MOST_TITLES = 5
_MOST_HEADINGS = 10
UNSUPPORTED_DRAFT = "The sources did not support the language model's draft. They are quoted instead."
UNCITED_REASON = "No sentence of the passages was found to support it."


def escape(text: str) -> str:
    """Return ``text`` on one line with Markdown syntax escaped, so that it is shown unchanged."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def unescape(text: str) -> str:
    """Undo ``escape``."""
    return _ESCAPED.sub(r"\1", text)


def percent(probability: float) -> str:
    """Format a probability as a percentage."""
    return f"{round(100 * probability)} %"


def library_text(documents: int, titles: Sequence[str], terms: int, examples: Sequence[str], contact: str) -> str:
    """Describe the library (how many ``documents`` and ``terms``, some of the ``titles``), and suggest questions."""
    if not documents:
        return f"{_ABOUT_ME}\n\n{empty_library_text(contact)}"
    # Neighbouring names are often alike, so names spread across the whole list are more informative.
    spread = titles[:: max(1, len(titles) // _MOST_TITLES)][:_MOST_TITLES]
    shown = [f"**{escape(each)}**" for each in spread]
    held = f"{counted(documents, 'document')}{', among them' if documents > len(shown) else ':'} {_join(shown)}"
    lines = [_ABOUT_ME, f"You can ask about {held}."]
    if terms:
        lines.append(f"The dictionary explains {counted(terms, 'term')}.")
    if examples:
        lines.append("Questions to start with:\n\n" + "\n".join(f"- {escape(each)}" for each in examples))
    return "\n\n".join(lines)


def summary_text(document: Document, heading: str, bullets: str, headings: Sequence[str]) -> str:
    """Introduce the ``bullets`` of a summary with the name of the document, and list the ``headings`` below."""
    name = f"**{escape(document.title or document.name)}**"
    whole = f"“{escape(heading)}” in {name}" if heading else name
    lines = [f"In short, from {whole}:", bullets]
    if headings:
        named = "; ".join(escape(each) for each in headings[:_MOST_HEADINGS])
        more = f"; and {len(headings) - _MOST_HEADINGS} more" if len(headings) > _MOST_HEADINGS else ""
        lines.append(f"Its sections: {named}{more}.")
    return "\n\n".join(lines)


def closest_passages_text(closest: Sequence[Citation], missing: Sequence[str], contact: str) -> str:
    """Quote the passages closest to the question, each with its place, and name what is missing."""
    lines = ["This may not answer your question. These passages come closest:"]
    lines += [f"[{each.number}] {_place(each)}\n\n{_block_quote(each.quote)}" for each in closest]
    if missing:
        lines.append(f"What I found does not say anything about {_join(f'**{escape(each)}**' for each in missing)}.")
    lines.append(f"Rephrase your question, or ask {contact} to add a document about it.")
    return "\n\n".join(lines)


def empty_library_text(contact: str) -> str:
    """Explain that there are no documents to search."""
    return (
        "There are no documents that I can search for you: none have been added yet, or you have no access to them. "
        f"Add some with `golden ingest PATH`, or ask {contact}."
    )


def unknown_terms_text(unknown: Sequence[Reading], known: Sequence[Reading], contact: str) -> str:
    """List the unknown terms, similar spellings, the meanings of the other terms, and the contact."""
    names = _join(f"**{escape(reading.mention.text)}**" for reading in unknown)
    they_are, them = ("it is", "it") if len(unknown) == 1 else ("they are", "them")
    lines = [f"I do not know {names}: {they_are} neither in the dictionary nor in the documents, and I will not guess."]
    if all(reading.alternatives for reading in unknown):
        lines = [f"I know no other meaning of {names}: neither the dictionary nor the documents have one."]
    for reading in unknown:
        if reading.suggestions:
            near = _join((f"**{escape(each)}**" for each in reading.suggestions), last="or")
            lines.append(f"Instead of {escape(reading.mention.text)}, did you mean {near}?")
    if known:
        lines.append("I understand the other terms:\n\n" + "\n".join(f"- {meaning(reading)}" for reading in known))
    lines.append(
        f"I have added {them} to the list of unknown terms for {contact}. "
        "Check the spelling, or ask again with the term written out."
    )
    return "\n\n".join(lines)


def fallback_notices(answer: Answer) -> tuple[str, ...]:
    """Explain which parts of an answer the embedded engine made instead of a language model; () if there are none."""
    steps = dict.fromkeys(each.partition(":")[0] for each in answer.degraded)
    quoted = [UNSUPPORTED_DRAFT] if steps.pop("quote_answer", "") is None else []
    if not steps:
        return tuple(quoted)
    named = _join(step.replace("_", " ") for step in steps)
    others = f"The language model's output was unusable for some steps, so the built-in engine did them: {named}."
    return (*quoted, others)


def meaning(reading: Reading) -> str:
    """Format how a term was interpreted: ``**DLL**: Delay-Locked Loop (Interfaces)``."""
    term = f"**{escape(reading.mention.term)}**"
    if reading.sense is None:
        return f"{term}: used in the documents, not in the dictionary"
    context = f" ({escape(reading.sense.context)})" if reading.sense.context else ""
    return f"{term}: {escape(reading.sense.extended_name)}{context}"


def _place(citation: Citation) -> str:
    title = f" ({escape(citation.document_title)})" if citation.document_title else ""
    page = f", page {citation.page}" if citation.page else ""
    return f"**{escape(citation.document_name)}**{title}{page}"


def _block_quote(text: str) -> str:
    # Two spaces keep the line break, because lines may be table rows or list items.
    return "  \n".join(f"> {escape(line)}" for line in text.splitlines() if line.strip())


def _join(words: Iterable[str], last: str = "and") -> str:
    parts = list(words)
    return f" {last} ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def counted(number: int, noun: str) -> str:
    """Return a number followed by its noun in the singular or plural."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
