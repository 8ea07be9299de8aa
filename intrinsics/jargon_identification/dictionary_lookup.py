"""What the dictionary contains of a question: its terms, extended names and misspelt terms, found by code."""

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.jargon import Mention
from contracts.text import Span
from intrinsics.jargon_identification.dictionary_terms import KnownWords, find_codes, find_known, known_mention
from intrinsics.jargon_identification.extended_names import NameIndex
from intrinsics.jargon_identification.misspelt_terms import MisspeltTerms
from intrinsics.jargon_identification.spellings import SpellingIndex, key_of
from intrinsics.jargon_identification.tokens import Token, read_tokens
from tools.jargon.base import JargonDictionary

# The words of a multi-word name may occur together by chance; a one-word spelling is rarely a chance match.
_NAME_PROBABILITY = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEntries:
    """The tokens of a question, the mentions of dictionary terms, and the indexes of the tokens that these cover."""

    tokens: tuple[Token, ...]
    mentions: tuple[Mention, ...]
    covered: frozenset[int]


class DictionaryEntries:
    """Finds the dictionary's entries in questions, in any letter case, misspelt ones included.

    The index for finding them is rebuilt when the dictionary's version changes.
    """

    def __init__(self, dictionary: JargonDictionary, known_words: KnownWords | None = None) -> None:
        """Read terms from ``dictionary``; ``known_words`` says whether the documents use a word as it is written."""
        self._dictionary = dictionary
        self._known_words = known_words
        self._spellings, self._names = SpellingIndex({}), NameIndex({})
        self._version: str | None = None
        self._refreshing = asyncio.Lock()

    async def find(self, question: str) -> FoundEntries:
        """Find the entries in ``question``; mentions do not overlap, and are in no order."""
        spellings, names = await self._current_indexes()
        codes = find_codes(question, spellings)
        tokens = read_tokens(question, whole=lambda glued: glued.text in codes)
        covered, mentions = find_known(question, tokens, spellings)
        covered, mentions = _with_names(question, tokens, names, covered, mentions)
        corrected = await MisspeltTerms(question, tokens, spellings, self._known_words).find(covered)
        mentions += corrected.values()
        covered |= _touched(tokens, [mention.span for mention in corrected.values()])
        return FoundEntries(tokens=tokens, mentions=tuple(mentions), covered=frozenset(covered))

    async def term_of(self, text: str) -> str | None:
        """Return the dictionary's term for ``text`` in any letter case, a plural too; None if it has none.

        Unlike ``find``, it also returns ordinary words that are terms.
        """
        spellings, _ = await self._current_indexes()
        tokens = read_tokens(text)
        found = spellings.find(key_of(tokens, text), capitals=False) if tokens else ()
        return spellings.term_of(text if text in found else found[0]) if found else None

    async def _current_indexes(self) -> tuple[SpellingIndex, NameIndex]:
        if await self._dictionary.version() != self._version:
            async with self._refreshing:
                vocabulary = await self._dictionary.vocabulary()
                if vocabulary.version != self._version:
                    # For a large dictionary this takes a second, during which other questions continue.
                    self._spellings = await asyncio.to_thread(SpellingIndex, vocabulary.terms)
                    self._names = await asyncio.to_thread(NameIndex, vocabulary.names)
                    self._version = vocabulary.version
        return self._spellings, self._names


def in_order(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Return mentions in the order of the question; of two that overlap the first, or the longer, stays."""
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda each: (each.span.start, -each.span.end)):
        if not kept or mention.span.start >= kept[-1].span.end:
            kept.append(mention)
    return tuple(kept)


def _with_names(
    question: str, tokens: Sequence[Token], names: NameIndex, covered: set[int], mentions: list[Mention]
) -> tuple[set[int], list[Mention]]:
    """Add the extended names to the terms found; if two overlap, the longer stays, or the term if equally long."""
    starts, ends = [mention.span.start for mention in mentions], [mention.span.end for mention in mentions]
    dropped: set[int] = set()
    added = []
    for named in names.find(question):
        first = bisect_right(ends, named.span.start)
        rivals = range(first, max(first, bisect_left(starts, named.span.end)))
        if any(_length(mentions[rival].span) >= _length(named.span) for rival in rivals):
            continue
        dropped.update(rivals)
        added.append(known_mention(question, named.span, named.terms[0], "name", _NAME_PROBABILITY))
    kept = [mention for at, mention in enumerate(mentions) if at not in dropped]
    return covered | _touched(tokens, [mention.span for mention in added]), kept + added


def _touched(tokens: Sequence[Token], spans: Sequence[Span]) -> set[int]:
    ordered, touched, at = sorted(spans, key=lambda span: span.start), set(), 0
    for index, token in enumerate(tokens):
        while at < len(ordered) and ordered[at].end <= token.span.start:
            at += 1
        if at < len(ordered) and overlap(ordered[at], token.span):
            touched.add(index)
    return touched


def overlap(first: Span, second: Span) -> bool:
    """Return whether two spans have a character in common."""
    return first.start < second.end and second.start < first.end


def _length(span: Span) -> int:
    return span.end - span.start
