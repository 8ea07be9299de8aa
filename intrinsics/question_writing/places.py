"""Where the answer of a question stands in its passage."""

import re

from contracts.text import Passage, Span
from tools.language import split_sentences
from tools.reading import Statement


def find_piece(piece: str, text: str, within: Span) -> Span | None:
    """Find ``piece`` in the part ``within`` of ``text``, as whole words, white space apart; None where it is not."""
    words = piece.split()
    if not words:
        return None
    pattern = r"\s+".join(re.escape(word) for word in words)
    start = r"(?<!\w)" if words[0][0].isalnum() else ""
    end = r"(?!\w)" if words[-1][-1].isalnum() else ""
    match = re.search(start + pattern + end, text[within.start : within.end])
    return Span(within.start + match.start(), within.start + match.end()) if match else None


def place_of(statement: Statement, passage: Passage) -> Span:
    """Return the part of the passage's text that a statement covers."""
    spans = passage.sentences or split_sentences(passage.text)
    covered = [spans[number] for number in statement.sentences if number < len(spans)]
    if not covered:
        return Span(0, len(passage.text))
    return Span(min(span.start for span in covered), max(span.end for span in covered))
