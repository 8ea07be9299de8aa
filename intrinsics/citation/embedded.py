"""A citation finder that aligns answer sentences with passage sentences: words and numbers first, meaning second."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import CitationLink, CitationVerdict
from intrinsics.citation.calibration import CitationThresholds, stored_thresholds
from tools.embedding.base import Embedder
from tools.language import find_quantities, fold
from tools.reading import Concept, Statement, question_concepts, read_statements, read_words
from tools.reading.concepts import coverage

_MARKER = re.compile(r"\s*\[\d+(?:\s*,\s*\d+)*\]")
_LEADING = re.compile(r"^\s*(?:(?:yes|no)\s*[:.,–-]\s*|[-*•]\s+|\(?(?:\d{1,2}|[A-Ha-h])[.)]\s+)", re.IGNORECASE)
_NO_CLAIM = re.compile(
    r"\b(?:passages?|documents?|sources?|texts?)\b.{0,40}\b(?:do(?:es)? not|don['’]t|doesn['’]t|not)\s+"
    r"(?:\w+\s+)?(?:hold|contain|mention|say|state|provide|include|answer|specify)|"
    r"^(?:i (?:do not|don['’]t|cannot|can['’]t)|sorry|unfortunately)\b",
    re.IGNORECASE,
)
_SHORTLIST = 8


@dataclass(frozen=True, slots=True)
class _Claim:
    """An answer sentence prepared for comparison."""

    number: int
    text: str
    concepts: tuple[Concept, ...]
    numbers: frozenset[str]


class EmbeddedCitationFinder:
    """Links each answer sentence to the one or two passage sentences it rests on; a table's row brings its header."""

    def __init__(self, embedder: Embedder, thresholds: CitationThresholds | None = None) -> None:
        self._embedder = embedder
        self._thresholds = thresholds or stored_thresholds()

    async def find(self, sentences: Sequence[str], passages: Sequence[Passage]) -> CitationVerdict:
        """Link each answer sentence to the passage sentences it rests on; a sentence without evidence gets no link."""
        started = time.perf_counter()
        statements = [each for index, passage in enumerate(passages) for each in read_statements(passage, index)]
        claims = [claim for number, text in enumerate(sentences) if (claim := read_claim(number, text)) is not None]
        links: list[CitationLink] = []
        if claims and statements:
            shortlists = [_shortlist(claim, statements) for claim in claims]
            cosines = await self._cosines(claims, shortlists)
            for claim, shortlist, row in zip(claims, shortlists, cosines, strict=True):
                links.extend(self._links(claim, shortlist, row))
        return CitationVerdict(
            links=tuple(links),
            provenance=Provenance(
                implementation="embedded",
                model=self._embedder.name,
                milliseconds=(time.perf_counter() - started) * 1_000,
            ),
        )

    async def _cosines(
        self, claims: Sequence[_Claim], shortlists: Sequence[Sequence[Statement]]
    ) -> list[NDArray[np.float32]]:
        texts = list(dict.fromkeys(each.text for shortlist in shortlists for each in shortlist))
        places = {text: number for number, text in enumerate(texts)}
        vectors = await self._embedder.embed_documents([*texts, *(claim.text for claim in claims)])
        return [
            vectors[[places[each.text] for each in shortlist]] @ vectors[len(texts) + number]
            for number, shortlist in enumerate(shortlists)
        ]

    def _links(self, claim: _Claim, shortlist: Sequence[Statement], cosines: NDArray[np.float32]) -> list[CitationLink]:
        """Take the best statement, and a second one where it holds what the first lacks of the claim."""
        limits = self._thresholds
        scores = [
            evidence_score(claim, each, float(cosine), limits.cosine_weight)
            for each, cosine in zip(shortlist, cosines, strict=True)
        ]
        order = sorted(range(len(shortlist)), key=lambda n: (-scores[n], shortlist[n].passage))
        if not order or scores[order[0]] < limits.first:
            return []
        best = shortlist[order[0]]
        chosen = [(best, scores[order[0]])]
        held = best.text
        for n in order[1:]:
            if len(chosen) == 2 or scores[n] < limits.second:
                break
            other = shortlist[n]
            gain = coverage(claim.concepts, read_words(f"{held} {other.text}")) - coverage(
                claim.concepts, read_words(held)
            )
            if gain >= limits.gain or _missing_numbers(claim, held) - _missing_numbers(claim, f"{held} {other.text}"):
                chosen.append((other, scores[n]))
                held = f"{held} {other.text}"
        return _as_links(claim, chosen)


def read_claim(number: int, text: str) -> _Claim | None:
    """Prepare answer sentence ``number``; None where it claims nothing: a bare yes, a question, a refusal."""
    plain = _LEADING.sub("", _MARKER.sub("", text)).strip()
    concepts = question_concepts(plain)
    numbers = frozenset(quantity.number for quantity in find_quantities(plain))
    if plain.endswith("?") or _NO_CLAIM.search(plain) or (len(concepts) < 2 and not numbers):
        return None
    return _Claim(number=number, text=plain, concepts=concepts, numbers=numbers)


def evidence_score(claim: _Claim, statement: Statement, cosine: float, cosine_weight: float) -> float:
    """Score in [0, 1] how well a statement carries a claim: 1 where it says it word for word.

    Else the weighted share of the claim's words (those in the heading count half), with the cosine; a number of the
    claim that the statement does not have halves it.
    """
    said, claimed = _plain(statement.text), _plain(claim.text)
    if claimed in said:
        return 1.0
    words = read_words(statement.text)
    share = coverage(claim.concepts, words)
    if len(words.order) >= 4 and said in claimed:
        return max(0.9, share)
    placed = coverage(claim.concepts, read_words(f"{statement.place} {statement.before} {statement.text}"))
    lexical = share + 0.5 * (placed - share)
    score = (1.0 - cosine_weight) * lexical + cosine_weight * max(cosine, 0.0)
    if claim.numbers:
        missing = _missing_numbers(claim, f"{statement.place} {statement.text}")
        score *= 0.5 ** (missing / len(claim.numbers))
    return min(score, 0.99)


def _shortlist(claim: _Claim, statements: Sequence[Statement]) -> list[Statement]:
    """Keep the statements that share most with the claim: only these are embedded."""

    def lexical(statement: Statement) -> float:
        return evidence_score(claim, statement, 0.0, 0.0) - 0.001 * statement.passage

    return sorted(statements, key=lexical, reverse=True)[:_SHORTLIST]


def _missing_numbers(claim: _Claim, text: str) -> int:
    return len(claim.numbers - {quantity.number for quantity in find_quantities(text)})


def _as_links(claim: _Claim, chosen: Sequence[tuple[Statement, float]]) -> list[CitationLink]:
    """Make one link a passage, best first, its sentences in order; a row's header line goes with it."""
    by_passage: dict[int, tuple[set[int], float]] = {}
    for statement, score in chosen:
        held, best = by_passage.get(statement.passage, (set(), 0.0))
        by_passage[statement.passage] = (held | {*statement.header, *statement.sentences}, max(best, score))
    return [
        CitationLink(
            sentence=claim.number, passage=passage, passage_sentences=tuple(sorted(held)), score=round(score, 4)
        )
        for passage, (held, score) in by_passage.items()
    ]


def _plain(text: str) -> str:
    return fold(re.sub(r"[^\w%°+.-]+", " ", text)).rstrip(". ")
