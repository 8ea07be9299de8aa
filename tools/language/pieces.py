"""Pieces of a text: quotes that stand in it, and cuts between its sentences."""

import re

from contracts.text import Span
from tools.language.sentences import split_sentences


def find_piece(piece: str, text: str, within: Span | None = None) -> Span | None:
    """Find ``piece`` in the part ``within`` of ``text``, as whole words, white space apart; None where it is not."""
    words = piece.split()
    if not words:
        return None
    part = within or Span(0, len(text))
    pattern = r"\s+".join(re.escape(word) for word in words)
    start = r"(?<!\w)" if words[0][0].isalnum() else ""
    end = r"(?!\w)" if words[-1][-1].isalnum() else ""
    match = re.search(start + pattern + end, text[part.start : part.end])
    return Span(part.start + match.start(), part.start + match.end()) if match else None


def cut_at_sentences(text: str, max_characters: int) -> tuple[str, ...]:
    """Cut a text behind sentences into pieces of at most so many characters, a longer sentence being one by itself.

    A text without words has none.
    """
    pieces: list[str] = []
    start = end = 0
    for span in split_sentences(text):
        if end > start and span.end - start > max_characters:
            pieces.append(text[start:end])
            start = span.start
        end = span.end
    if end > start:
        pieces.append(text[start:end])
    return tuple(piece for piece in pieces if piece.strip())
