"""Lexical search: finds chunks by their words, counts terms, and suggests similar spellings."""

import re
import threading
from collections import Counter
from collections.abc import Mapping

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract
from sqlalchemy import Connection, Engine, delete, select, text, update

from contracts.search import DocumentIds, Groups, Hit, PhraseUse
from database.transactions import reading, writing
from library.lexical_postgresql import PostgresqlLexicalEngine, index_lexemes
from library.lexical_sqlite import SqliteLexicalEngine
from library.rows import chunk_of
from library.tables import chunk_lexemes, chunks, library_state
from library.tokenization import STOP_WORDS, asked_words, find_forms, indexed_text, plain, words_of

# A query is cut to this many distinct words, because more words add little but take time.
MAX_QUERY_WORDS = 64

# Longer texts are not terms, and SQLite limits the length of LIKE patterns.
MAX_TERM_CHARACTERS = 500

# Symbols at the start or end of a term that the tokenizer drops, but that distinguish terms: C++, .NET, +5V.
_TELLING_EDGE = re.compile(r"^[.+*&@$%^=~|\\/<>]|[+*&@$%^=~|\\/<>]$")

# The number of chunks in which the spelling of a word is looked up.
_EXAMPLES_A_WORD = 5
_ROWS_A_BATCH = 500
# Only this many words, the most frequent ones, are compared with a term: the other words in a very large library are
# mostly OCR errors.
MOST_WORDS = 500_000


