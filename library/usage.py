"""Usage: which of many terms the documents contain, in one pass over the passages."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise

from sqlalchemy import Engine, select

from database.session import reading
from library.lexical import MAX_TERM_CHARACTERS, verbatim_of
from library.models import chunks
from library.words import words_of

# So many passages are held at a time.
_PASSAGES_A_PIECE = 1_000

# The first words of a phrase, one or two, by which its places are found.
_Start = tuple[str, ...]


def terms_in_use(engine: Engine, terms: Iterable[str]) -> frozenset[str]:
    """Return those of ``terms`` that ``SqlLexicalSearch.document_frequency`` counts any passage for.

    Raises:
        Unavailable: the database cannot be used just now.
    """
    sought: dict[_Start, dict[str, _Sought]] = defaultdict(dict)
    for term in terms:
        asked = words_of(term)
        if asked and len(term) <= MAX_TERM_CHARACTERS:
            sought[tuple(asked[:2])][term] = _Sought(term, asked)
    used: set[str] = set()
    for words, text in _passages(engine):
        if not sought:
            break
        split = words.split()
        padded = f" {words} "
        starts: set[_Start] = {(word,) for word in split} | set(pairwise(split))
        for start in starts & sought.keys():
            found = [term for term, each in sought[start].items() if each.is_in(padded, text)]
            used.update(found)
            for term in found:
                del sought[start][term]
            if not sought[start]:
                del sought[start]
    return frozenset(used)


class _Sought:
    """A term's words, and how it must be written where its edge tells it from another one (C++)."""

    def __init__(self, term: str, words: list[str]) -> None:
        self._phrase = f" {' '.join(words)} "
        verbatim = verbatim_of(term)
        self._verbatim = None if verbatim is None else verbatim.casefold()

    def is_in(self, padded: str, text: str) -> bool:
        """Say whether a passage, its words with a space around each and its text, contains the term."""
        if self._phrase not in padded:
            return False
        return self._verbatim is None or self._verbatim in text.casefold()


def _passages(engine: Engine) -> Iterator[tuple[str, str]]:
    query = select(chunks.c.number, chunks.c.words, chunks.c.text).where(chunks.c.kind == "passage")
    last = -1
    with reading(engine) as connection:
        while True:
            piece = query.where(chunks.c.number > last).order_by(chunks.c.number).limit(_PASSAGES_A_PIECE)
            rows = connection.execute(piece).all()
            if not rows:
                return
            for row in rows:
                yield row.words or "", row.text
            last = rows[-1].number
