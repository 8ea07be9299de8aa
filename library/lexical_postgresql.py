"""The lexical index on PostgreSQL: text search vectors of the same words as in FTS5, ranked by BM25."""

import math
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, insert, select, text

from library.lexical_engine import MOST_LOOKED_AT, WRITTEN, DocumentIds, Groups, like_pattern, written_text
from library.tables import chunk_lexemes, chunks
from library.tokenization import stem

# Limits of PostgreSQL 12 to 17: the greatest position, the bytes of a lexeme (2 046) and of a vector (1 048 575).
_MAX_POSITION = 16_383
_MAX_WORD_CHARACTERS = 250
_MAX_VECTOR_BYTES = 1_000_000

_FREQUENCIES = """
    SELECT asked.word, count(*) FROM unnest(CAST(:words AS text[])) AS asked (word)
    JOIN chunk_lexemes ON chunk_lexemes.stems @@ CAST('''' || asked.word || '''' AS tsquery) GROUP BY asked.word"""

_CORPUS = "SELECT count(*), coalesce(avg(length), 0) FROM chunk_lexemes"

# Source: Robertson and Zaragoza 2009, with FTS5's parameters and minimum of the inverse document frequency, so that
# scores are comparable on both databases.
_SEARCH = """
    SELECT chunks.id, sum(asked.weight * cardinality(word.positions) * 2.2
        / (cardinality(word.positions) + 1.2 * (0.25 + 0.75 * found.length / :mean_length))) AS score
    FROM chunk_lexemes AS found CROSS JOIN LATERAL unnest(found.stems) AS word
    JOIN unnest(CAST(:words AS text[]), CAST(:weights AS float8[])) AS asked (word, weight) ON asked.word = word.lexeme
    JOIN chunks ON chunks.number = found.number JOIN documents ON documents.id = chunks.document_id
    WHERE found.stems @@ CAST(:query AS tsquery) AND (:all_groups OR documents.access_group = ANY(:groups))
    AND (:all_documents OR documents.id = ANY(:documents))
    GROUP BY chunks.id ORDER BY score DESC, chunks.id LIMIT :top_k"""
_LEAST_WEIGHT = 1e-6

_WITH_PHRASE = """
    FROM chunk_lexemes JOIN chunks ON chunks.number = chunk_lexemes.number
    JOIN documents ON documents.id = chunks.document_id
    WHERE chunk_lexemes.terms @@ CAST(:query AS tsquery) AND (:all_groups OR documents.access_group = ANY(:groups))"""

_PASSAGES = """
    WITH found AS (
        SELECT chunks.number, row_number() OVER (PARTITION BY chunks.document_id ORDER BY chunks.number) AS turn
        FROM chunk_lexemes JOIN chunks ON chunks.number = chunk_lexemes.number
        JOIN documents ON documents.id = chunks.document_id
        WHERE chunk_lexemes.{column} @@ CAST(:query AS tsquery) AND chunk_lexemes.number % :step = 0
        AND chunks.kind = 'passage'
        AND (:all_groups OR documents.access_group = ANY(:groups)) {where}
        ORDER BY turn, chunks.number LIMIT :limit)
    SELECT chunks.id, documents.id, documents.name, chunks.text FROM found
    JOIN chunks ON chunks.number = found.number JOIN documents ON documents.id = chunks.document_id
    ORDER BY found.turn, found.number"""


