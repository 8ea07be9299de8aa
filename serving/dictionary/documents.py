"""The dictionary and the documents: similar spellings, and where evidence is."""

import re
from collections.abc import Mapping, Sequence

from agent.composing import boxes_of
from contracts.dictionary import Evidence, PlacedEvidence
from contracts.text import Chunk, Span
from jargon_db.reader import JargonReader
from library.lexical_search import SqlLexicalSearch
from library.store import LibraryStore
from tools.jargon.spelling import nearest_spellings

_MOST_WORDS = 200


def near_spellings(
    store: JargonReader,
    library: LibraryStore,
    terms: Sequence[str],
    limit: int,
    *,
    groups: frozenset[str] | None = None,
) -> Mapping[str, tuple[str, ...]]:
    """Return spellings similar to each of ``terms``: at most ``limit`` from the dictionary first, then from the
    documents of ``groups`` (None: all).
    """
    listed, written = store.vocabulary().terms, SqlLexicalSearch(library.engine)
    return {
        term: tuple(
            dict.fromkeys(
                [*nearest_spellings(term, listed, limit), *written.near_spellings(term, limit, groups=groups)]
            )
        )
        for term in terms
    }


def place_evidence(
    library: LibraryStore, evidence: Sequence[Evidence], *, groups: frozenset[str] | None = None
) -> tuple[PlacedEvidence, ...]:
    """Return each of ``evidence`` with its document's id and the boxes of its sentence, as far as it is found.

    A document that has changed since, or is in none of ``groups`` (None: all), gets neither.
    """
    placed = []
    for each in evidence:
        passages = library.page_passages(each.document, each.page, groups=groups)
        found = _first_with(each.sentence, passages)
        if found is None:
            # The page can still be shown if all its passages belong to one document.
            owners = {passage.document_id for passage in passages}
            placed.append(PlacedEvidence(**dict(each), document_id=owners.pop() if len(owners) == 1 else ""))
            continue
        passage, span = found
        boxes = tuple(box for box in boxes_of(passage, [span]) if box.page == each.page)
        placed.append(PlacedEvidence(**dict(each), document_id=passage.document_id, boxes=boxes))
    return tuple(placed)


def _first_with(sentence: str, passages: Sequence[Chunk]) -> tuple[Chunk, Span] | None:
    # Term mining writes a sentence on one line, while the passage may break it.
    words = sentence.rstrip("…").split()[:_MOST_WORDS]
    if not words:
        return None
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    for passage in passages:
        if found := pattern.search(passage.text):
            return passage, Span(*found.span())
    return None
