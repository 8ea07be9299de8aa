"""The lexical index on SQLite: two FTS5 tables for the chunks, kept up to date by triggers."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, CursorResult, text

from contracts.search import DocumentIds, Groups
from library.lexical_queries import MOST_LOOKED_AT, MOST_RANKED, WRITTEN, choosing_words, like_pattern, written_text

# Two indexes for the same column: stems for searching, and exact words for counting and for spellings. Both read their
# text from `chunks`; triggers keep them up to date. `_` and `#` are part of technical names (place_pin, WE#).
_ADD = """
    INSERT INTO chunk_stems(rowid, words) VALUES (new.number, new.words);
    INSERT INTO chunk_terms(rowid, words) VALUES (new.number, new.words);"""
_REMOVE = """
    INSERT INTO chunk_stems(chunk_stems, rowid, words) VALUES ('delete', old.number, old.words);
    INSERT INTO chunk_terms(chunk_terms, rowid, words) VALUES ('delete', old.number, old.words);"""
_TABLES_AND_TRIGGERS = (
    # FTS5 checks its index against all rows of its content, which must not include chunks that are not searched.
    "CREATE VIEW searched_chunks AS SELECT number, words FROM chunks WHERE words IS NOT NULL",
    """CREATE VIRTUAL TABLE chunk_stems USING fts5(
        words, content='searched_chunks', content_rowid='number',
        tokenize="porter unicode61 remove_diacritics 2 tokenchars '_#'")""",
    """CREATE VIRTUAL TABLE chunk_terms USING fts5(
        words, content='searched_chunks', content_rowid='number',
        tokenize="unicode61 remove_diacritics 2 tokenchars '_#'")""",
    "CREATE VIRTUAL TABLE chunk_vocabulary USING fts5vocab('chunk_terms', 'row')",
    f"CREATE TRIGGER chunks_inserted AFTER INSERT ON chunks WHEN new.words IS NOT NULL BEGIN {_ADD} END",
    f"CREATE TRIGGER chunks_deleted AFTER DELETE ON chunks WHEN old.words IS NOT NULL BEGIN {_REMOVE} END",
    f"""CREATE TRIGGER chunks_words_removed BEFORE UPDATE OF number, words ON chunks
        WHEN old.words IS NOT NULL BEGIN {_REMOVE} END""",
    f"""CREATE TRIGGER chunks_words_added AFTER UPDATE OF number, words ON chunks
        WHEN new.words IS NOT NULL BEGIN {_ADD} END""",
)

_IN_GROUPS = " AND documents.access_group IN ({groups})"

# Chunks are joined only to the best matches, because joining them to all matches would take most of the time.
_SEARCH = """
    SELECT chunks.id, best.score FROM (
        SELECT rowid AS number, -bm25(chunk_stems) AS score FROM chunk_stems
        WHERE chunk_stems MATCH :query ORDER BY score DESC, rowid LIMIT :looked_at) AS best
    JOIN chunks ON chunks.number = best.number {join} WHERE best.score IS NOT NULL {where}
    ORDER BY best.score DESC, chunks.id LIMIT :top_k"""
_SEARCH_IN_DOCUMENTS = _SEARCH.replace(
    "{where}", "AND chunks.document_id IN (SELECT value FROM json_each(:documents)) {where}"
)
_MATCHING = "SELECT count(*) FROM (SELECT 1 FROM chunk_stems WHERE chunk_stems MATCH :query LIMIT :most)"

# This many times the requested number of chunks are ranked first, because some may belong to other groups.
_SPARE = 8
_NO_LIMIT = -1

_COUNT = """
    SELECT count(*) FROM chunk_terms JOIN chunks ON chunks.number = chunk_terms.rowid {join}
    WHERE chunk_terms MATCH :query AND chunks.kind = 'passage' {where}"""
_COUNT_VERBATIM = _COUNT + r" AND chunks.text LIKE :pattern ESCAPE '\'"

_PASSAGES = """
    WITH found AS (
        SELECT chunks.number, row_number() OVER (PARTITION BY chunks.document_id ORDER BY chunks.number) AS turn
        FROM {table} JOIN chunks ON chunks.number = {table}.rowid {join}
        WHERE {table} MATCH :query AND chunks.kind = 'passage' {where}
        AND {table}.rowid % (1 + (SELECT count(*) FROM {table} WHERE {table} MATCH :query) / :most) = 0
        ORDER BY turn, chunks.number LIMIT :limit)
    SELECT chunks.id, documents.id, documents.name, chunks.text FROM found
    JOIN chunks ON chunks.number = found.number JOIN documents ON documents.id = chunks.document_id
    ORDER BY found.turn, found.number"""
_PASSAGES_BY_STEMS = _PASSAGES.replace("{table}", "chunk_stems")
_PASSAGES_AS_WRITTEN = _PASSAGES.replace("{table}", "chunk_terms").replace(
    "{where}", "AND instr(chunks.text, :written) > 0 {where}"
)

_TEXTS = """
    SELECT {written} FROM chunk_terms JOIN chunks ON chunks.number = chunk_terms.rowid {join}
    WHERE chunk_terms MATCH :query {where} ORDER BY chunks.number LIMIT :limit"""

_OF_DOCUMENTS = "JOIN documents ON documents.id = chunks.document_id"


def create_lexical_index(connection: Connection) -> None:
    """Create the index of a new database, and the triggers that keep it up to date."""
    for statement in _TABLES_AND_TRIGGERS:
        connection.exec_driver_sql(statement)


class SqliteLexicalEngine:
    """Full-text search with SQLite's FTS5."""

    def search(
        self, connection: Connection, words: Sequence[str], top_k: int, groups: Groups, documents: DocumentIds
    ) -> list[tuple[str, float]]:
        """Find the chunks of ``documents`` (None: all) that match any of ``words``, with BM25 scores, best first."""
        if documents is not None:
            values = {"documents": json.dumps(sorted(documents)), "query": _any_of(words), "top_k": top_k}
            rows = _execute(connection, _SEARCH_IN_DOCUMENTS, groups, looked_at=_NO_LIMIT, **values)
            return [(row[0], row[1]) for row in rows]
        counts = {word: _matching(connection, word, MOST_RANKED + 1) for word in words}
        if min(counts.values()) > MOST_RANKED:
            # All words are common, so count them exactly to find the rarest.
            counts = {word: _matching(connection, word, _NO_LIMIT) for word in words}
        choosing = choosing_words(counts)
        rare, common = _any_of(choosing), _any_of([word for word in words if word not in choosing])
        found: dict[str, float] = {}
        # The first query scores chunks that also contain common words, and the second query scores all others. If even
        # the rarest word is common and enough chunks contain two words, chunks with one word are not ranked, because
        # that takes longest.
        for query in (f"({rare}) AND ({common})", rare) if common else (rare,):
            for chunk_id, score in self._best(connection, query, top_k, groups, sum(counts.values())):
                found[chunk_id] = max(score, found.get(chunk_id, score))
            if len(found) >= top_k and counts[choosing[0]] > MOST_RANKED:
                break
        return sorted(found.items(), key=lambda each: (-each[1], each[0]))[:top_k]

    def _best(
        self, connection: Connection, query: str, top_k: int, groups: Groups, matching: int
    ) -> list[tuple[str, float]]:
        """Return the best chunks of ``groups`` for ``query``; at most ``matching`` chunks match it."""
        looked_at = top_k if groups is None else top_k * _SPARE
        while True:
            rows = _execute(connection, _SEARCH, groups, query=query, top_k=top_k, looked_at=looked_at).all()
            if len(rows) == top_k or looked_at == _NO_LIMIT or matching <= looked_at:
                return [(row[0], row[1]) for row in rows]
            looked_at = _NO_LIMIT

    def count(self, connection: Connection, words: Sequence[str], verbatim: str | None, groups: Groups) -> int:
        """Count the passages that contain the phrase ``words`` and, if given, the text ``verbatim``."""
        values = {"query": _quoted(words)}
        if verbatim is not None:
            values["pattern"] = like_pattern(verbatim)
        statement = _COUNT if verbatim is None else _COUNT_VERBATIM
        return int(_execute(connection, statement, groups, **values).scalar_one())

    def passages(
        self, connection: Connection, words: Sequence[str], written: str | None, limit: int, groups: Groups
    ) -> list[tuple[str, str, str, str]]:
        """Return the id, document id, document name and text of passages that contain the phrase ``words``.

        If ``written`` is None, words are compared by stem; otherwise, they are compared exactly, and the text must
        contain ``written`` in the same letter case. The first passages of all documents come before second ones. If
        more than ``MOST_LOOKED_AT`` chunks contain the phrase, only every second, third, … chunk is searched.
        """
        values: dict[str, Any] = {"query": _quoted(words), "limit": limit, "most": MOST_LOOKED_AT}
        if written is not None:
            values["written"] = written
        statement = _PASSAGES_BY_STEMS if written is None else _PASSAGES_AS_WRITTEN
        return [(row[0], row[1], row[2], row[3]) for row in _execute(connection, statement, groups, **values)]

    def vocabulary(self, connection: Connection, limit: int) -> dict[str, int]:
        """Return the ``limit`` most frequent words, each with the number of chunks that contain it."""
        statement = text("SELECT term, doc FROM chunk_vocabulary WHERE doc > 0 ORDER BY doc DESC, term LIMIT :limit")
        rows = connection.execute(statement, {"limit": limit})
        return {row[0]: int(row[1]) for row in rows}

    def texts_with(self, connection: Connection, word: str, limit: int, groups: Groups) -> list[str]:
        """Return the titles, headings and texts of some chunks that contain ``word``."""
        rows = _execute(connection, _TEXTS, groups, query=_quoted([word]), limit=limit)
        return [written_text(row) for row in rows]