class PostgresqlLexicalEngine:
    """Full-text search with PostgreSQL's text search vectors."""

    def index(self, connection: Connection, document_id: str) -> None:
        query = select(chunks.c.number, chunks.c.words)
        stored = connection.execute(query.where(chunks.c.document_id == document_id, chunks.c.words.is_not(None)))
        rows = [lexemes_of(row.number, row.words.split()) for row in stored]
        if rows:
            connection.execute(insert(chunk_lexemes), rows)

    def search(
        self, connection: Connection, words: Sequence[str], top_k: int, groups: Groups, documents: DocumentIds
    ) -> list[tuple[str, float]]:
        stems = list(dict.fromkeys(stem(word[:_MAX_WORD_CHARACTERS]) for word in words))
        size, mean_length = connection.execute(text(_CORPUS)).one()
        frequencies = {row[0]: row[1] for row in connection.execute(text(_FREQUENCIES), {"words": stems})}
        weights = {
            word: max(math.log((size - count + 0.5) / (count + 0.5)), _LEAST_WEIGHT)
            for word, count in frequencies.items()
        }
        # A word in most chunks has no weight but would match nearly all of them: the rarer words select the chunks, and
        # all words only if these are too few.
        telling = [word for word, weight in weights.items() if weight > _LEAST_WEIGHT]
        found: list[tuple[str, float]] = []
        for choosing in (telling, list(weights)):
            if choosing and len(found) < top_k and not (found and choosing == telling):
                values = _values(groups, query=_joined(choosing, "|"), top_k=top_k, mean_length=float(mean_length))
                values |= {"words": list(weights), "weights": list(weights.values())}
                values |= {"all_documents": documents is None, "documents": sorted(documents or ())}
                found = [(row[0], float(row[1])) for row in connection.execute(text(_SEARCH), values)]
        return found

    def count(self, connection: Connection, words: Sequence[str], verbatim: str | None, groups: Groups) -> int:
        values = _values(groups, query=_joined(words, "<->"))
        statement = f"SELECT count(*) {_WITH_PHRASE} AND chunks.kind = 'passage'"
        if verbatim is not None:
            statement += r" AND chunks.text ILIKE :pattern ESCAPE '\'"
            values["pattern"] = like_pattern(verbatim)
        return int(connection.execute(text(statement), values).scalar_one())

    def passages(
        self, connection: Connection, words: Sequence[str], written: str | None, limit: int, groups: Groups
    ) -> list[tuple[str, str, str, str]]:
        column = "stems" if written is None else "terms"
        asked = [stem(word[:_MAX_WORD_CHARACTERS]) for word in words] if written is None else words
        query = _joined(asked, "<->")
        matching = text(f"SELECT count(*) FROM chunk_lexemes WHERE {column} @@ CAST(:query AS tsquery)")
        count = connection.execute(matching, {"query": query}).scalar_one()
        values = _values(groups, query=query, limit=limit, step=1 + count // MOST_LOOKED_AT)
        where = ""
        if written is not None:
            where = "AND strpos(chunks.text, :written) > 0"
            values["written"] = written
        statement = _PASSAGES.format(column=column, where=where)
        return [(row[0], row[1], row[2], row[3]) for row in connection.execute(text(statement), values)]

    def vocabulary(self, connection: Connection, limit: int) -> dict[str, int]:
        counted = "SELECT word, ndoc FROM ts_stat('SELECT terms FROM chunk_lexemes')"
        statement = text(f"{counted} ORDER BY ndoc DESC, word LIMIT :limit")
        rows = connection.execute(statement, {"limit": limit})
        return {row[0]: int(row[1]) for row in rows}

    def texts_with(self, connection: Connection, word: str, limit: int, groups: Groups) -> list[str]:
        statement = f"SELECT {WRITTEN} {_WITH_PHRASE} ORDER BY chunks.number LIMIT :limit"
        values = _values(groups, query=_joined([word], "|"), limit=limit)
        return [written_text(row) for row in connection.execute(text(statement), values)]


def _values(groups: Groups, **values: Any) -> dict[str, Any]:
    return {**values, "all_groups": groups is None, "groups": sorted(groups or ())}


def _joined(words: Sequence[str], operator: str) -> str:
    """Return a tsquery of ``words``, which hold letters, digits, `_` and `#` only."""
    return f" {operator} ".join(f"'{word[:_MAX_WORD_CHARACTERS]}'" for word in words)


def lexemes_of(number: int, words: Sequence[str]) -> dict[str, Any]:
    """Return the index row of the chunk with this number."""
    shortened = [word[:_MAX_WORD_CHARACTERS] for word in words[:_MAX_POSITION]]
    return {
        "number": number,
        "length": len(words),
        "stems": _vector([stem(word) for word in shortened]),
        "terms": _vector(shortened),
    }


def _vector(words: Sequence[str]) -> str:
    positions: dict[str, list[int]] = {}
    for position, word in enumerate(words, start=1):
        positions.setdefault(word, []).append(position)
    parts: list[str] = []
    size = 0
    for word, places in positions.items():
        part = f"'{word}':{','.join(map(str, places))}"
        size += len(part.encode())
        if size > _MAX_VECTOR_BYTES:
            break
        parts.append(part)
    return " ".join(parts)
