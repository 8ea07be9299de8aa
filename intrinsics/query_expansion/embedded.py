"""Query expansion without a model: the dictionary's other names, only the key words, words of the passages seen."""

import asyncio
import re
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from contracts.jargon import Reading
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import QueryVariants
from tools.jargon.base import JargonDictionary
from tools.judges import provenance_since
from tools.language import STOP_WORDS, find_words, fold, rarity, stem

_MAX_VARIANTS = 5
_FEEDBACK_PASSAGES = 5
_FEEDBACK_WORDS = 4
# The minimum weight of a feedback word: a common word in two passages, or a rare one in one heading.
_LEAST_FEEDBACK = 0.7
_MAX_SPELLING_WORDS = 6
_QUESTION_WORDS = frozenset(
    """
    which what who whom whose when where why how please explain describe tell define list name mean means meaning stand
    stands happen happens use used work works
    """.split()  # noqa: SIM905
)


class _OtherSpellings:
    """The spellings of each term, for finding the others of one."""

    def __init__(self, terms: Mapping[str, tuple[str, ...]]) -> None:
        self._terms = terms
        self._of_term: dict[str, list[str]] = defaultdict(list)
        self._folded: dict[str, list[str]] = defaultdict(list)
        for spelling, several in terms.items():
            self._folded[fold(spelling)].append(spelling)
            for term in several:
                self._of_term[term].append(spelling)

    def other_than(self, key: str) -> tuple[str, ...]:
        """Return terms and their spellings for which the folded spelling ``key`` stands too, itself left out."""
        terms = (term for spelling in self._folded.get(key, ()) for term in self._terms[spelling])
        found = dict.fromkeys(each for term in terms for each in (term, *self._of_term[term]))
        return tuple(each for each in found if fold(each) != key)


class EmbeddedQueryExpander:
    """Words a question with expansions for abbreviations and the other way round, by key words, and by feedback."""

    def __init__(self, dictionary: JargonDictionary) -> None:
        self._dictionary = dictionary
        self._version: str | None = None
        self._spellings = _OtherSpellings({})

    async def expand(self, question: AugmentedQuestion, seen: Sequence[Passage]) -> QueryVariants:
        started = time.perf_counter()
        await self._refresh()
        with_expansions = _spelt_out(question.question, question.readings)
        keywords = _keywords(question.question)
        extended = _keywords(with_expansions)
        feedback = _feedback(question.question, seen)
        candidates = [
            with_expansions,
            *self._renamed(question.question),
            " ".join(keywords),
            " ".join(dict.fromkeys([*keywords, *extended])),
            " ".join([*extended, *feedback]) if feedback else "",
        ]
        own = {fold(question.question).rstrip("?.! "), fold(question.text)}
        variants: dict[str, str] = {}
        for candidate in candidates:
            key = fold(candidate).rstrip("?.! ")
            if key and key not in own:
                variants.setdefault(key, candidate)
        return QueryVariants(
            variants=tuple(variants.values())[:_MAX_VARIANTS],
            provenance=provenance_since(started),
        )

    async def _refresh(self) -> None:
        version = await self._dictionary.version()
        if version != self._version:
            vocabulary = await self._dictionary.vocabulary()
            self._spellings = await asyncio.to_thread(_OtherSpellings, vocabulary.terms)
            self._version = vocabulary.version

    def _renamed(self, question: str) -> list[str]:
        """Return ``question`` with a term under its other names, one variant per name."""
        words = find_words(question)
        found: list[str] = []
        for start in range(len(words)):
            for size in range(min(_MAX_SPELLING_WORDS, len(words) - start), 0, -1):
                low, high = words[start].span.start, words[start + size - 1].span.end
                key = fold(question[low:high])
                names = self._spellings.other_than(key)
                if names and not (size == 1 and key in STOP_WORDS and not question[low:high].isupper()):
                    found += [question[:low] + name + question[high:] for name in names[:2]]
                    break
        return found[:3]


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
