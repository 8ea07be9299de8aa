"""Examples out of questions that were written on passages, with the quotes of the passages that a search brings."""

import random
from collections.abc import Iterator, Sequence

from contracts.text import Passage, Span
from golden_lab.manuals.questions import ManualQuestion
from golden_lab.training.cross_encoder.examples import CrossEncoderExample, long_words, typed_by_people
from tools.reading.quotes import quoted_text, read_quotes
from tools.reading.ranking import place_of

# A quote answers where it holds so many of the answer's words, and surely does not where it holds so few.
_ANSWERS, _MISSES = 0.8, 0.5
_MOST_ANSWERS, _MOST_MISSES = 2, 6


def asked_examples(
    asked: ManualQuestion, passages: Sequence[Passage], rng: random.Random
) -> Iterator[CrossEncoderExample]:
    """Yield the quotes of ``passages`` that answer, and those that share most words with the question and do not.

    Nobody knows whether another passage answers a near miss after all: only its own ones serve as examples.
    """
    words = long_words(asked.question)
    answering: list[tuple[int, str, Passage]] = []
    missing: list[tuple[float, str, Passage]] = []
    for passage in passages:
        for quote in read_quotes(passage):
            text = quoted_text(passage.text, quote)
            told = asked.share_told(text)
            if asked.answerable and told >= _ANSWERS:
                answering.append((len(text), text, passage))
            elif told < _MISSES if asked.answerable else _is_own(asked, passage):
                shared = len(words & long_words(f"{place_of(passage)} {text}"))
                missing.append((-shared - rng.random(), text, passage))
    for _, text, passage in sorted(answering, key=lambda each: each[0])[:_MOST_ANSWERS]:
        start = text.find(asked.quote)
        span = Span(start, start + len(asked.quote)) if start >= 0 else None
        yield _example(asked, text, passage, True, "asked/answer", rng, span)
    source = "asked/other_quote" if asked.answerable else "asked/near_miss"
    for _, text, passage in sorted(missing, key=lambda each: each[0])[:_MOST_MISSES]:
        yield _example(asked, text, passage, False, source, rng)


def _is_own(asked: ManualQuestion, passage: Passage) -> bool:
    """Say whether a question was written on ``passage``, or on the document that it is of."""
    if asked.passage:
        return passage.text.startswith(asked.passage)
    return passage.document_name.rsplit("/", 1)[-1] == asked.document


def _example(
    asked: ManualQuestion,
    text: str,
    passage: Passage,
    answered: bool,
    source: str,
    rng: random.Random,
    span: Span | None = None,
) -> CrossEncoderExample:
    return CrossEncoderExample(
        question=typed_by_people(asked.question, rng),
        place=place_of(passage),
        text=text,
        answered=answered,
        source=source,
        span=span,
    )
