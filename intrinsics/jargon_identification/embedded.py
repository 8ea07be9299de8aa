"""Jargon identification without a language model, based on the dictionary, misspellings and shapes."""

import re
import time
from collections.abc import Mapping, Sequence

from contracts.jargon import Mention
from contracts.text import Span
from contracts.verdicts import IdentifiedJargon
from intrinsics.jargon_identification.dictionary_lookup import DictionaryEntries, in_order
from intrinsics.jargon_identification.dictionary_terms import KnownWords
from intrinsics.jargon_identification.tokens import Token
from intrinsics.jargon_identification.unknown_terms import UnknownTerms, kind_of
from tools.jargon.base import JargonDictionary
from tools.judges import provenance_since

# In HM-1, JESD-218, T-SQL and ST-S, the number or single capital belongs to the name.
_PART = re.compile(r"-(?:\d{1,4}|[A-Z])(?![\w-])")
_LETTER_BEFORE = re.compile(r"(?<![\w-])[A-Z]-\Z")


class EmbeddedJargonIdentifier:
    """Finds dictionary terms, then misspellings of them, then unknown terms by shape and rarity.

    Probabilities are fixed by the kind of evidence, not fitted: 0.99 for a term in its own letter case, 0.9 for an
    extended name, 0.4 for a term that is also an ordinary word, and 0.55 to 0.95 for unknown terms, by shape.
    """

    def __init__(self, dictionary: JargonDictionary, *, known_words: KnownWords | None = None) -> None:
        """Read terms from ``dictionary``; ``known_words`` checks whether the documents contain a word as written."""
        self._entries = DictionaryEntries(dictionary, known_words)

    async def identify(self, question: str) -> IdentifiedJargon:
        started = time.perf_counter()
        found = await self._entries.find(question)
        unknown = UnknownTerms(question, found.tokens, found.covered).judge()
        mentions = in_order([*found.mentions, *_unknown_mentions(question, found.tokens, unknown)])
        return IdentifiedJargon(mentions=mentions, provenance=provenance_since(started))


def _unknown_mentions(question: str, tokens: Sequence[Token], unknown: Mapping[int, float]) -> list[Mention]:
    """Make mentions of unknown terms; terms joined by a hyphen ("SSE-KMS") become one mention."""
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
        term = text if joined or tail or start < token.span.start else token.singular
        mentions.append(
            Mention(text=text, span=Span(start, end), term=term, kind=kind_of(token), probability=probability)
        )
    return mentions
