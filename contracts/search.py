"""Search results and limits of searches. The results are tuples, because a search creates hundreds of them."""

from typing import NamedTuple

# Document groups and document ids that are searched; None: all.
Groups = frozenset[str] | None
DocumentIds = frozenset[str] | None


class Hit(NamedTuple):
    """A chunk that a search found; ``score`` (higher is better) is a cosine (vector index) or BM25 (lexical index)."""

    chunk_id: str
    score: float


class PhraseUse(NamedTuple):
    """A passage chunk that contains a phrase, and its document."""

    chunk_id: str
    document_id: str
    document_name: str
    text: str
