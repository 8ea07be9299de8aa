"""Checks terms that a chat model listed against the question and the dictionary."""

import re
from collections.abc import Sequence
from itertools import pairwise

from contracts.jargon import Mention
from contracts.text import Span
from intrinsics.jargon_identification.dictionary_lookup import DictionaryEntries, FoundEntries, in_order, overlap
from intrinsics.jargon_identification.dictionary_terms import KnownWords
from intrinsics.jargon_identification.tokens import Token, is_ordinary
from intrinsics.jargon_identification.unknown_terms import is_everyday, kind_of
from tools.jargon.base import JargonDictionary
from tools.language import fold

# A dictionary entry with at least this probability is jargon even if the model does not name it. If the model names an
# entry, its probability is raised to this value.
_SURE = 0.9
_UNKNOWN = 0.85
_MOST_TERMS = 100
_PARTING = re.compile(r"\s*[/,&;]\s*\Z")


class ListedTerms:
    """Finds the positions of terms that a language model listed, and their spellings in ``dictionary``.

    Listed terms that are not in the question are dropped. A dictionary term in its own spelling counts even if the
    model does not list it; a dictionary term that may be an ordinary word counts only if the model lists it. Ordinary
    words that are not in the dictionary are always dropped. Probabilities are fixed by the kind of evidence, not
    fitted: at least 0.9 for a listed dictionary term, 0.85 for an unknown term. ``known_words`` checks whether the
    documents contain a word as written.
    """

    def __init__(self, dictionary: JargonDictionary, known_words: KnownWords | None = None) -> None:
        self._entries = DictionaryEntries(dictionary, known_words)

    async def place(self, question: str, terms: Sequence[str]) -> tuple[Mention, ...]:
        """Return the jargon in ``question``: those of ``terms`` that it contains, and the dictionary terms in it."""
        found = await self._entries.find(question)
        named: list[Span] = []
        for term in list(dict.fromkeys(terms))[:_MOST_TERMS]:
            named += _places(term, question, found.tokens)
        mentions = [await self._spelt(mention) for mention in _merged(question, found, named)]
        return tuple(mention for mention in mentions if mention.known or not _ordinary(mention.text))

    async def _spelt(self, mention: Mention) -> Mention:
        """Return ``mention`` with the dictionary term if it is a listed word that would otherwise count as ordinary."""
        term = None if mention.known else await self._entries.term_of(mention.text)
        return (
            mention if term is None else mention.model_copy(update={"term": term, "known": True, "probability": _SURE})
        )


def _ordinary(text: str) -> bool:
    """Return whether everybody knows the word: an ordinary word not in capitals, or an abbreviation such as USB."""
    return is_everyday(fold(text)) or (is_ordinary(text) and not text.isupper())


def _places(term: str, question: str, tokens: Sequence[Token]) -> list[Span]:
    """Return the positions where ``term`` occurs in the question as complete tokens, in any letter case."""
    words = term.split()
    if not words:
        return []
    starts = {token.span.start for token in tokens}
    ends = {end for token in tokens for end in (token.span.end, token.end)}
    pattern = r"\s+".join(re.escape(word) for word in words)
    matches = re.finditer(pattern, question, re.IGNORECASE)
    return [Span(*match.span()) for match in matches if match.start() in starts and match.end() in ends]


def _merged(question: str, found: FoundEntries, named: Sequence[Span]) -> tuple[Mention, ...]:
    """Keep dictionary entries that are certain or that the model listed, and add other terms that the model listed."""
    mentions = []
    for entry in found.mentions:
        if any(overlap(entry.span, span) for span in named):
            mentions.append(entry.model_copy(update={"probability": max(entry.probability, _SURE)}))
        elif entry.probability >= _SURE:
            mentions.append(entry)
    for span in named:
        inside = [index for index, token in enumerate(found.tokens) if overlap(token.span, span)]
        if not any(index in found.covered for index in inside):
            mentions += _unknown_mentions(question, [found.tokens[index] for index in inside])
    return in_order(mentions)


def _unknown_mentions(question: str, tokens: Sequence[Token]) -> list[Mention]:
    """Make mentions of tokens that were listed together; drop leading amounts, and split "A/B" into two mentions."""
    groups: list[list[Token]] = [[]]
    for token in tokens:
        if not groups[-1] and (token.plain_number or token.blind):
            continue
        if groups[-1] and _PARTING.match(question[groups[-1][-1].span.end : token.span.start]):
            groups.append([])
        groups[-1].append(token)
    return [_mention(question, group) for group in groups if group]


def _mention(question: str, group: Sequence[Token]) -> Mention:
    first, last = group[0], group[-1]
    text = question[first.span.start : last.end]
    if len(group) == 1:
        term, kind = first.singular, kind_of(first)
    else:
        gaps = [question[before.span.end : after.span.start] for before, after in pairwise(group)]
        spaced = any(gap.isspace() for gap in gaps)
        term, kind = " ".join(text.split()), "phrase" if spaced else kind_of(first)
    return Mention(text=text, span=Span(first.span.start, last.end), term=term, kind=kind, probability=_UNKNOWN)
