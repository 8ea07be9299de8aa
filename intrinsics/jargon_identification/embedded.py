"""Jargon identification without a model: the dictionary's spellings, misspellings, and the shapes of the unknown."""

import asyncio
import re
import time
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from contracts.jargon import Mention
from contracts.provenance import Provenance
from contracts.text import Span
from contracts.verdicts import IdentifiedJargon
from intrinsics.jargon_identification.codes import KnownWords, find_codes
from intrinsics.jargon_identification.known import find_known
from intrinsics.jargon_identification.misspelt import MisspeltTerms
from intrinsics.jargon_identification.names import NameIndex
from intrinsics.jargon_identification.spellings import SpellingIndex
from intrinsics.jargon_identification.tokens import Token, read_tokens
from intrinsics.jargon_identification.unknown import UnknownTerms, kind_of
from tools.jargon import JargonDictionary, Vocabulary

# HM-1, JESD-218, T-SQL, ST-S: a number or a single capital belongs to the name.
_PART = re.compile(r"-(?:\d{1,4}|[A-Z])(?![\w-])")
_LETTER_BEFORE = re.compile(r"(?<![\w-])[A-Z]-\Z")
# Words of a name may stand together by chance; a spelling of one word is seldom another's.
_NAME_PROBABILITY = 0.9


class EmbeddedJargonIdentifier:
    """Finds jargon by the dictionary, then misspellings of its terms, then unknown terms by shape and rarity.

    Probabilities are set by kind of evidence, not fitted: 0.99 for a term in its own letter case, 0.9 for an extended
    name, 0.4 for a term that is an ordinary word too, 0.55 to 0.95 for unknown terms by shape.
    """

    def __init__(self, dictionary: JargonDictionary, *, known_words: KnownWords | None = None) -> None:
        """Read terms from ``dictionary``; ``known_words`` says whether the documents use a word as it is written."""
        self._dictionary = dictionary
        self._known_words = known_words
        self._indexes = (SpellingIndex({}), NameIndex({}))
        self._version: str | None = None
        self._refreshing = asyncio.Lock()

    async def identify(self, question: str) -> IdentifiedJargon:
        """Find the abbreviations and jargon in ``question``, in any letter case, misspelt ones included.

        An extended name of the dictionary is a mention of its term, of the kind "name".
        """
        started = time.perf_counter()
        spellings, names = await self._current_indexes()
        codes = await find_codes(question, spellings, self._known_words)
        tokens = read_tokens(question, whole=lambda glued: glued.text in codes)
        covered, mentions = find_known(question, tokens, spellings)
        covered, mentions = _with_names(question, tokens, names, covered, mentions)
        corrected = await MisspeltTerms(question, tokens, spellings, self._known_words).find(covered)
        mentions += corrected.values()
        covered |= _touched(tokens, [mention.span for mention in corrected.values()])
        unknown = UnknownTerms(question, tokens, dict.fromkeys(covered, True)).judge()
        mentions += _unknown_mentions(question, tokens, unknown)
        elapsed = (time.perf_counter() - started) * 1000
        return IdentifiedJargon(
            mentions=_in_order(mentions), provenance=Provenance(implementation="embedded", milliseconds=elapsed)
        )

    async def _current_indexes(self) -> tuple[SpellingIndex, NameIndex]:
        version = await self._dictionary.version()
        if version == self._version:
            return self._indexes
        async with self._refreshing:
            if version != self._version:
                vocabulary = await self._dictionary.vocabulary()
                self._indexes = await asyncio.to_thread(_updated, *self._indexes, vocabulary)
                self._version = vocabulary.version
            return self._indexes


def _updated(spellings: SpellingIndex, names: NameIndex, vocabulary: Vocabulary) -> tuple[SpellingIndex, NameIndex]:
    return spellings.updated(vocabulary.terms), NameIndex(vocabulary.names, names)


def _with_names(
    question: str, tokens: Sequence[Token], names: NameIndex, covered: set[int], mentions: list[Mention]
) -> tuple[set[int], list[Mention]]:
    """Add the extended names to the terms found; of two that overlap the longer one stays, the term where equal."""
    starts, ends = [mention.span.start for mention in mentions], [mention.span.end for mention in mentions]
    dropped: set[int] = set()
    added = []
    for named in names.find(question):
        first = bisect_right(ends, named.span.start)
        rivals = range(first, max(first, bisect_left(starts, named.span.end)))
        if any(_length(mentions[rival].span) >= _length(named.span) for rival in rivals):
            continue
        dropped.update(rivals)
        text = question[named.span.start : named.span.end]
        added.append(
            Mention(
                text=text,
                span=named.span,
                term=named.terms[0],
                kind="name",
                probability=_NAME_PROBABILITY,
                known=True,
            )
        )
    kept = [mention for at, mention in enumerate(mentions) if at not in dropped]
    return covered | _touched(tokens, [mention.span for mention in added]), kept + added


def _touched(tokens: Sequence[Token], spans: Sequence[Span]) -> set[int]:
    """Return the indexes of the tokens that lie in one of ``spans``, wholly or in part."""
    ordered, touched, at = sorted(spans, key=lambda span: span.start), set(), 0
    for index, token in enumerate(tokens):
        while at < len(ordered) and ordered[at].end <= token.span.start:
            at += 1
        if at < len(ordered) and _overlap(ordered[at], token.span):
            touched.add(index)
    return touched


def _overlap(first: Span, second: Span) -> bool:
    return first.start < second.end and second.start < first.end


def _length(span: Span) -> int:
    return span.end - span.start


def _unknown_mentions(question: str, tokens: Sequence[Token], unknown: dict[int, float]) -> list[Mention]:
    """Make mentions of the unknown; those joined by hyphens are one: SSE-KMS."""
    mentions: list[Mention] = []
    previous = -2
    for index in sorted(unknown):
        token = tokens[index]
        joined = (
            previous == index - 1 and question[tokens[previous].span.end : token.span.start] == "-" and token.capitals
        )
        previous = index
        start = mentions[-1].span.start if joined else token.span.start
        letter = None if joined else _LETTER_BEFORE.search(question[max(0, start - 3) : start])
        if letter and token.capitals:
            start -= 2
        probability = max(unknown[index], mentions.pop().probability) if joined else unknown[index]
        tail = _PART.match(question, token.span.end) if token.capitals else None
        end = tail.end() if tail else token.end
        text = question[start:end]
        one = token.bare[:-1] if token.capitals and token.bare.endswith("s") else token.bare
        term = text if joined or tail or start < token.span.start else one
        mentions.append(
            Mention(text=text, span=Span(start, end), term=term, kind=kind_of(token), probability=probability)
        )
    return mentions


def _in_order(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda each: (each.span.start, -each.span.end)):
        if not kept or mention.span.start >= kept[-1].span.end:
            kept.append(mention)
    return tuple(kept)
