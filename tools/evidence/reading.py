"""Reading: a question held against passages, once, as arrays that every judgement takes its features from."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from contracts.jargon import Reading
from contracts.text import Passage
from tools.embedding.base import Embedder, TokenEmbeddings
from tools.evidence.answer_types import candidate_strength
from tools.evidence.matching import Scores, has_sibling
from tools.evidence.mentions import read_mentions
from tools.evidence.question import QuestionProfile, profile_question
from tools.evidence.units import EvidenceUnit, evidence_units

# Units are embedded by their tokens in windows of about this many characters, so that each is seen in its surroundings
# and none is cut off at the model's limit.
_WINDOW_CHARACTERS = 700


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A question held against the units of its passages.

    Shapes: ``weights`` (terms,); ``literal`` and ``soft`` (terms, units) in [0, 1]: how surely a unit says a term by
    its words, and by its nearest token; ``headed`` (terms, passages): what the title and headings say; ``cosine``
    and ``typed`` (units,), the latter whether a candidate of the asked type is there;
    ``passage_cosine`` and ``conflict`` (passages,); ``owner`` (units,): each unit's passage.
    """

    profile: QuestionProfile
    passages: tuple[Passage, ...]
    units: tuple[EvidenceUnit, ...]
    owner: NDArray[np.int64]
    weights: Scores
    literal: Scores
    soft: Scores
    headed: Scores
    cosine: Scores
    passage_cosine: Scores
    typed: Scores
    conflict: Scores

    def units_of(self, passage: int) -> NDArray[np.int64]:
        """Return the indexes of the units of ``passage``."""
        return np.flatnonzero(self.owner == passage)


def texts_read(passage: Passage) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the texts of ``passage`` whose vectors are needed to hold it against any question.

    First those that are embedded whole, then those that are embedded by their tokens.
    """
    units = evidence_units([passage])
    return tuple(unit.reading for unit in units), tuple(_window_texts(units, _windows(units)))


class EvidenceReader:
    """Holds questions against passages; what it computes runs in a thread, beside the event loop."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def read(
        self, question: str, passages: Sequence[Passage], *, also: str = "", readings: Sequence[Reading] = ()
    ) -> Evidence:
        """Hold ``question`` against ``passages``; ``also`` is another wording of it for the cosines."""
        asked = await asyncio.to_thread(_prepared, question, tuple(passages), also, tuple(readings))
        queries = await self._embedder.embed_queries(asked.wordings)
        vectors = await self._embedder.embed_documents([unit.reading for unit in asked.units])
        tokens = (await self._embedder.embed_tokens([asked.profile.text]))[0]
        in_windows = await self._embedder.embed_tokens(asked.texts)
        return await asyncio.to_thread(_held, asked, queries, vectors, tokens, in_windows)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What is known before any vector is: the question's profile, and the passages in units and windows of these."""

    question: str
    profile: QuestionProfile
    passages: tuple[Passage, ...]
    units: tuple[EvidenceUnit, ...]
    wordings: tuple[str, ...]
    windows: tuple[tuple[int, ...], ...]
    texts: tuple[str, ...]


def _prepared(question: str, passages: tuple[Passage, ...], also: str, readings: tuple[Reading, ...]) -> _Asked:
    units = evidence_units(passages)
    windows = _windows(units)
    return _Asked(
        question=question,
        profile=profile_question(question, readings),
        passages=passages,
        units=units,
        wordings=tuple(dict.fromkeys(text for text in (question, also) if text.strip())),
        windows=tuple(tuple(window) for window in windows),
        texts=tuple(_window_texts(units, windows)),
    )


