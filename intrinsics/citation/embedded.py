"""A citation finder that compares answer sentences with passage sentences, first by words, then also by meaning."""

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from contracts.text import Passage
from contracts.verdicts import CitationLink, CitationVerdict
from intrinsics.citation.claims import Claim, Source, WordMatch, as_links, missing_numbers, read_claim, read_source
from tools.embedding.base import Embedder
from tools.judges import provenance_since
from tools.reading.concepts import coverage, read_words
from tools.reading.statements import Statement, read_statements
from tools.verbatim import find_verbatim


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationThresholds:
    """The thresholds, all in [0, 1], for counting passage sentences as evidence.

    The best sentence needs the score ``first``. A second sentence needs the score ``second``, and an additional share
    ``gain`` of the claim's words. ``cosine_weight`` is the weight of the cosine in a score; the rest is for words.
    """

    cosine_weight: float
    first: float
    second: float
    gain: float


@lru_cache(maxsize=1)
def stored_thresholds() -> CitationThresholds:
    """Return the fitted thresholds.

    Source: ``thresholds.json``, which also contains the data set, split and seed.
    """
    stored = json.loads(resources.files("intrinsics.citation").joinpath("thresholds.json").read_text("utf-8"))
    return CitationThresholds(**stored["thresholds"])


_SHORTLIST = 8

# Statements, each with how well its words support a claim, best first.
_Shortlist = list[tuple[Statement, WordMatch]]


class EmbeddedCitationFinder:
    """Links each answer sentence to the one or two passage sentences that support it; table rows include headers."""

    def __init__(self, embedder: Embedder, thresholds: CitationThresholds | None = None) -> None:
        self._embedder = embedder
        self._thresholds = thresholds or stored_thresholds()

    async def find(
        self, sentences: Sequence[str], passages: Sequence[Passage], *, question: str = ""
    ) -> CitationVerdict:
        started = time.perf_counter()
        verbatim = {
            number: place
            for number, sentence in enumerate(sentences)
            if (place := find_verbatim(sentence, passages)) is not None
        }
        links = [_whole(number, place, passages) for number, place in verbatim.items()]
        others = {number: text for number, text in enumerate(sentences) if number not in verbatim}
        claims, shortlists = await asyncio.to_thread(_shortlists, others, tuple(passages))
        if claims:
            # This does not run in a thread, because switching to a thread takes longer.
            for row in zip(claims, shortlists, await self._cosines(claims, shortlists), strict=True):
                links += self._links(*row)
        return CitationVerdict(
            links=tuple(sorted(links, key=lambda link: link.sentence)),
            provenance=provenance_since(started, self._embedder.name),
        )

    async def _cosines(self, claims: Sequence[Claim], shortlists: Sequence[_Shortlist]) -> list[NDArray[np.float32]]:
        texts = list(dict.fromkeys(each.text for shortlist in shortlists for each, _ in shortlist))
        places = {text: number for number, text in enumerate(texts)}
        vectors = await self._embedder.embed_documents([*texts, *(claim.text for claim in claims)])
        return [
            vectors[[places[each.text] for each, _ in shortlist]] @ vectors[len(texts) + number]
            for number, shortlist in enumerate(shortlists)
        ]

    def _links(self, claim: Claim, shortlist: _Shortlist, cosines: NDArray[np.float32]) -> list[CitationLink]:
        """Link the best statement, and a second one if it contains parts of the claim that the first lacks."""
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
        covered = coverage(claim.concepts, read_words(best.text))
        for n in order[1:]:
            # If almost nothing is missing, no other statement can add enough.
            if scores[n] < limits.second or (1.0 - covered < limits.gain and not claim.numbers):
                break
            other = shortlist[n][0]
            gain = coverage(claim.concepts, read_words(f"{best.text} {other.text}")) - covered
            if gain >= limits.gain or _adds_numbers(claim, best.text, other.text):
                chosen.append((other, scores[n]))
                break
        return as_links(claim, chosen)


def _adds_numbers(claim: Claim, held: str, other: str) -> bool:
    """Return whether the second statement contains numbers of the claim that the first lacks."""
    return bool(claim.numbers) and missing_numbers(claim, held) != missing_numbers(claim, f"{held} {other}")


def _whole(number: int, place: tuple[int, tuple[int, ...]], passages: Sequence[Passage]) -> CitationLink:
    """Link a sentence to the place where it occurs word for word; a table row includes its header."""
    passage, sentences = place
    rows = [each for each in read_statements(passages[passage], passage) if set(each.sentences) & set(sentences)]
    held = {*sentences, *(number for row in rows for number in row.header)}
    return CitationLink(sentence=number, passage=passage, passage_sentences=tuple(sorted(held)), score=1.0)


def _shortlists(sentences: Mapping[int, str], passages: tuple[Passage, ...]) -> tuple[list[Claim], list[_Shortlist]]:
    """Return the sentences that make a claim, and the statements to compare each of them with."""
    claims = [claim for number, text in sentences.items() if (claim := read_claim(number, text)) is not None]
    sources = [read_source(read_statements(passage, index)) for index, passage in enumerate(passages)] if claims else []
    if not any(each.statements for each in sources):
        return [], []
    return claims, [_shortlist(claim, sources) for claim in claims]


def _shortlist(claim: Claim, sources: Sequence[Source]) -> _Shortlist:
    """Keep the statements that share the most words with the claim; only these are embedded."""
    matched = [pair for each in sources for pair in zip(each.statements, each.match(claim), strict=True)]
    scores = [match.score(0.0, 0.0) - 0.001 * statement.passage for statement, match in matched]
    best = sorted(range(len(matched)), key=scores.__getitem__, reverse=True)[:_SHORTLIST]
    return [matched[at] for at in best]
