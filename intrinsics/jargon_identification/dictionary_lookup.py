"""Finds dictionary terms, extended names and misspelt terms in a question, without a language model."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.jargon import Mention
from contracts.text import Span
from intrinsics.jargon_identification.dictionary_terms import KnownWords, find_known, known_mention
from intrinsics.jargon_identification.extended_names import NameIndex
from intrinsics.jargon_identification.misspelt_terms import find_misspelt
from intrinsics.jargon_identification.spellings import SpellingIndex, key_of
from intrinsics.jargon_identification.tokens import Token, read_tokens
from tools.jargon.base import JargonDictionary
from tools.language import fold

# The words of a multi-word name may occur together by chance; a one-word spelling rarely matches by chance.
_NAME_PROBABILITY = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEntries:
    """The tokens of a question, the mentions of dictionary terms, and the indexes of the tokens in these mentions."""

    tokens: tuple[Token, ...]
    mentions: tuple[Mention, ...]
    covered: frozenset[int]


class DictionaryEntries:
    """Finds dictionary entries in questions, in any letter case and even if misspelt.

    The search index is rebuilt when the dictionary's version changes.
    """

    def __init__(self, dictionary: JargonDictionary, known_words: KnownWords | None = None) -> None:
        """Read terms from ``dictionary``; ``known_words`` checks whether the documents contain a word as written."""
        self._dictionary = dictionary
        self._known_words = known_words
        self._spellings, self._names = SpellingIndex({}), NameIndex({})
        self._version: str | None = None
        self._refreshing = asyncio.Lock()

    async def find(self, question: str) -> FoundEntries:
        """Find the entries in ``question``; mentions do not overlap, and are unordered."""
        spellings, names = await self._current_indexes()
        tokens = read_tokens(question, whole=lambda mixed: mixed.code_by_shape or spellings.begins(fold(mixed.text)))
        named = [
            known_mention(question, each.span, each.terms[0], "name", _NAME_PROBABILITY)
            for each in names.find(question)
        ]
        mentions = in_order([*find_known(question, tokens, spellings), *named])
        taken = bytearray(len(question))
        for mention in mentions:
            taken[mention.span.start : mention.span.end] = b"\x01" * _length(mention)
        covered = {at for at, token in enumerate(tokens) if any(taken[token.span.start : token.span.end])}
        corrected = await find_misspelt(question, tokens, covered, spellings, self._known_words)
        return FoundEntries(
            tokens=tokens, mentions=(*mentions, *corrected.values()), covered=frozenset(covered | corrected.keys())
        )

    async def term_of(self, text: str) -> str | None:
        """Return the dictionary term for ``text``, in any letter case or in the plural; None if there is none.

        Unlike ``find``, this method also returns terms that are ordinary words.
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
                    # A large dictionary takes a second; in a thread, this does not block other questions.
                    self._spellings = await asyncio.to_thread(SpellingIndex, vocabulary.terms)
                    self._names = await asyncio.to_thread(NameIndex, vocabulary.names)
                    self._version = vocabulary.version
        return self._spellings, self._names


def in_order(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Return mentions in the order of the question; of two that overlap, keep the longer one, or else the first one."""
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda each: each.span.start):
        if not kept or mention.span.start >= kept[-1].span.end:
            kept.append(mention)
        elif _length(mention) > _length(kept[-1]):
            kept[-1] = mention
    return tuple(kept)


def overlap(first: Span, second: Span) -> bool:
    """Return whether two spans have characters in common."""
    return first.start < second.end and second.start < first.end


def _length(mention: Mention) -> int:
    return mention.span.end - mention.span.start
