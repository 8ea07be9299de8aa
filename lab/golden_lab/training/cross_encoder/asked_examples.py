"""Examples from questions written about passages; the texts are quotes from passages that a search finds."""

import random
import re
from collections.abc import Iterator, Sequence

from contracts.text import Passage, Span
from golden_lab.manuals.questions import ManualQuestion
from golden_lab.training.cross_encoder.examples import CrossEncoderExample, long_words, typed_by_people
from tools.reading.quotes import quoted_text, read_quotes
from tools.reading.ranking import place_of

# A quote is an answer if it contains at least the first share of the answer's words, and a miss if less than the
# second.
_ANSWERS, _MISSES = 0.8, 0.5
_MOST_ANSWERS, _MOST_MISSES = 2, 6


def asked_examples(
    asked: ManualQuestion, passages: Sequence[Passage], rng: random.Random
) -> Iterator[CrossEncoderExample]:
    """Yield quotes from ``passages`` that answer ``asked``, and others that share the most words with it.

    Other passages may answer a near miss after all, so only its own passage or document provides examples for it.
    """
    words = long_words(asked.question)
    answering: list[tuple[int, str, str]] = []
    missing: list[tuple[float, str, str]] = []
    for passage in passages:
        for quote in read_quotes(passage):
            text, place = quoted_text(passage.text, quote), place_of(passage, quote)
            told = asked.share_told(text)
            if asked.answerable and told >= _ANSWERS:
                answering.append((len(text), text, place))
            elif told < _MISSES if asked.answerable else _is_own(asked, passage):
                shared = len(words & long_words(f"{place} {text}"))
                missing.append((-shared - rng.random(), text, place))
    for _, text, place in sorted(answering, key=lambda each: each[0])[:_MOST_ANSWERS]:
        yield _example(asked, text, place, True, "asked/answer", rng, _told_at(asked, text))
    source = "asked/other_quote" if asked.answerable else "asked/near_miss"
    for _, text, place in sorted(missing, key=lambda each: each[0])[:_MOST_MISSES]:
        yield _example(asked, text, place, False, source, rng)


def _told_at(asked: ManualQuestion, text: str) -> Span | None:
    """Return where in ``text`` the answer is: the table cell that was looked up, or else all lines of the quote."""
    if asked.kind == "table":
        cells = list(re.finditer(asked.says[0], text, re.IGNORECASE)) if len(asked.says) == 1 else []
        return Span(cells[0].start(), cells[0].end()) if len(cells) == 1 and cells[0].group() else None
    lines = asked.quote.split("\n")
    first = text.find(lines[0])
    last = text.find(lines[-1], max(first, 0))
    return Span(first, last + len(lines[-1])) if first >= 0 and last >= 0 else None


def _is_own(asked: ManualQuestion, passage: Passage) -> bool:
    """Return whether a question was written about ``passage``, or about the document it comes from."""
    if asked.passage:
        return passage.text.startswith(asked.passage)
    return passage.document_name.rsplit("/", 1)[-1] == asked.document


def _example(
    asked: ManualQuestion,
    text: str,
    place: str,
    answered: bool,
    source: str,
    rng: random.Random,
    span: Span | None = None,
) -> CrossEncoderExample:
    return CrossEncoderExample(
        question=typed_by_people(asked.question, rng),
        place=place,
        text=text,
        answered=answered,
        source=source,
        span=span,
    )
