"""Dictionary entries as passages, so that they can be judged, used in answers and cited like documents."""

from collections.abc import Sequence

from contracts.answer import DICTIONARY_DOCUMENT
from contracts.jargon import Reading, Sense
from contracts.text import Chunk, Passage
from tools.language import MEANING_STEMS, content_stems, fold, split_sentences

_TITLE = "Dictionary"


def dictionary_passages(question: str, readings: Sequence[Reading]) -> tuple[Passage, ...]:
    """Return one passage for each chosen sense, if the dictionary contains everything that ``question`` asks for.

    "What does VCCQ stand for?" asks for the entry. "What is the VCCQ of DDR3?" does not, but the entry resembles an
    answer and would be mistaken for one. So all content words of the question must occur in the terms or entries, or
    be words that ask for a meaning. The page of these passages is 0, because a dictionary has no pages.
    """
    # Published senses only: mined ones are cited from their document.
    senses = {
        reading.sense.id: reading.sense
        for reading in readings
        if reading.sense is not None and reading.status == "chosen"
    }
    said = " ".join(
        [
            *(f"{reading.mention.text} {reading.mention.term}" for reading in readings),
            *(f"{sense.context} {' '.join(sense.aliases)} {entry_text(sense)}" for sense in senses.values()),
        ]
    )
    if set(content_stems(question)) - set(content_stems(said)) - MEANING_STEMS:
        return ()
    return tuple(_passage_of(sense) for sense in senses.values())


def _passage_of(sense: Sense) -> Passage:
    text = entry_text(sense)
    chunk = Chunk(
        id=f"{DICTIONARY_DOCUMENT}-{sense.id}",
        document_id=DICTIONARY_DOCUMENT,
        kind="passage",
        ordinal=sense.id,
        text=text,
        page=0,
        last_page=0,
        heading_path=(sense.context,) if sense.context else (),
        document_title=_TITLE,
    )
    return Passage(
        chunk=chunk,
        document_name=DICTIONARY_DOCUMENT,
        document_title=_TITLE,
        score=0.0,
        sentences=split_sentences(text),
    )


def entry_text(sense: Sense) -> str:
    """Write a dictionary entry as sentences: what the term stands for, its description, its notes."""
    parts = [f"{sense.term} stands for {sense.extended_name}"]
    if not sense.extended_name or fold(sense.extended_name) == fold(sense.term):
        parts = [f"{sense.term}: {sense.description}" if sense.description else sense.term]
    elif sense.description:
        parts.append(sense.description)
    if sense.notes:
        parts.append(sense.notes)
    return " ".join(_as_sentence(part) for part in parts)


def _as_sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?", "。")) else text + "."