class SqlLexicalSearch:
    """Lexical search in the library, with FTS5 on SQLite and text search vectors on PostgreSQL.

    Any string is a valid query. The calls block and are thread-safe.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lexical = PostgresqlLexicalEngine() if engine.name == "postgresql" else SqliteLexicalEngine()
        self._lock = threading.Lock()
        self._words: tuple[int, dict[str, int]] = (-1, {})

    def find(self, query: str, top_k: int, *, groups: Groups = None, documents: DocumentIds = None) -> tuple[Hit, ...]:
        """Find the ``top_k`` chunks of ``groups`` and ``documents`` that match any content word in ``query``.

        Scores are above 0. The best chunks come first; ties are sorted by id. Words are compared by stem.
        """
        words = asked_words(query)[:MAX_QUERY_WORDS]
        if not words or top_k < 1:
            return ()
        with reading(self._engine) as connection:
            return tuple(map(Hit._make, self._lexical.search(connection, words, top_k, groups, documents)))

    def document_frequency(self, term: str, *, groups: Groups = None) -> int:
        """Count the passages of ``groups`` that contain ``term``, a word or phrase, in any letter case but not stemmed.

        Return 0 for a term longer than 500 characters.
        """
        words = words_of(term)
        if not words or len(term) > MAX_TERM_CHARACTERS:
            return 0
        with reading(self._engine) as connection:
            return self._lexical.count(connection, words, verbatim_of(term), groups)

    def find_phrase(
        self, phrase: str, limit: int, *, as_written: bool = False, groups: Groups = None
    ) -> tuple[PhraseUse, ...]:
        """Return up to ``limit`` passages of ``groups`` that contain ``phrase``.

        Letter case and endings are ignored, unless ``as_written`` is true ("BE" does not match "be"). The first
        passages of all documents come before second ones, so that a long document does not hide the others. If more
        than 2,000 chunks contain the phrase, a sample spread evenly across the library is searched. Return () for a
        phrase longer than 500 characters.
        """
        words = words_of(phrase)
        if not words or limit < 1 or len(phrase) > MAX_TERM_CHARACTERS:
            return ()
        written = indexed_text(phrase).strip() if as_written else None
        with reading(self._engine) as connection:
            return tuple(map(PhraseUse._make, self._lexical.passages(connection, words, written, limit, groups)))

    def near_spellings(self, term: str, limit: int = 5, *, groups: Groups = None) -> list[str]:
        """Return words in the documents with a spelling similar to ``term``, as written there.

        They are sorted by optimal string alignment distance (swapping two neighbours is one error), then by equal
        letters, equal first letter and frequency. The maximum distance is 1 for up to 4 characters, 2 for up to 8
        characters, and otherwise 3. ``term`` itself and stop words are excluded.
        """
        asked = "".join(words_of(term))
        if not asked or limit < 1 or len(term) > MAX_TERM_CHARACTERS:
            return []
        with reading(self._engine) as connection:
            found: dict[str, None] = {}
            for word in nearest_words(asked, self._words_now(connection)):
                written = self._as_written(connection, word, groups)
                if written:
                    found[written] = None
                if len(found) == limit:
                    break
        return list(found)

    def _words_now(self, connection: Connection) -> dict[str, int]:
        version = int(connection.execute(select(library_state.c.version)).scalar_one())
        with self._lock:
            if self._words[0] != version:
                self._words = (version, words_to_compare(self._lexical.vocabulary(connection, MOST_WORDS)))
            return self._words[1]

    def _as_written(self, connection: Connection, word: str, groups: Groups) -> str:
        forms: Counter[str] = Counter()
        for written in self._lexical.texts_with(connection, word, _EXAMPLES_A_WORD, groups):
            forms.update(form for form in find_forms(written) if plain(form) == word)
        return forms.most_common(1)[0][0] if forms else ""


def verbatim_of(term: str) -> str | None:
    """Return the text that must match verbatim if a symbol at its edge distinguishes ``term`` (C++), otherwise None."""
    stripped = indexed_text(term).strip()
    return stripped if _TELLING_EDGE.search(stripped) else None


def words_to_compare(frequencies: Mapping[str, int]) -> dict[str, int]:
    """Return the words to compare with a term: all except stop words and words without letters."""
    return {
        word: count
        for word, count in frequencies.items()
        if len(word) > 1 and word not in STOP_WORDS and any(map(str.isalpha, word))
    }


def nearest_words(asked: str, frequencies: Mapping[str, int]) -> list[str]:
    """Return the words that are similar to ``asked`` (folded), most similar first, without ``asked`` itself.

    They are sorted by optimal string alignment distance (swapping two neighbours is one error), then by equal letters,
    equal first letter and frequency.
    """
    if len(asked) < 2:
        return []
    limit = 1 if len(asked) <= 4 else 2 if len(asked) <= 8 else 3
    found = extract(asked, frequencies.keys(), scorer=OSA.distance, score_cutoff=limit, limit=None)
    letters = sorted(asked)
    near = [
        (distance, sorted(word) != letters, word[0] != asked[0], -frequencies[word], word)
        for word, distance, _ in found
        # With as many errors as letters, nothing would be left of the word.
        if word != asked and distance < min(len(word), len(asked))
    ]
    return [each[-1] for each in sorted(near)]


def rebuild_lexical_index(engine: Engine) -> None:
    """Rebuild the words of all searched chunks and the lexical index in one transaction. This call blocks."""
    with writing(engine) as connection:
        connection.execute(update(library_state).values(version=library_state.c.version + 1))
        last = -1
        ordered = select(chunks).where(chunks.c.kind != "section").order_by(chunks.c.number).limit(_ROWS_A_BATCH)
        while rows := connection.execute(ordered.where(chunks.c.number > last)).all():
            last = rows[-1].number
            for row in rows:
                words = " ".join(words_of(chunk_of(row).searchable_text))
                if words != row.words:
                    connection.execute(update(chunks).where(chunks.c.number == row.number).values(words=words))
        if engine.name == "postgresql":
            connection.execute(delete(chunk_lexemes))
            index_lexemes(connection)
            return
        for table in ("chunk_stems", "chunk_terms"):
            connection.execute(text(f"INSERT INTO {table}({table}) VALUES ('delete-all')"))
            held = "SELECT number, words FROM chunks WHERE words IS NOT NULL"
            connection.execute(text(f"INSERT INTO {table}(rowid, words) {held}"))
