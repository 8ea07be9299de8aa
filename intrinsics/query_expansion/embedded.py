"""Query expansion without a model: the dictionary's names, only the key words, words of the passages seen."""

import re
import time
from collections import Counter
from collections.abc import Sequence

from contracts.jargon import Reading
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import QueryVariants
from tools.judges import provenance_since
from tools.language import STOP_WORDS, find_words, fold, rarity, stem

_FEEDBACK_PASSAGES = 5
_FEEDBACK_WORDS = 4
# The minimum weight of a feedback word: a common word in two passages, or a rare one in one heading.
_LEAST_FEEDBACK = 0.7
_QUESTION_WORDS = frozenset(
    """
    which what who whom whose when where why how please explain describe tell define list name mean means meaning stand
    stands happen happens use used work works
    """.split()  # noqa: SIM905
)


class EmbeddedQueryExpander:
    """Words a question with expansions for abbreviations and the other way round, by key words, and by feedback."""

    async def expand(self, question: AugmentedQuestion, seen: Sequence[Passage]) -> QueryVariants:
        started = time.perf_counter()
        spelt_out = _spelt_out(question.question, question.readings)
        keywords = _keywords(spelt_out)
        candidates = [spelt_out, " ".join(keywords), " ".join([*keywords, *_feedback(question.question, seen)])]
        own = {fold(question.question).rstrip("?.! "), fold(question.text)}
        variants: dict[str, str] = {}
        for candidate in candidates:
            key = fold(candidate).rstrip("?.! ")
            if key and key not in own:
                variants.setdefault(key, candidate)
        return QueryVariants(variants=tuple(variants.values()), provenance=provenance_since(started))


def _spelt_out(question: str, readings: Sequence[Reading]) -> str:
    """Return ``question`` with each chosen sense's name for its term, or the term for the name if that is said."""
    text = question
    for reading in sorted(readings, key=lambda each: -each.mention.span.start):
        if reading.sense is None or reading.status != "chosen":
            continue
        name, mention = reading.sense.extended_name, reading.mention
        if fold(name) in fold(question):
            text = re.sub(re.escape(name), mention.term, text, flags=re.IGNORECASE)
        elif question[mention.span.start : mention.span.end] == mention.text:
            text = text[: mention.span.start] + name + text[mention.span.end :]
        elif mention.term in text:
            text = text.replace(mention.term, name, 1)
    return text


def _keywords(text: str) -> list[str]:
    words = dict.fromkeys(word.text for word in find_words(text))
    return [
        word for word in words if (word.isupper() and len(word) > 1) or fold(word) not in STOP_WORDS | _QUESTION_WORDS
    ]


def _feedback(question: str, seen: Sequence[Passage]) -> list[str]:
    """Return rare words that several of the passages share, headings counting more: their field's words."""
    asked = {stem(word.text) for word in find_words(question)}
    weights: Counter[str] = Counter()
    forms: dict[str, str] = {}
    for passage in seen[:_FEEDBACK_PASSAGES]:
        heading = " ".join((passage.document_title, *passage.chunk.heading_path))
        for source, weight in ((heading, 2.0), (passage.text, 1.0)):
            for word in dict.fromkeys(each.text for each in find_words(source)):
                key = stem(word)
                if key in asked or fold(word) in STOP_WORDS or not word[0].isalpha() or len(word) < 3:
                    continue
                forms.setdefault(key, word)
                weights[key] += weight * rarity(word)  # type: ignore[assignment]
    common = [key for key, weight in weights.most_common(_FEEDBACK_WORDS) if weight >= _LEAST_FEEDBACK]
    return [forms[key] for key in common]