def _matching(connection: Connection, word: str, most: int) -> int:
    """Count the chunks that contain ``word``, up to ``most``, because the time grows with the count."""
    return int(_execute(connection, _MATCHING, None, query=_quoted([word]), most=most).scalar_one())


def _execute(connection: Connection, template: str, groups: Groups, **values: Any) -> CursorResult[*tuple[Any, ...]]:
    """Execute the statement from ``template``, limited to ``groups`` (None: all), directly with the driver.

    Compilation by SQLAlchemy would take most of the time of a query with few results.
    """
    if groups is None:
        return connection.exec_driver_sql(_statement(template, None), values)
    named = {f"group_{number}": group for number, group in enumerate(sorted(groups))}
    return connection.exec_driver_sql(_statement(template, len(named)), {**values, **named})


@lru_cache(maxsize=64)
def _statement(template: str, groups: int | None) -> str:
    """Return the statement from ``template`` for a number of groups (None: no limit)."""
    if groups is None:
        return template.format(join="", where="", written=WRITTEN)
    names = ", ".join(f":group_{number}" for number in range(groups))
    return template.format(join=_OF_DOCUMENTS, where=_IN_GROUPS.format(groups=names), written=WRITTEN)


def _any_of(words: Sequence[str]) -> str:
    return " OR ".join(_quoted([word]) for word in words)


def _quoted(words: Sequence[str]) -> str:
    """Return ``words``, which must contain only letters, digits, `_` and `#`, as a phrase in FTS5's query language."""
    return '"' + " ".join(words) + '"'
