"""Jargon identification without a model: the dictionary's spellings, misspellings, and the shapes of the unknown."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence

from contracts.jargon import Mention, MentionKind
from contracts.provenance import Provenance
from contracts.text import Span
from contracts.verdicts import IdentifiedJargon
from intrinsics.jargon_identification import cues
from intrinsics.jargon_identification.spellings import SpellingIndex, key_of
from intrinsics.jargon_identification.tokens import Token, read_tokens
from intrinsics.jargon_identification.unknown import UnknownTerms, kind_of
from intrinsics.jargon_identification.words import is_ordinary
from tools.jargon import JargonDictionary
from tools.language import STOP_WORDS, fold, rarity

KnownWords = Callable[[str], Awaitable[bool]]

# Below this (Zipf 2.8) a word is common enough in English to be meant as it is written, not a misspelt term.
_MISSPELT_RARITY = 0.65

# ALEx, CEn: a signal's name with a small letter that stands for its number.
_PLACEHOLDER = re.compile(r"[A-Z][A-Z0-9]+[xn]\Z")

# HM-1, JESD-218: the number belongs to the name.
_PART_NUMBER = re.compile(r"-\d{1,4}(?![\w-])")


class EmbeddedJargonIdentifier:
    """Finds jargon by the dictionary, then misspellings of its terms, then unknown terms by shape and rarity.

    Probabilities are set by kind of evidence, not fitted: 0.99 for a term in its own letter case, 0.4 for a term that
    is an ordinary word too, 0.55 to 0.95 for unknown terms by shape.
    """

    def __init__(self, dictionary: JargonDictionary, *, known_words: KnownWords | None = None) -> None:
        """Read terms from ``dictionary``; ``known_words`` says whether the documents use a word as it is written."""
        self._dictionary = dictionary
        self._known_words = known_words
        self._index = SpellingIndex({})
        self._version: str | None = None
        self._refreshing = asyncio.Lock()

    async def identify(self, question: str) -> IdentifiedJargon:
        """Find the abbreviations and jargon in ``question``, in any letter case, misspelt ones included."""
        started = time.perf_counter()
        index = await self._current_index()
        tokens = read_tokens(question)
        covered, mentions = _known_mentions(question, tokens, index)
        corrected = await self._misspellings(question, tokens, covered, index)
        mentions += corrected.values()
        covered |= set(corrected)
        unknown = UnknownTerms(question, tokens, dict.fromkeys(covered, True)).judge()
        mentions += _unknown_mentions(question, tokens, unknown)
        elapsed = (time.perf_counter() - started) * 1000
        return IdentifiedJargon(
            mentions=_in_order(mentions), provenance=Provenance(implementation="embedded", milliseconds=elapsed)
        )

    async def _current_index(self) -> SpellingIndex:
        version = await self._dictionary.version()
        if version == self._version:
            return self._index
        async with self._refreshing:
            if version != self._version:
                vocabulary = await self._dictionary.vocabulary()
                self._index = await asyncio.to_thread(self._index.updated, vocabulary.terms)
                self._version = vocabulary.version
            return self._index

    async def _misspellings(
        self, question: str, tokens: Sequence[Token], covered: set[int], index: SpellingIndex
    ) -> dict[int, Mention]:
        loud = cues.shouted(question, tokens)
        found: dict[int, Mention] = {}
        for position, token in enumerate(tokens):
            folded = fold(token.bare)
            if position in covered or token.blind or token.plain_number or len(folded) < 4:
                continue
            if is_ordinary(folded) or (not token.capitals and rarity(folded) < _MISSPELT_RARITY):
                continue
            near = index.near(folded) or (index.near(folded[:-1]) if folded.endswith("s") else ())
            if not near or (len(near) > 1 and near[1].cost - near[0].cost < 0.25):
                continue
            spellings = index.find(near[0].spelling, capitals=False)
            if not spellings or (self._known_words and await self._known_words(token.bare)):
                continue
            term = index.term_of(spellings[0])
            probability = max(0.5, 0.95 - 0.25 * near[0].cost - (0.1 if loud[position] else 0.0))
            found[position] = Mention(
                text=token.text,
                span=token.span,
                term=term,
                kind=_kind(term),
                probability=probability,
                known=True,
                corrected=True,
            )
        return found


def _known_mentions(question: str, tokens: Sequence[Token], index: SpellingIndex) -> tuple[set[int], list[Mention]]:
    loud = cues.shouted(question, tokens)
    covered: set[int] = set()
    mentions: list[Mention] = []
    start = 0
    while start < len(tokens):
        for length in range(min(index.reach(tokens[start]), len(tokens) - start), 0, -1):
            run = tokens[start : start + length]
            key = key_of(run, question)
            plural = run[-1].capitals and not run[-1].bare.isupper()
            spellings = index.find(key, capitals=run[-1].capitals and not plural)
            if plural and run[-1].bare not in spellings:
                spellings = index.find(key[:-1], capitals=True) or spellings
            if not spellings and _PLACEHOLDER.match(run[-1].bare):
                spellings = index.find(key[:-1], capitals=True)
            choice = _choose_spelling(question, run, spellings, loud[start]) if spellings else None
            if choice:
                spelling, probability = choice
                span = Span(run[0].span.start, run[-1].span.end)
                term = index.term_of(spelling)
                mentions.append(
                    Mention(
                        text=question[span.start : span.end],
                        span=span,
                        term=term,
                        kind=_kind(spelling),
                        probability=probability,
                        known=True,
                    )
                )
                covered.update(range(start, start + length))
                start += length - 1
                break
        start += 1
    return covered, mentions


def _choose_spelling(
    question: str, run: Sequence[Token], spellings: Sequence[str], loud: bool
) -> tuple[str, float] | None:
    """Return the spelling that ``run`` is in by its letter case, with the probability, or None for an ordinary word."""
    text = question[run[0].span.start : run[-1].span.end]
    forms = (text, run[0].bare, run[0].bare[:-1])
    exact = next((spelling for spelling in spellings if spelling in forms), None)
    if len(run) > 1:
        return exact or spellings[0], 0.97 if exact else 0.93
    token, folded = run[0], fold(run[0].bare)
    if token.blind and (token.plain_number or token.text[:1].isdigit()):
        return None
    spelling = exact or spellings[0]
    cased = token.capitals or token.bare[:2].isupper()
    ordinary = is_ordinary(folded) or (folded == fold(spelling) + "s" and is_ordinary(spelling))
    abbreviation = sum(c.isupper() for c in spelling) >= 2 or any(c.isdigit() for c in spelling)
    if len(folded) == 1:
        labelled = question[token.span.end : token.span.end + 1] in (")", ".")
        lone = spelling == token.bare and not labelled and folded not in STOP_WORDS and folded != "i"
        return (spelling, 0.6) if lone else None
    if ordinary and (loud or not cased):
        # "act", "Act" and "ACT" among shouted words are the verb; a term that is an ordinary word may still be meant.
        if folded in STOP_WORDS or (abbreviation and not loud):
            return None
        return spelling, 0.4
    if exact:
        return spelling, 0.99
    if len(folded) <= 2 and token.capitals and not loud and not spelling.isupper():
        return None
    return spelling, 0.95 if len(folded) > 2 else 0.75


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
        probability = max(unknown[index], mentions.pop().probability) if joined else unknown[index]
        tail = _PART_NUMBER.match(question, token.span.end) if token.capitals else None
        end = tail.end() if tail else token.span.end
        text = question[start:end]
        term = (
            text if joined or tail else (token.bare[:-1] if token.capitals and token.bare.endswith("s") else token.bare)
        )
        mentions.append(
            Mention(text=text, span=Span(start, end), term=term, kind=kind_of(token), probability=probability)
        )
    return mentions


def _kind(term: str) -> MentionKind:
    if " " in term or ("-" in term and term.islower()):
        return "phrase"
    tokens = read_tokens(term)
    letters = "".join(c for c in term if c.isalpha())
    if tokens and letters and (letters.islower() or letters.istitle()) and not any(c.isdigit() for c in term):
        return "code" if "_" in term else "phrase"
    return kind_of(tokens[0]) if tokens else "code"


def _in_order(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda each: (each.span.start, -each.span.end)):
        if not kept or mention.span.start >= kept[-1].span.end:
            kept.append(mention)
    return tuple(kept)
