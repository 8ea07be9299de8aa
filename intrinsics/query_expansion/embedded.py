"""Query expansion without a model: one wording with the dictionary's names, and one with only the key words."""

import re
import time
from collections.abc import Sequence

from contracts.jargon import Reading
from contracts.question import AugmentedQuestion
from contracts.verdicts import QueryVariants
from tools.judges import provenance_since
from tools.language import STOP_WORDS, find_words, fold

_QUESTION_WORDS = frozenset(
    """
    which what who whom whose when where why how please explain describe tell define list name mean means meaning stand
    stands happen happens use used work works
    """.split()  # noqa: SIM905
)


class EmbeddedQueryExpander:
    """Replaces abbreviations with their expansions and the other way round, and extracts key words."""

    async def expand(self, question: AugmentedQuestion) -> QueryVariants:
        started = time.perf_counter()
        spelt_out = _spelt_out(question.question, question.readings)
        own = {"", fold(question.question).rstrip("?.! "), fold(question.text)}
        candidates = dict.fromkeys([spelt_out, " ".join(_keywords(spelt_out))])
        variants = tuple(each for each in candidates if fold(each).rstrip("?.! ") not in own)
        return QueryVariants(variants=variants, provenance=provenance_since(started))


def _spelt_out(question: str, readings: Sequence[Reading]) -> str:
    """Return ``question`` with each term replaced with the name of its chosen sense, or the name with the term."""
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
