"""A citation finder that aligns answer sentences with passage sentences: words and numbers first, meaning second."""

import asyncio
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import CitationLink, CitationVerdict
from intrinsics.citation.calibration import CitationThresholds, stored_thresholds
from intrinsics.citation.claims import Claim, WordMatch, as_links, match_words, missing_numbers, read_claim
from tools.embedding.base import Embedder
from tools.reading import Statement, read_statements, read_words
from tools.reading.concepts import coverage

_SHORTLIST = 8

# Statements with how well their words carry a claim, the best first.
_Shortlist = list[tuple[Statement, WordMatch]]


class EmbeddedCitationFinder:
    """Links each answer sentence to the one or two passage sentences it rests on; a table's row brings its header."""

    def __init__(self, embedder: Embedder, thresholds: CitationThresholds | None = None) -> None:
        self._embedder = embedder
        self._thresholds = thresholds or stored_thresholds()

    async def find(
        self, sentences: Sequence[str], passages: Sequence[Passage], *, question: str = ""
    ) -> CitationVerdict:
        """Link each answer sentence to the passage sentences it rests on; a sentence without evidence gets no link."""
        started = time.perf_counter()
        claims, shortlists = await asyncio.to_thread(_shortlists, tuple(sentences), tuple(passages))
        links: list[CitationLink] = []
        if claims:
            cosines = await self._cosines(claims, shortlists)
            links = await asyncio.to_thread(self._linked, claims, shortlists, cosines)
        return CitationVerdict(
            links=tuple(links),
            provenance=Provenance(
                implementation="embedded",
                model=self._embedder.name,
                milliseconds=(time.perf_counter() - started) * 1_000,
            ),
        )

    def _linked(
        self,
        claims: Sequence[Claim],
        shortlists: Sequence[_Shortlist],
        cosines: Sequence[NDArray[np.float32]],
    ) -> list[CitationLink]:
        rows = zip(claims, shortlists, cosines, strict=True)
        return [link for claim, shortlist, row in rows for link in self._links(claim, shortlist, row)]

    async def _cosines(self, claims: Sequence[Claim], shortlists: Sequence[_Shortlist]) -> list[NDArray[np.float32]]:
        texts = list(dict.fromkeys(each.text for shortlist in shortlists for each, _ in shortlist))
        places = {text: number for number, text in enumerate(texts)}
        vectors = await self._embedder.embed_documents([*texts, *(claim.text for claim in claims)])
        return [
            vectors[[places[each.text] for each, _ in shortlist]] @ vectors[len(texts) + number]
            for number, shortlist in enumerate(shortlists)
        ]

    def _links(self, claim: Claim, shortlist: _Shortlist, cosines: NDArray[np.float32]) -> list[CitationLink]:
        """Take the best statement, and a second one where it holds what the first lacks of the claim."""
        limits = self._thresholds
        scores = [
            match.score(float(cosine), limits.cosine_weight)
            for (_, match), cosine in zip(shortlist, cosines, strict=True)
        ]
        order = sorted(range(len(shortlist)), key=lambda n: (-scores[n], shortlist[n][0].passage))
        if not order or scores[order[0]] < limits.first:
            return []
        best = shortlist[order[0]][0]
        chosen = [(best, scores[order[0]])]
        held = best.text
        for n in order[1:]:
            if len(chosen) == 2 or scores[n] < limits.second:
                break
            other = shortlist[n][0]
            gain = coverage(claim.concepts, read_words(f"{held} {other.text}")) - coverage(
                claim.concepts, read_words(held)
            )
            if gain >= limits.gain or missing_numbers(claim, held) - missing_numbers(claim, f"{held} {other.text}"):
                chosen.append((other, scores[n]))
                held = f"{held} {other.text}"
        return as_links(claim, chosen)


def _shortlists(sentences: tuple[str, ...], passages: tuple[Passage, ...]) -> tuple[list[Claim], list[_Shortlist]]:
    """Return the sentences that claim something, and the statements to hold each against; none where there are none."""
    statements = [each for index, passage in enumerate(passages) for each in read_statements(passage, index)]
    claims = [claim for number, text in enumerate(sentences) if (claim := read_claim(number, text)) is not None]
    if not statements:
        return [], []
    return claims, [_shortlist(claim, statements) for claim in claims]


def _shortlist(claim: Claim, statements: Sequence[Statement]) -> _Shortlist:
    """Keep the statements that share most with the claim: only these are embedded."""
    matched = [(each, match_words(claim, each)) for each in statements]
    return sorted(matched, key=lambda pair: pair[1].score(0.0, 0.0) - 0.001 * pair[0].passage, reverse=True)[
        :_SHORTLIST
    ]
