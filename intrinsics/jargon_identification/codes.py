"""Numbers with letters glued to them: codes (3GPP, 5GC) stay whole, amounts (50MUBO) are parted; knowledge decides."""

import re
from collections.abc import Awaitable, Callable

from intrinsics.jargon_identification.spellings import SpellingIndex
from intrinsics.jargon_identification.tokens import Glued, read_tokens
from tools.language import fold

KnownWords = Callable[[str], Awaitable[bool]]

_DIGIT_BEFORE_LETTERS = re.compile(r"\d[^\W\d_]{2}")
# Two letters are some term of a large dictionary by chance: 5GC is no five garbage collections.
_SHORT_TERM = 2
# So many are looked up in the documents; a question with more of them is a table.
_MOST_LOOKED_UP = 16


async def find_codes(question: str, index: SpellingIndex, known_words: KnownWords | None) -> frozenset[str]:
    """Return the codes among what is glued together in ``question``.

    The dictionary's word comes first, on the whole and then on its letters alone; then that of the documents; where
    nobody knows either, the shape decides.
    """
    if not _DIGIT_BEFORE_LETTERS.search(question):
        return frozenset()
    found: dict[str, Glued] = {}

    def note(glued: Glued) -> bool:
        found.setdefault(glued.text, glued)
        return False

    read_tokens(question, whole=note)
    codes = set()
    for number, glued in enumerate(found.values()):
        documents = known_words if number < _MOST_LOOKED_UP else None
        if await _is_code(glued, index, documents):
            codes.add(glued.text)
    return frozenset(codes)


async def _is_code(glued: Glued, index: SpellingIndex, known_words: KnownWords | None) -> bool:
    if index.begins(fold(glued.text)):
        return True
    if known_words and await known_words(glued.text):
        return True
    if glued.code_by_shape and len(glued.rest.removesuffix("s")) <= _SHORT_TERM:
        return True
    if index.find(fold(glued.rest), capitals=glued.rest.isupper()):
        return False
    if known_words and await known_words(glued.rest):
        return False
    return glued.code_by_shape
