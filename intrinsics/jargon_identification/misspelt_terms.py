"""Misspelt terms of the dictionary in a question."""

from collections.abc import Sequence
from dataclasses import replace

from contracts.jargon import Mention
from contracts.text import Span
from intrinsics.jargon_identification import cues
from intrinsics.jargon_identification.dictionary_terms import KnownWords, kind_of_term, known_mention
from intrinsics.jargon_identification.spellings import Near, SpellingIndex, key_of
from intrinsics.jargon_identification.tokens import Token, is_ordinary
from tools.language import fold, rarity

# A word more common than this (Zipf 2.8) is probably the English word itself, not a misspelt term.
_MISSPELT_RARITY = 0.65
# The nearest spelling must be closer than the next one by at least this: the difference between two kinds of typos.
_MARGIN = 0.14
# The cost of a plural in capitals, on the scale of misspellings.
_CAPITAL_PLURAL = 0.4
# At most this many different words of a question are compared with the dictionary: each comparison scans all of it.
_MOST_CHECKED = 64
_PHRASE_PROBABILITY = 0.85


class MisspeltTerms:
    """Corrects the tokens of one question that no dictionary entry covers."""

    def __init__(
        self, question: str, tokens: Sequence[Token], index: SpellingIndex, known_words: KnownWords | None
    ) -> None:
        """Prepare ``tokens`` of ``question``; ``known_words`` says whether the documents use a word as it is."""
        self._question = question
        self._tokens = tokens
        self._index = index
        self._known_words = known_words
        self._checked: dict[str, Near | None] = {}

    async def find(self, covered: set[int]) -> dict[int, Mention]:
        """Return mentions by the index of their first token; ``covered`` tokens are mentions already."""
        loud = cues.shouted(self._question, self._tokens)
        found: dict[int, Mention] = {}
        parts: dict[int, Token] = {}
        for position, token in enumerate(self._tokens):
            near = None if position in covered else await self._near(token)
            if near is None:
                continue
            spellings = self._index.find(near.spelling, capitals=False)
            if not spellings:
                parts[position] = replace(token, bare=near.spelling)
                continue
            probability = max(0.5, 0.95 - 0.25 * near.cost - (0.1 if loud[position] else 0.0))
            found[position] = self._mention(position, position, spellings[0], probability)
        tokens, taken = [parts.get(at, token) for at, token in enumerate(self._tokens)], covered | set(found)
        for position in parts:
            if phrase := self._phrase(position, tokens, taken):
                first, last, spelling = phrase
                taken.update(range(first, last + 1))
                found[first] = self._mention(first, last, spelling, _PHRASE_PROBABILITY)
        return found

    async def _near(self, token: Token) -> Near | None:
        """Return the one spelling, or word of one, that ``token`` must be a misspelling of, or None."""
        folded = fold(token.bare)
        if token.blind or token.plain_number or len(folded) < 4 or is_ordinary(folded):
            return None
        if not token.capitals and rarity(folded) < _MISSPELT_RARITY:
            return None
        if folded not in self._checked and len(self._checked) < _MOST_CHECKED:
            index = self._index
            near = self._plural(token, folded) or index.near(folded)
            if not near and folded.endswith("s") and not token.bare.isupper():
                near = index.near(folded[:-1])
            clear = bool(near) and (len(near) == 1 or near[1].cost - near[0].cost >= _MARGIN)
            if clear and self._known_words and await self._known_words(token.bare):
                clear = False
            self._checked[folded] = near[0] if clear else None
        return self._checked.get(folded)

    def _plural(self, token: Token, folded: str) -> tuple[Near, ...]:
        """Return the term whose plural is written in capitals throughout, LUNS, if nobody knows another LUNS."""
        one = folded[:-1]
        is_plural = token.capitals and folded.endswith("s") and self._index.find(one, capitals=True)
        return (Near(one, _CAPITAL_PLURAL),) if is_plural and not self._index.by_chance(one, 1.0) else ()

    def _phrase(self, position: int, tokens: Sequence[Token], taken: set[int]) -> tuple[int, int, str] | None:
        """Return the ends and the spelling of the longest phrase around ``position`` in ``tokens``, the corrected."""
        for first in range(max(0, position - 3), position + 1):
            for last in range(min(len(tokens), first + self._index.reach(tokens[first])) - 1, position - 1, -1):
                if first < last and not taken.intersection(range(first, last + 1)):
                    run = tokens[first : last + 1]
                    if spellings := self._index.find(key_of(run, self._question), capitals=False):
                        return first, last, spellings[0]
        return None

    def _mention(self, first: int, last: int, spelling: str, probability: float) -> Mention:
        span = Span(self._tokens[first].span.start, self._tokens[last].end)
        term = self._index.term_of(spelling)
        mention = known_mention(self._question, span, term, kind_of_term(term), probability)
        return mention.model_copy(update={"corrected": True})
