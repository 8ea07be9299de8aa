"""Where on the page the evidence of a mined term stands."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contracts.text import Chunk, Span
    from jargon_db.values import Evidence
    from library.store import LibraryStore
    from serving.dictionary.base import PlacedEvidence

_MOST_WORDS = 200


class StoredEvidencePlaces:
    """Finds the sentences that define a term in the documents of a library. Blocking."""

    def __init__(self, library: "LibraryStore") -> None:
        self._library = library

    def place(
        self, evidence: "Sequence[Evidence]", *, groups: frozenset[str] | None = None
    ) -> "tuple[PlacedEvidence, ...]":
        """Return each of ``evidence`` with its document's id and the boxes of its sentence, as far as it is found.

        A document that changed since, or that is in none of ``groups`` (None: all are looked at), has neither.
        """
        from agent.composing import boxes_of
        from serving.dictionary.base import PlacedEvidence

        placed = []
        for each in evidence:
            passages = self._library.page_passages(each.document, each.page, groups=groups)
            found = _first_with(each.sentence, passages)
            if found is None:
                # The page can be shown all the same, if it is clear of which document it is.
                owners = {passage.document_id for passage in passages}
                placed.append(PlacedEvidence(evidence=each, document_id=owners.pop() if len(owners) == 1 else ""))
                continue
            passage, span = found
            boxes = tuple(box for box in boxes_of(passage, [span]) if box.page == each.page)
            placed.append(PlacedEvidence(evidence=each, document_id=passage.document_id, boxes=boxes))
        return tuple(placed)


def _first_with(sentence: str, passages: "Sequence[Chunk]") -> "tuple[Chunk, Span] | None":
    from contracts.text import Span

    # What mines a term writes its sentence in one line; where the passage breaks lines is another matter.
    words = sentence.rstrip("…").split()[:_MOST_WORDS]
    if not words:
        return None
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    for passage in passages:
        if found := pattern.search(passage.text):
            return passage, Span(*found.span())
    return None
