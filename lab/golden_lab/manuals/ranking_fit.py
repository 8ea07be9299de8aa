"""Fit the ranking of quotes and the gate on the development half, and measure both on held-out folds."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from agent.services import Services
from agent.steps import passages as passage_steps
from agent.steps import question as question_steps
from contracts.question import Asker, AugmentedQuestion, Turn
from contracts.text import Passage
from golden_lab.manuals.questions import ManualQuestion
from golden_lab.metrics.classification import auroc
from intrinsics.answerability.embedded import ANSWERABILITY_FEATURES, answerability_features
from tools.evidence.passages import find_unmentioned
from tools.reading.features import view_question
from tools.reading.questions import analyse_question
from tools.reading.quoted_answers import QuotedAnswer, quote_answer, quote_answers
from tools.reading.ranking import FEATURE_NAMES, QuoteRanker, RankedQuote

Floats = NDArray[np.float64]
_FOLDS = 10
# The assumed share of users' questions that the documents do not answer. The corpus "training" has a larger share of
# such questions, so their weight is reduced.
_UNANSWERABLE_SHARE = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedCase:
    """A question with all quotes from its passages, as ranked before the fit, and which of them answer it.

    ``unmentioned`` is the number of its terms that the passages never mention.
    """

    question: ManualQuestion
    augmented: AugmentedQuestion
    passages: tuple[Passage, ...]
    quotes: tuple[RankedQuote, ...]
    answers: NDArray[np.bool_]
    unmentioned: int

    @property
    def rows(self) -> Floats:
        """The features of each quote, shape (quotes, features)."""
        return np.array([each.features for each in self.quotes]).reshape(-1, len(FEATURE_NAMES))


async def rank_case(question: ManualQuestion, services: Services, ranker: QuoteRanker) -> RankedCase:
    """Find the passages of ``question`` as the bot does, and rank their quotes."""
    history: tuple[Turn, ...] = tuple(Turn(role="user", text=each) for each in question.history)
    read = await question_steps.rewrite_question(question.question, history, (), services)
    jargon, contexts = await asyncio.gather(
        services.jargon_identifier.identify(read.standalone),
        question_steps.classify_context(read.standalone, history, Asker(), services),
    )
    readings = await question_steps.look_up_jargon(read.standalone, jargon, contexts, Asker(), (), services)
    augmented, entries = await passage_steps.augment_question(read.standalone, "", readings, services)
    found = await services.searcher.search(
        [augmented.text], services.policy.candidates, jargon=[each.mention.term for each in readings]
    )
    passages = (*found[: services.policy.top_k], *entries)
    quotes = await ranker.rank(augmented, passages)
    view = view_question(analyse_question(augmented.question), augmented.readings)
    answers = [question.says_so(quote_answer(view, [each, *quotes], passages).text) for each in quotes]
    return RankedCase(
        question=question,
        augmented=augmented,
        passages=passages,
        quotes=quotes,
        answers=np.array(answers, dtype=bool) & question.answerable,
        unmentioned=len(find_unmentioned(augmented.question, passages, augmented.readings)),
    )


def fit_ranking(cases: Sequence[RankedCase], *, penalty: float = 0.5) -> Floats:
    """Return the weights that make a quote with the answer most likely to be first (a conditional logit)."""
    rows = [(case.rows, case.answers) for case in cases if case.answers.any()]

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, slope = penalty * float(weights @ weights), 2 * penalty * weights
        for features, answers in rows:
            scores = features @ weights
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            held = chances * answers
            total -= float(np.log(held.sum() + 1e-12))
            slope = slope + features.T @ (chances - held / max(held.sum(), 1e-12))
        return total, slope

    return np.asarray(minimize(loss, np.zeros(len(FEATURE_NAMES)), jac=True, method="L-BFGS-B").x)


def first_answers(cases: Sequence[RankedCase], weights: Floats) -> list[bool]:
    """Return, for each case, whether the first quote answers it."""
    return [len(case.quotes) > 0 and bool(case.answers[int(np.argmax(case.rows @ weights))]) for case in cases]


def right_answers(cases: Sequence[RankedCase], weights: Floats) -> list[bool]:
    """Return, for each case with quotes, whether the answer shown (one or two quotes) is correct."""
    right = []
    for case in cases:
        shown = _shown(case, _ranked(case, weights, 0.0))
        right.append(case.question.answerable and case.question.says_so("\n\n".join(each.text for each in shown)))
    return right


def _ranked(case: RankedCase, weights: Floats, base: float) -> list[RankedQuote]:
    scores = case.rows @ weights + base
    return [replace(case.quotes[at], score=float(scores[at])) for at in np.argsort(-scores).tolist()]


def _shown(case: RankedCase, ranked: Sequence[RankedQuote]) -> Sequence[QuotedAnswer]:
    view = view_question(analyse_question(case.augmented.question), case.augmented.readings)
    return quote_answers(view, ranked, case.passages)


def gate_rows(cases: Sequence[RankedCase], weights: Floats, base: float) -> Floats:
    """Return the gate's features for each case with quotes, ranked by ``weights``."""
    rows = []
    for case in cases:
        ranked, shape = _ranked(case, weights, base), analyse_question(case.augmented.question)
        rows.append(answerability_features(shape, ranked, _shown(case, ranked), case.unmentioned))
    return np.array(rows)


