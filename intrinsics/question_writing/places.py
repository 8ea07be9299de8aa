"""Where the answer of a question stands in its passage."""

from contracts.text import Passage, Span
from tools.language import split_sentences
from tools.reading import Statement


def place_of(statement: Statement, passage: Passage) -> Span:
    """Return the part of the passage's text that a statement covers."""
    spans = passage.sentences or split_sentences(passage.text)
    covered = [spans[number] for number in statement.sentences if number < len(spans)]
    if not covered:
        return Span(0, len(passage.text))
    return Span(min(span.start for span in covered), max(span.end for span in covered))
