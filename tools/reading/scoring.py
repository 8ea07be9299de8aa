"""Scoring: which statements answer a question, by coefficients fitted on questions of people."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contracts.jargon import Reading
from contracts.text import Passage
from tools.embedding.base import Embedder
from tools.reading.concepts import coverage, read_words
from tools.reading.features import FEATURE_NAMES, QuestionView, conflict, statement_features, view_question
from tools.reading.questions import QuestionShape
from tools.reading.statements import Statement, is_pointer, read_statements

# A sentence that only points elsewhere, or announces a list where one value is asked, holds no answer itself.
_POINTER_PENALTY = 2.0
_SINGLE_VALUE_KINDS = frozenset({"quantity", "count", "time", "person"})
# A statement about a sibling code (DDR2 for DDR3) must lose to any about the right one: by more than the fitted scores
# of good statements spread (about 3). No public set of questions has enough such pairs to fit it.
_CONFLICT_PENALTY = 4.0
_COVERAGE = FEATURE_NAMES.index("coverage_with_place")
_ANSWER_TYPES = [n for n, name in enumerate(FEATURE_NAMES) if name.startswith("answer_type")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredStatement:
    """A statement with its score (log-odds up to a constant within one question: comparable there only)."""

    statement: Statement
    score: float
    coverage: float
    answer_type: float
    conflict: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementScorer:
    """Scores statements against questions; ``embedder`` gives the cosines, of ``max_embedded`` candidates at most."""

    embedder: Embedder
    max_embedded: int = 48

    async def score(
        self, shape: QuestionShape, readings: Sequence[Reading], statements: Sequence[Statement]
    ) -> tuple[ScoredStatement, ...]:
        """Score ``statements`` against the question of ``shape``, best first."""
        view = view_question(shape, readings)
        kept = self._shortlist(view, statements)
        if not kept:
            return ()
        query = await self.embedder.embed_queries([_spelt_out(shape.text, readings)])
        vectors = await self.embedder.embed_documents([_placed(each) for each in kept])
        return await asyncio.to_thread(_scored, view, kept, (vectors @ query[0]).astype(np.float32))

    def _shortlist(self, view: QuestionView, statements: Sequence[Statement]) -> list[Statement]:
        if len(statements) <= self.max_embedded:
            return list(statements)
        lexical = np.array(
            [
                coverage(view.concepts, read_words(each.text))
                + 0.5 * coverage(view.concepts, read_words(f"{each.place} {each.before}"))
                + 0.5 / (1 + each.passage)
                for each in statements
            ]
        )
        best = np.argsort(-lexical, kind="stable")[: self.max_embedded]
        return [statements[n] for n in sorted(best.tolist())]


def _scored(view: QuestionView, kept: Sequence[Statement], cosines: NDArray[np.float32]) -> tuple[ScoredStatement, ...]:
    """Score the statements by all that was read of them; best first."""
    features = statement_features(view, kept, cosines)
    conflicts = [conflict(view, each) for each in kept]
    scores = features @ coefficients() - np.array(_handicaps(view, kept, conflicts))
    order = np.argsort(-scores, kind="stable")
    best = zip(kept, scores.tolist(), features[:, _COVERAGE].tolist(), _types(features), conflicts, strict=True)
    found = [
        ScoredStatement(statement=statement, score=score, coverage=share, answer_type=kind, conflict=clash)
        for statement, score, share, kind, clash in best
    ]
    return tuple(found[n] for n in order.tolist())


def texts_scored(passage: Passage) -> tuple[str, ...]:
    """Return the texts of ``passage`` whose vectors are needed to score and to cite its statements."""
    statements = read_statements(passage, 0)
    return tuple(dict.fromkeys(text for each in statements for text in (_placed(each), each.text)))


@lru_cache(maxsize=1)
def coefficients() -> NDArray[np.float64]:
    """Return the fitted weight of each feature, in the order of ``FEATURE_NAMES``.

    Source: ``coefficients.json``, which says on what it was fitted.
    """
    stored: dict[str, Any] = json.loads(
        resources.files("tools.reading").joinpath("coefficients.json").read_text("utf-8")
    )
    return np.array([float(stored["weights"][name]) for name in FEATURE_NAMES])


def _handicaps(view: QuestionView, statements: Sequence[Statement], conflicts: Sequence[bool]) -> list[float]:
    single = view.shape.kind in _SINGLE_VALUE_KINDS
    return [
        _CONFLICT_PENALTY * clash
        + _POINTER_PENALTY * (is_pointer(each.text) or (single and each.kind == "sentence" and each.text.endswith(":")))
        for each, clash in zip(statements, conflicts, strict=True)
    ]


def _types(features: NDArray[np.float64]) -> list[float]:
    return np.maximum(*(features[:, n] for n in _ANSWER_TYPES)).tolist()  # type: ignore[no-any-return]


def _placed(statement: Statement) -> str:
    """The text that is embedded: a row or item says little without its heading."""
    if statement.kind in {"row", "item"} and statement.place:
        return f"{statement.place.rsplit(' > ', 1)[-1]}: {statement.text}"
    return statement.text


def _spelt_out(question: str, readings: Sequence[Reading]) -> str:
    names = [each.sense.extended_name for each in readings if each.sense is not None and each.status == "chosen"]
    return f"{question} ({'; '.join(names)})" if names else question
