"""Systems compared on the same questions: wins, ties and losses, intervals and tests."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from contracts.errors import InvalidInput
from contracts.grading import GoldItem
from evaluation.intervals import PairedDifference, paired_bootstrap
from golden_lab.judge.base import AnswerComparer, AnswerPair, Preference
from golden_lab.run import SEED
from golden_lab.statistics import holm, sign_test, wilcoxon

_RESAMPLES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """One question of a comparison: 1 where system ``a`` won, -1 where ``b``, 0 for a tie; ``difference`` likewise."""

    id: str
    score: int
    difference: float
    consistent: bool
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemComparison:
    """System ``a`` against ``b``, seen from ``a``.

    ``mean`` is the mean score (1, 0, -1) with its 95 % interval and p-value by a paired bootstrap over questions.
    ``sign_p`` is exact (ties left out); ``wilcoxon_p`` is of the differences. ``holm_p`` is ``sign_p`` corrected for
    the number of comparisons made together. ``inconsistent`` questions had another winner in each position.
    """

    a: str
    b: str
    wins: int
    ties: int
    losses: int
    inconsistent: int
    mean: PairedDifference
    sign_p: float
    wilcoxon_p: float
    holm_p: float
    seed: int
    questions: tuple[JudgedQuestion, ...]


async def compare_systems(
    comparer: AnswerComparer,
    answers_a: Sequence[GoldItem],
    answers_b: Sequence[GoldItem],
    *,
    a: str,
    b: str,
    seed: int = SEED,
    on_question: Callable[[], None] = lambda: None,
) -> SystemComparison:
    """Compare two systems' answers to the same questions; which of them stands first is drawn by ``seed`` each time.

    Raises:
        InvalidInput: the ids are not the same on both sides, or an id's questions differ; the text names it.
        Unavailable: the comparer needs a language model that did not give what was asked for.
    """
    by_id = _matched(answers_a, answers_b, a, b)
    order = random.Random(seed)
    questions = []
    for one, other in by_id.values():
        swapped = order.random() < 0.5
        first, second = (other, one) if swapped else (one, other)
        passages = tuple(each for each in (one.passage or other.passage,) if each.strip())
        pair = AnswerPair(id=one.id, question=one.question, passages=passages, first=first.answer, second=second.answer)
        questions.append(_seen_from_a(one.id, await comparer.compare(pair), swapped))
        on_question()
    scores = [float(each.score) for each in questions]
    nothing = [0.0] * len(questions)
    wins, losses = scores.count(1.0), scores.count(-1.0)
    sign_p = sign_test(wins, losses)
    return SystemComparison(
        a=a,
        b=b,
        wins=wins,
        ties=scores.count(0.0),
        losses=losses,
        inconsistent=sum(not each.consistent for each in questions),
        mean=paired_bootstrap(scores, nothing, seed=seed, resamples=_RESAMPLES),
        sign_p=sign_p,
        wilcoxon_p=wilcoxon([each.difference for each in questions], nothing),
        holm_p=sign_p,
        seed=seed,
        questions=tuple(questions),
    )


def corrected(comparisons: Sequence[SystemComparison]) -> tuple[SystemComparison, ...]:
    """Return comparisons that were made together, each with ``sign_p`` corrected for their number by Holm's rule."""
    adjusted = holm({str(at): each.sign_p for at, each in enumerate(comparisons)})
    return tuple(replace(each, holm_p=adjusted[str(at)]) for at, each in enumerate(comparisons))


def _seen_from_a(id_: str, preference: Preference, swapped: bool) -> JudgedQuestion:
    score = {"first": 1, "second": -1, "tie": 0}[preference.winner]
    sign = -1 if swapped else 1
    return JudgedQuestion(
        id=id_,
        score=sign * score,
        difference=sign * preference.difference,
        consistent=preference.consistent,
        explanation=preference.explanation,
    )


def _matched(
    answers_a: Sequence[GoldItem], answers_b: Sequence[GoldItem], a: str, b: str
) -> Mapping[str, tuple[GoldItem, GoldItem]]:
    others = {item.id: item for item in answers_b}
    ids = {item.id for item in answers_a}
    if ids != others.keys() or not ids:
        only_a, only_b = sorted(ids - others.keys())[:3], sorted(others.keys() - ids)[:3]
        raise InvalidInput(
            f"{a} and {b} do not answer the same questions: only in {a}: {', '.join(only_a) or 'none'}; "
            f"only in {b}: {', '.join(only_b) or 'none'}. Give each question one id, the same in both files.",
            field="id",
        )
    for item in answers_a:
        if " ".join(item.question.split()) != " ".join(others[item.id].question.split()):
            raise InvalidInput(f"The id {item.id} is another question in {b} than in {a}.", field="id")
    return {item.id: (item, others[item.id]) for item in answers_a}
