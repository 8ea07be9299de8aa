"""Misspelt terms of the dictionary in a question."""

from collections.abc import Sequence

from contracts.jargon import Mention
from contracts.text import Span
from intrinsics.jargon_identification.dictionary_terms import KnownWords, kind_of_term, known_mention
from intrinsics.jargon_identification.spellings import SpellingIndex
from intrinsics.jargon_identification.tokens import Token, is_ordinary
from tools.language import fold, rarity

# A word more common than this (Zipf 2.8) is probably the English word itself, not a misspelt term.
_MISSPELT_RARITY = 0.65
# At most this many different words of a question are compared with the dictionary: each comparison scans all of it.
_MOST_CHECKED = 64
_PROBABILITY = 0.75


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
        self._checked: dict[str, str | None] = {}

    async def find(self, covered: set[int]) -> dict[int, Mention]:
        """Return mentions by the index of their token; ``covered`` tokens are mentions already."""
        found: dict[int, Mention] = {}
        for position, token in enumerate(self._tokens):
            spelling = None if position in covered else await self._near(token)
            if spelling is not None:
                found[position] = self._mention(token, spelling)
        return found

    async def _near(self, token: Token) -> str | None:
        """Return the one spelling that ``token`` must be a misspelling of, or None."""
        folded = fold(token.bare)
        if token.blind or token.plain_number or len(folded) < 4 or is_ordinary(folded):
            return None
        if not token.capitals and rarity(folded) < _MISSPELT_RARITY:
            return None
        if folded not in self._checked and len(self._checked) < _MOST_CHECKED:
            key = self._corrected(token, folded)
            if key and self._known_words and await self._known_words(token.bare):
                key = None
            self._checked[folded] = key
        key = self._checked.get(folded)
        spellings = self._index.find(key, capitals=False) if key else ()
        return spellings[0] if spellings else None

    def _corrected(self, token: Token, folded: str) -> str | None:
        if token.capitals and folded.endswith("s") and self._index.find(folded[:-1], capitals=True):
            # A plural in capitals throughout: LUNS.
            return folded[:-1]
        near = self._index.near(folded)
        return near or (self._index.near(folded[:-1]) if folded.endswith("s") and not token.bare.isupper() else None)

    def _mention(self, token: Token, spelling: str) -> Mention:
        term = self._index.term_of(spelling)
        span = Span(token.span.start, token.end)
        mention = known_mention(self._question, span, term, kind_of_term(term), _PROBABILITY)
        return mention.model_copy(update={"corrected": True})
