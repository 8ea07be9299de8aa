"""Scoring: which statements answer a question, by coefficients fitted on questions of people."""

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
        features = statement_features(view, kept, (vectors @ query[0]).astype(np.float32))
        scores = features @ coefficients() - np.array([_handicap(view, each) for each in kept])
        order = np.argsort(-scores, kind="stable")
        return tuple(_scored(kept[int(n)], float(scores[n]), features[n], view) for n in order)

    def _shortlist(self, view: QuestionView, statements: Sequence[Statement]) -> list[Statement]:
        if len(statements) <= self.max_embedded:
            return list(statements)
        lexical = [
            coverage(view.concepts, read_words(each.text))
            + 0.5 * coverage(view.concepts, read_words(f"{each.place} {each.before}"))
            + 0.5 / (1 + each.passage)
            for each in statements
        ]
        best = np.argsort(-np.array(lexical), kind="stable")[: self.max_embedded]
        return [statements[int(n)] for n in sorted(best)]


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


def _handicap(view: QuestionView, statement: Statement) -> float:
    empty = is_pointer(statement.text) or (
        view.shape.kind in _SINGLE_VALUE_KINDS and statement.kind == "sentence" and statement.text.endswith(":")
    )
    return _CONFLICT_PENALTY * conflict(view, statement) + _POINTER_PENALTY * empty


def _scored(statement: Statement, score: float, row: NDArray[np.float64], view: QuestionView) -> ScoredStatement:
    return ScoredStatement(
        statement=statement,
        score=score,
        coverage=float(row[FEATURE_NAMES.index("coverage_with_place")]),
        answer_type=max(float(row[n]) for n, name in enumerate(FEATURE_NAMES) if name.startswith("answer_type")),
        conflict=conflict(view, statement),
    )


def _placed(statement: Statement) -> str:
    """The text that is embedded: a row or item says little without its heading."""
    if statement.kind in {"row", "item"} and statement.place:
        return f"{statement.place.rsplit(' > ', 1)[-1]}: {statement.text}"
    return statement.text


def _spelt_out(question: str, readings: Sequence[Reading]) -> str:
    names = [each.sense.extended_name for each in readings if each.sense is not None and each.status == "chosen"]
    return f"{question} ({'; '.join(names)})" if names else question
