"""Candidates: the triples of each source that lie nearest to a claim."""

from collections.abc import Mapping, Sequence

import numpy as np

from contracts.triples import CandidateTriple, ClaimCandidates, Triple, TripleSource
from tools.embedding.base import Embedder, Matrix

# How many of each source a claim is held against: seven in all.
# Source: TRIFEX, section 3.3.
NEAREST: Mapping[TripleSource, int] = {"user": 2, "context": 2, "reference": 3}


async def find_candidates(
    claims: Sequence[Triple], sources: Mapping[TripleSource, Sequence[Triple]], embedder: Embedder
) -> tuple[ClaimCandidates, ...]:
    """Return each claim with the nearest triples of each source by cosine, nearest first; a small source gives all.

    Every text is embedded once, all in one call. Of equal cosines the triple that stands first in its source wins.
    """
    named = [(name, triple) for name in NEAREST for triple in sources.get(name, ())]
    if not claims:
        return ()
    if not named:
        return tuple(ClaimCandidates(claim=claim, candidates=()) for claim in claims)
    texts = list(dict.fromkeys([*(claim.text for claim in claims), *(triple.text for _, triple in named)]))
    place = {text: row for row, text in enumerate(texts)}
    vectors = await embedder.embed_documents(texts)
    of_claims = vectors[[place[claim.text] for claim in claims]]
    chosen: list[list[CandidateTriple]] = [[] for _ in claims]
    for name in NEAREST:
        triples = [triple for source, triple in named if source == name]
        if triples:
            _add_nearest(chosen, of_claims, vectors[[place[triple.text] for triple in triples]], name, triples)
    return tuple(
        ClaimCandidates(claim=claim, candidates=tuple(found)) for claim, found in zip(claims, chosen, strict=True)
    )


def _add_nearest(
    chosen: Sequence[list[CandidateTriple]],
    claims: Matrix,
    vectors: Matrix,
    name: TripleSource,
    triples: Sequence[Triple],
) -> None:
    # Equal texts have equal vectors, and rounding must not part them.
    cosines = np.round(claims.astype(np.float64) @ vectors.astype(np.float64).T, 9)
    order = np.argsort(-cosines, axis=1, kind="stable")[:, : NEAREST[name]]
    for found, row in zip(chosen, order.tolist(), strict=True):
        found.extend(CandidateTriple(source=name, rank=rank, triple=triples[at]) for rank, at in enumerate(row))
