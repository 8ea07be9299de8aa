"""What searches find, and within which limits. Tuples, because each search makes some hundreds of them."""

from typing import NamedTuple

# Document groups and ids of documents; None: all.
Groups = frozenset[str] | None
DocumentIds = frozenset[str] | None


class Hit(NamedTuple):
    """A chunk that a search found; ``score`` is a cosine (vector index) or BM25 (lexical), higher is better."""

    chunk_id: str
    score: float


class PhraseUse(NamedTuple):
    """A passage chunk that contains a phrase, and its document."""

    chunk_id: str
    document_id: str
    document_name: str
    text: str