def _held(
    asked: _Asked,
    queries: NDArray[np.float32],
    vectors: NDArray[np.float32],
    tokens: TokenEmbeddings,
    in_windows: Sequence[TokenEmbeddings],
) -> Evidence:
    profile, units = asked.profile, asked.units
    owner = np.array([unit.passage for unit in units], dtype=np.int64)
    cosine = (vectors @ queries.T).max(axis=1, initial=-1.0) if asked.wordings else np.zeros(len(units))
    soft, passage_vectors = _late_interaction(asked, tokens, in_windows, queries.shape[1])
    passage_cosine = (passage_vectors @ queries.T).max(axis=1, initial=-1.0)
    mentions = read_mentions(profile, asked.passages, units)
    return Evidence(
        profile=profile,
        passages=asked.passages,
        units=units,
        owner=owner,
        weights=np.array([term.weight for term in profile.terms]),
        literal=mentions.literal,
        soft=soft,
        headed=mentions.headed,
        cosine=np.asarray(cosine, dtype=np.float64),
        passage_cosine=np.asarray(passage_cosine, dtype=np.float64),
        typed=np.array(
            [candidate_strength(profile.kind, profile.dimensions, asked.question, unit.reading) for unit in units]
        ),
        conflict=_conflicts(profile, mentions.bags, owner, mentions.heads),
    )


def _late_interaction(
    asked: _Asked, question: TokenEmbeddings, in_windows: Sequence[TokenEmbeddings], dimensions: int
) -> tuple[Scores, NDArray[np.float32]]:
    """Return the soft matches (terms, units) and one vector a passage, the mean of its tokens."""
    profile, units = asked.profile, asked.units
    soft = np.zeros((len(profile.terms), len(units)))
    vectors = np.zeros((len(asked.passages), dimensions), dtype=np.float32)
    for window, tokens in zip(asked.windows, in_windows, strict=True):
        if not len(tokens.vectors):
            continue
        vectors[units[window[0]].passage] += tokens.vectors.sum(axis=0)
        similarity = question.vectors @ tokens.vectors.T
        _fill(soft, profile, question, similarity, tokens, window, units)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return soft, vectors / np.maximum(lengths, 1e-9)


def _fill(
    soft: Scores,
    profile: QuestionProfile,
    asked: TokenEmbeddings,
    similarity: NDArray[np.float32],
    tokens: TokenEmbeddings,
    window: Sequence[int],
    units: Sequence[EvidenceUnit],
) -> None:
    starts = np.array([span.start for span in tokens.spans])
    columns: list[int] = []
    nearest: list[NDArray[np.float32]] = []
    position = 0
    for index in window:
        end = position + len(units[index].reading)
        here = (starts >= position) & (starts < end)
        if here.any():
            columns.append(index)
            nearest.append(similarity[:, here].max(axis=1))
        position = end + 1
    if not columns:
        return
    likeness = np.array(nearest)
    for row, term in enumerate(profile.terms):
        # Vectors hardly tell DDR4 from DDR5: codes, numbers and abbreviations must be said literally.
        if term.literal:
            continue
        rows = [at for at, span in enumerate(asked.spans) if span.start < term.end and term.start < span.end]
        if rows:
            soft[row, columns] = np.maximum(0.0, np.ascontiguousarray(likeness[:, rows]).mean(axis=1))


def _windows(units: Sequence[EvidenceUnit]) -> list[list[int]]:
    windows: list[list[int]] = []
    length = 0
    for index, unit in enumerate(units):
        fits = length + len(unit.reading) <= _WINDOW_CHARACTERS
        if windows and fits and units[windows[-1][0]].passage == unit.passage:
            windows[-1].append(index)
            length += len(unit.reading) + 1
        else:
            windows.append([index])
            length = len(unit.reading) + 1
    return windows


def _window_texts(units: Sequence[EvidenceUnit], windows: Sequence[Sequence[int]]) -> list[str]:
    return ["\n".join(units[index].reading for index in window) for window in windows]


def _conflicts(
    profile: QuestionProfile, bags: Sequence[frozenset[str]], owner: NDArray[np.int64], heads: Sequence[frozenset[str]]
) -> Scores:
    """Say for each passage which share of the question's codes it lacks while it holds a sibling of them."""
    codes = [term for term in profile.terms if term.literal and any(c.isdigit() for c in term.text)]
    conflicts = np.zeros(len(heads))
    if not codes:
        return conflicts
    for passage, head in enumerate(heads):
        bag = head.union(*(bags[index] for index in np.flatnonzero(owner == passage).tolist()))
        clashing = [
            term
            for term in codes
            if not any(wanted <= bag for wanted in term.alternatives) and has_sibling(term.text, bag)
        ]
        conflicts[passage] = len(clashing) / len(codes)
    return conflicts