def fit_gate(rows: Floats, right: NDArray[np.bool_], answerable: NDArray[np.bool_]) -> dict[str, Any]:
    """Fit a logistic regression on standardised ``rows``; return it in the format of calibration files.

    Unanswerable questions together get a quarter of the total weight.
    """
    from sklearn.linear_model import LogisticRegression

    mean, scale = rows.mean(axis=0), np.where(rows.std(axis=0) > 1e-6, rows.std(axis=0), 1.0)
    model = LogisticRegression(C=1.0).fit((rows - mean) / scale, right, sample_weight=_weights_of(answerable))
    return {
        "features": list(ANSWERABILITY_FEATURES),
        "mean": [round(float(each), 6) for each in mean],
        "scale": [round(float(each), 6) for each in scale],
        "coefficients": [round(float(each), 6) for each in model.coef_[0]],
        "intercept": round(float(model.intercept_[0]), 6),
    }


def probabilities(model: dict[str, Any], rows: Floats) -> Floats:
    """Return the probabilities of a fitted gate for ``rows``."""
    logits = (rows - np.array(model["mean"])) / np.array(model["scale"]) @ np.array(model["coefficients"])
    return np.asarray(1.0 / (1.0 + np.exp(-(logits + model["intercept"]))))


def fit(cases: Sequence[RankedCase], *, told: Callable[[str], None] = lambda line: None) -> dict[str, Any]:
    """Fit both models on ``cases``; return them with their metrics on held-out folds."""
    usable = [case for case in cases if case.quotes]
    order = np.random.default_rng(7).permutation(len(usable))
    first, right = np.zeros(len(usable), dtype=bool), np.zeros(len(usable), dtype=bool)
    sure = np.zeros(len(usable))
    for fold in range(_FOLDS):
        held = order[fold::_FOLDS].tolist()
        rest = [usable[at] for at in order.tolist() if at not in set(held)]
        weights = fit_ranking(rest)
        gate = _fitted_gate(rest, weights, 0.0)
        tested = [usable[at] for at in held]
        first[held] = first_answers(tested, weights)
        right[held] = right_answers(tested, weights)
        sure[held] = probabilities(gate, gate_rows(tested, weights, 0.0))
    answerable = np.array([case.question.answerable for case in usable])
    weights = fit_ranking(usable)
    # Shift the scores so that at 0 a first quote is equally likely to be correct or wrong.
    firsts = np.array([(case.rows @ weights).max() for case in usable])
    base = -_even_point(firsts, np.array(first_answers(usable, weights)), _weights_of(answerable))
    figures = {
        "questions": len(usable),
        "first_quote_answers": round(float(first[answerable].mean()), 4),
        "shown_answers": round(float(right[answerable].mean()), 4),
        "some_quote_answers": round(
            float(np.mean([case.answers.any() for case in usable if case.question.answerable])), 4
        ),
        "auroc_right": round(auroc(sure.tolist(), right.tolist()), 4),
        "unanswerable_passed_at_half": round(float((sure[~answerable] >= 0.5).mean()), 4),
        "right_passed_at_half": round(float((sure[right] >= 0.5).mean()), 4),
    }
    told(str(figures))
    return {
        "ranking": {
            "weights": {name: round(float(each), 4) for name, each in zip(FEATURE_NAMES, weights, strict=True)},
            "intercept": round(float(base), 4),
        },
        "answerability": _fitted_gate(usable, weights, base),
        "figures": figures,
    }


def _fitted_gate(cases: Sequence[RankedCase], weights: Floats, base: float) -> dict[str, Any]:
    answerable = np.array([case.question.answerable for case in cases])
    return fit_gate(gate_rows(cases, weights, base), np.array(right_answers(cases, weights)), answerable)


def _weights_of(answerable: NDArray[np.bool_]) -> Floats:
    """Return the weight of each question; unanswerable questions together get a quarter of the total weight."""
    few = answerable.sum() / max(1, (~answerable).sum()) * _UNANSWERABLE_SHARE / (1.0 - _UNANSWERABLE_SHARE)
    return np.where(answerable, 1.0, few)


def _even_point(scores: Floats, right: NDArray[np.bool_], weights: Floats) -> float:
    """Return the score at which a first quote is correct half of the time, according to a logistic curve."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=10.0).fit(scores[:, None], right, sample_weight=weights)
    slope = float(model.coef_[0][0])
    return -float(model.intercept_[0]) / slope if slope > 1e-6 else float(np.median(scores))
