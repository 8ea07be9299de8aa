"""The lexical index on SQLite: two FTS5 tables over the chunks, kept in step by triggers."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, TextClause, bindparam, text

from library.lexical_engine import MOST_LOOKED_AT, WRITTEN, Groups, written_text
from library.patterns import like_pattern

_IN_GROUPS = " AND documents.access_group IN :groups"

_SEARCH = """
    SELECT chunks.id, -bm25(chunk_stems) AS score FROM chunk_stems
    JOIN chunks ON chunks.number = chunk_stems.rowid {join}
    WHERE chunk_stems MATCH :query {where} ORDER BY score DESC, chunks.id LIMIT :top_k"""

_COUNT = """
    SELECT count(*) FROM chunk_terms JOIN chunks ON chunks.number = chunk_terms.rowid {join}
    WHERE chunk_terms MATCH :query AND chunks.kind = 'passage' {where}"""

_PASSAGES = """
    WITH found AS (
        SELECT chunks.number, row_number() OVER (PARTITION BY chunks.document_id ORDER BY chunks.number) AS turn
        FROM {table} JOIN chunks ON chunks.number = {table}.rowid {join}
        WHERE {table} MATCH :query AND {table}.rowid % :step = 0 AND chunks.kind = 'passage' {where}
        ORDER BY turn, chunks.number LIMIT :limit)
    SELECT chunks.id, documents.id, documents.name, chunks.text FROM found
    JOIN chunks ON chunks.number = found.number JOIN documents ON documents.id = chunks.document_id
    ORDER BY found.turn, found.number"""

_TEXTS = """
    SELECT {written} FROM chunk_terms JOIN chunks ON chunks.number = chunk_terms.rowid {join}
    WHERE chunk_terms MATCH :query {where} ORDER BY chunks.number LIMIT :limit"""

_OF_DOCUMENTS = "JOIN documents ON documents.id = chunks.document_id"


class SqliteLexicalEngine:
    """Speaks FTS5."""

    def index(self, connection: Connection, document_id: str) -> None:
        """Do nothing: the triggers on ``chunks`` have indexed them."""

    def search(
        self, connection: Connection, words: Sequence[str], top_k: int, groups: Groups
    ) -> list[tuple[str, float]]:
        """Find the chunks that match any of ``words`` with their BM25 scores, best first."""
        query = " OR ".join(_quoted([word]) for word in words)
        rows = connection.execute(
            _statement(_SEARCH, limited=groups is not None), _values(groups, query=query, top_k=top_k)
        )
        return [(row[0], float(row[1])) for row in rows]

    def count(self, connection: Connection, words: Sequence[str], verbatim: str | None, groups: Groups) -> int:
        """Count the passages with the phrase ``words``, and with ``verbatim``, where given, in their text."""
        values = _values(groups, query=_quoted(words))
        statement = _COUNT
        if verbatim is not None:
            statement += r" AND chunks.text LIKE :pattern ESCAPE '\'"
            values["pattern"] = like_pattern(verbatim)
        return int(connection.execute(_statement(statement, limited=groups is not None), values).scalar_one())

    def passages(
        self, connection: Connection, words: Sequence[str], written: str | None, limit: int, groups: Groups
    ) -> list[tuple[str, str, str, str]]:
        """Return id, document id, document name and text of passages with the phrase ``words``."""
        table = "chunk_stems" if written is None else "chunk_terms"
        matching = text(f"SELECT count(*) FROM {table} WHERE {table} MATCH :query")
        count = connection.execute(matching, {"query": _quoted(words)}).scalar_one()
        values = _values(groups, query=_quoted(words), limit=limit, step=1 + count // MOST_LOOKED_AT)
        statement = _PASSAGES.replace("{table}", table)
        if written is not None:
            statement = statement.replace("{where}", "AND instr(chunks.text, :written) > 0 {where}")
            values["written"] = written
        return [
            (row[0], row[1], row[2], row[3])
            for row in connection.execute(_statement(statement, limited=groups is not None), values)
        ]

    def vocabulary(self, connection: Connection, limit: int) -> dict[str, int]:
        """Return the ``limit`` most frequent words with the numbers of their chunks."""
        statement = text("SELECT term, doc FROM chunk_vocabulary WHERE doc > 0 ORDER BY doc DESC, term LIMIT :limit")
        rows = connection.execute(statement, {"limit": limit})
        return {row[0]: int(row[1]) for row in rows}

    def texts_with(self, connection: Connection, word: str, limit: int, groups: Groups) -> list[str]:
        """Return titles, headings and texts of some chunks that contain ``word``."""
        values = _values(groups, query=_quoted([word]), limit=limit)
        return [written_text(row) for row in connection.execute(_statement(_TEXTS, limited=groups is not None), values)]


@lru_cache(maxsize=64)
def _statement(template: str, *, limited: bool) -> TextClause:
    """Return the statement of ``template``; ``limited`` to groups. Made once: reading its text takes its time."""
    if not limited:
        return text(template.format(join="", where="", written=WRITTEN))
    statement = text(template.format(join=_OF_DOCUMENTS, where=_IN_GROUPS, written=WRITTEN))
    return statement.bindparams(bindparam("groups", expanding=True))


def _values(groups: Groups, **values: Any) -> dict[str, Any]:
    return values if groups is None else {**values, "groups": sorted(groups)}


def _quoted(words: Sequence[str]) -> str:
    """Return ``words`` as a phrase of FTS5's query language; they hold letters, digits, `_` and `#` only."""
    return '"' + " ".join(words) + '"'
