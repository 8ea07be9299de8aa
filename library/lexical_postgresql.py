"""The lexical index on PostgreSQL: text search vectors with the same words as in FTS5, ranked by BM25."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, insert, select, text

from contracts.search import DocumentIds, Groups
from library.lexical_queries import MOST_LOOKED_AT, WRITTEN, choosing_words, like_pattern, written_text
from library.tables import chunk_lexemes, chunks, library_state
from library.tokenization import stem

# Limits of PostgreSQL 12 to 17: the highest position, and the bytes in a lexeme (2,046) and in a vector (1,048,575).
_MAX_POSITION = 16_383
_MAX_WORD_CHARACTERS = 250
_MAX_VECTOR_BYTES = 1_000_000
_ROWS_A_BATCH = 500

_FREQUENCIES = """
    SELECT asked.word, count(chunk_lexemes.number) FROM unnest(CAST(:words AS text[])) AS asked (word)
    LEFT JOIN chunk_lexemes ON chunk_lexemes.stems @@ CAST('''' || asked.word || '''' AS tsquery)
    GROUP BY asked.word"""

_CORPUS = "SELECT count(*), coalesce(avg(length), 0) FROM chunk_lexemes"
# Counting a word reads every chunk that contains it, so each word is counted once for each state of the library. When
# more words than this have been counted, the counts are discarded.
_MOST_COUNTED = 50_000

# Source: Robertson and Zaragoza 2009, with FTS5's parameters and minimum inverse document frequency, so that scores are
# comparable on both databases. Reading the word counts of a chunk takes 20 microseconds, but checking which words it
# contains takes only 2. So all chunks are ranked with each word counted once, then the best are ranked by their counts.
_SEARCH = """
    WITH likely AS (
        SELECT found.number FROM chunk_lexemes AS found {join}
        WHERE found.stems @@ CAST(:query AS tsquery) {where}
        ORDER BY ({present}) / (1 + 1.2 * (0.25 + 0.75 * found.length / :mean_length)) DESC, found.number
        LIMIT :likely)
    SELECT chunks.id, sum(asked.weight * cardinality(word.positions) * 2.2
        / (cardinality(word.positions) + 1.2 * (0.25 + 0.75 * found.length / :mean_length))) AS score
    FROM likely JOIN chunk_lexemes AS found ON found.number = likely.number
    CROSS JOIN LATERAL unnest(found.stems) AS word
    JOIN unnest(CAST(:words AS text[]), CAST(:weights AS float8[])) AS asked (word, weight) ON asked.word = word.lexeme
    JOIN chunks ON chunks.number = found.number
    GROUP BY chunks.id ORDER BY score DESC, chunks.id LIMIT :top_k"""
_PRESENT = "CAST(:weight_{number} AS float8) * CAST(found.stems @@ CAST(:word_{number} AS tsquery) AS int)"
_JOIN = "JOIN chunks ON chunks.number = found.number JOIN documents ON documents.id = chunks.document_id"
# At least this many chunks are ranked, and at least this many times the requested number.
_LEAST_LIKELY = 1_000
_SPARE = 10
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


@dataclass(frozen=True, slots=True)
class _Counted:
    """The counts for one state of the library; ``mean_length`` is in words."""

    version: int
    chunks: int
    mean_length: float
    chunks_with: dict[str, int]


class PostgresqlLexicalEngine:
    """Full-text search with PostgreSQL's text search vectors, with the same methods as for SQLite. Thread-safe."""

    def __init__(self) -> None:
        self._counted = _Counted(-1, 0, 0.0, {})

    def search(
        self, connection: Connection, words: Sequence[str], top_k: int, groups: Groups, documents: DocumentIds
    ) -> list[tuple[str, float]]:
        stems = list(dict.fromkeys(stem(word[:_MAX_WORD_CHARACTERS]) for word in words))
        counted = self._count(connection, stems)
        counts = {word: counted.chunks_with[word] for word in stems if counted.chunks_with.get(word)}
        weights = {
            word: max(math.log((counted.chunks - count + 0.5) / (count + 0.5)), _LEAST_WEIGHT)
            for word, count in counts.items()
        }
        # A word in most chunks has no weight but would match nearly all of them, so the rarer words select the chunks.
        # All words are used only if these chunks are too few.
        telling = {word: counts[word] for word, weight in weights.items() if weight > _LEAST_WEIGHT}
        rare = choosing_words(telling)
        found = _best(connection, rare, weights, counted.mean_length, top_k, groups, documents)
        if len(found) < top_k and len(rare) == len(telling) < len(weights):
            found = _best(connection, list(weights), weights, counted.mean_length, top_k, groups, documents)
        return found

    def _count(self, connection: Connection, words: Sequence[str]) -> "_Counted":
        """Return the number and mean length of the chunks, and the number of chunks that contain each of ``words``."""
        version = int(connection.execute(select(library_state.c.version)).scalar_one())
        counted = self._counted
        if counted.version != version or len(counted.chunks_with) > _MOST_COUNTED:
            size, mean_length = connection.execute(text(_CORPUS)).one()
            counted = self._counted = _Counted(version, int(size), float(mean_length), {})
        new = [word for word in words if word not in counted.chunks_with]
        if new:
            rows = connection.execute(text(_FREQUENCIES), {"words": new})
            counted.chunks_with.update({row[0]: int(row[1]) for row in rows})
        return counted

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


def _best(
    connection: Connection, choosing: Sequence[str], weights: Mapping[str, float], mean_length: float, top_k: int,
    groups: Groups, documents: DocumentIds,
) -> list[tuple[str, float]]:  # fmt: skip
    """Return the best chunks of those that contain any word in ``choosing``, scored by all words in ``weights``."""
    if not choosing:
        return []
    limits = {"documents.access_group = ANY(:groups)": groups, "documents.id = ANY(:documents)": documents}
    where = "".join(f" AND {limit}" for limit, names in limits.items() if names is not None)
    present = " + ".join(_PRESENT.format(number=number) for number in range(len(weights)))
    values: dict[str, Any] = {"groups": sorted(groups or ()), "documents": sorted(documents or ())} if where else {}
    values |= {"query": _joined(choosing, "|"), "mean_length": mean_length, "top_k": top_k}
    values |= {"likely": max(_LEAST_LIKELY, _SPARE * top_k)}
    values |= {"words": list(weights), "weights": list(weights.values())}
    for number, (word, weight) in enumerate(weights.items()):
        values |= {f"word_{number}": _joined([word], "|"), f"weight_{number}": weight}
    # Compiling the statement takes more time than it saves.
    connection.execute(text("SET LOCAL jit = off"))
    statement = _SEARCH.format(join=_JOIN if where else "", where=where, present=present)
    return [(row[0], float(row[1])) for row in connection.execute(text(statement), values)]


def _values(groups: Groups, **values: Any) -> dict[str, Any]:
    return {**values, "all_groups": groups is None, "groups": sorted(groups or ())}


def _joined(words: Sequence[str], operator: str) -> str:
    """Return a tsquery for ``words``, which must contain only letters, digits, `_` and `#`."""
    return f" {operator} ".join(f"'{word[:_MAX_WORD_CHARACTERS]}'" for word in words)


def index_lexemes(
    connection: Connection, where: ColumnElement[bool] | None = None, *, into: Table = chunk_lexemes
) -> None:
    """Write the index rows of the chunks for which ``where`` is true (None: all chunks)."""
    query = select(chunks.c.number, chunks.c.words).where(chunks.c.words.is_not(None))
    query = query if where is None else query.where(where)
    for some in connection.execute(query.execution_options(yield_per=_ROWS_A_BATCH)).partitions():
        connection.execute(insert(into), [_lexemes_of(row.number, row.words.split()) for row in some])


def _lexemes_of(number: int, words: Sequence[str]) -> dict[str, Any]:
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
