"""Finds misspelt dictionary terms in a question."""

from collections.abc import Sequence, Set

from contracts.jargon import Mention
from contracts.text import Span
from intrinsics.jargon_identification.dictionary_terms import KnownWords, kind_of_term, known_mention
from intrinsics.jargon_identification.spellings import SpellingIndex
from intrinsics.jargon_identification.tokens import Token, is_ordinary
from tools.language import fold, rarity

# A word more common than this (Zipf 2.8) is probably an English word and not a misspelt term.
_MISSPELT_RARITY = 0.65
# At most this many different words of a question are compared with the dictionary, because each one scans all of it.
_MOST_CHECKED = 64
_PROBABILITY = 0.75


async def find_misspelt(
    question: str, tokens: Sequence[Token], covered: Set[int], index: SpellingIndex, known_words: KnownWords | None
) -> dict[int, Mention]:
    """Return mentions of misspelt terms by token index; ``covered`` tokens already belong to mentions.

    ``known_words`` checks whether the documents contain a word as written.
    """
    found: dict[int, Mention] = {}
    checked: dict[str, str | None] = {}
    for position, token in enumerate(tokens):
        folded = fold(token.bare)
        if position in covered or not _may_be_misspelt(token, folded):
            continue
        if folded not in checked and len(checked) < _MOST_CHECKED:
            key = _corrected(token, folded, index)
            checked[folded] = None if key and known_words and await known_words(token.bare) else key
        key = checked.get(folded)
        if key and (spellings := index.find(key, capitals=False)):
            term, span = index.term_of(spellings[0]), Span(token.span.start, token.end)
            mention = known_mention(question, span, term, kind_of_term(term), _PROBABILITY)
            found[position] = mention.model_copy(update={"corrected": True})
    return found


def _may_be_misspelt(token: Token, folded: str) -> bool:
    if token.blind or token.plain_number or len(folded) < 4 or is_ordinary(folded):
        return False
    return token.capitals or rarity(folded) >= _MISSPELT_RARITY


def _corrected(token: Token, folded: str, index: SpellingIndex) -> str | None:
    if token.capitals and folded.endswith("s") and index.find(folded[:-1], capitals=True):
        # A plural that is completely in capitals, such as LUNS.
        return folded[:-1]
    near = index.near(folded)
    return near or (index.near(folded[:-1]) if folded.endswith("s") and not token.bare.isupper() else None)
