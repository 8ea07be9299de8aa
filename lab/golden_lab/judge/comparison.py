"""A blinded comparison of two systems' answers to the same questions, question by question."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from contracts.errors import InvalidInput
from golden_lab.judge.grades import (
    AnswerComparer,
    AnswerGrader,
    AnswerPair,
    AnswerToGrade,
    GoldItem,
    Preference,
    Winner,
)
from golden_lab.run import SEED
from golden_lab.statistics import PairedDifference, holm, paired_bootstrap, sign_test

# People would not notice a smaller difference between two grades; the scale from 1 to 5 spans four points.
_MARGIN = 0.1
_RESAMPLES = 10_000


class GradedAnswerComparer:
    """Grades each answer on its own and compares the weighted grades; a difference below ``margin`` points is a tie.

    Therefore, neither the position nor the other answer influences a grade.
    """

    def __init__(self, grader: AnswerGrader, *, margin: float = _MARGIN) -> None:
        self._grader = grader
        self._margin = margin

    async def compare(self, pair: AnswerPair) -> Preference:
        """Return which answer is better, or a tie.

        Raises:
            Unavailable: a required language model gave no usable reply.
        """
        first, second = [
            await self._grader.grade(
                AnswerToGrade(id=pair.id, question=pair.question, passages=pair.passages, answer=answer)
            )
            for answer in (pair.first, pair.second)
        ]
        difference = first.weighted - second.weighted
        winner: Winner = "tie" if abs(difference) < self._margin else "first" if difference > 0 else "second"
        return Preference(
            winner=winner,
            consistent=True,
            explanation=f"weighted grades {first.weighted:.2f} and {second.weighted:.2f}",
            provenance=first.provenance,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """One question of a comparison; ``score`` is 1 if system ``a`` won, -1 if ``b`` won, and 0 for a tie."""

    id: str
    score: int
    consistent: bool
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemComparison:
    """System ``a`` compared with ``b``, with scores from the point of view of ``a``.

    ``mean`` is the mean score (1, 0 or -1) with its 95% interval from a paired bootstrap over questions. ``sign_p`` is
    the p-value of an exact sign test without ties; ``holm_p`` is corrected for the number of comparisons made together.
    """

    a: str
    b: str
    mean: PairedDifference
    sign_p: float
    holm_p: float
    questions: tuple[JudgedQuestion, ...]

    def count(self, score: int) -> int:
        """Return the number of questions with this score."""
        return sum(each.score == score for each in self.questions)


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
    """Compare two systems' answers to the same questions; for each question, ``seed`` decides which answer is first.

    Raises:
        InvalidInput: the sides have different ids, or different questions for one id; the message names the id.
        Unavailable: a required language model gave no usable reply.
    """
    others = _matched(answers_a, answers_b, a, b)
    order = random.Random(seed)
    questions = []
    for one in answers_a:
        other = others[one.id]
        swapped = order.random() < 0.5
        first, second = (other, one) if swapped else (one, other)
        passages = tuple(each for each in (one.passage or other.passage,) if each.strip())
        found = await comparer.compare(
            AnswerPair(id=one.id, question=one.question, passages=passages, first=first.answer, second=second.answer)
        )
        score = {"first": 1, "second": -1, "tie": 0}[found.winner]
        questions.append(
            JudgedQuestion(
                id=one.id,
                score=-score if swapped else score,
                consistent=found.consistent,
                explanation=found.explanation,
            )
        )
        on_question()
    scores = [float(each.score) for each in questions]
    sign_p = sign_test(scores.count(1), scores.count(-1))
    return SystemComparison(
        a=a,
        b=b,
        mean=paired_bootstrap(scores, [0.0] * len(scores), seed=seed, resamples=_RESAMPLES),
        sign_p=sign_p,
        holm_p=sign_p,
        questions=tuple(questions),
    )


def corrected(comparisons: Sequence[SystemComparison]) -> tuple[SystemComparison, ...]:
    """Return comparisons that were made together, with ``sign_p`` corrected by Holm's method as ``holm_p``."""
    adjusted = holm({str(at): each.sign_p for at, each in enumerate(comparisons)})
    return tuple(replace(each, holm_p=adjusted[str(at)]) for at, each in enumerate(comparisons))


def _matched(answers_a: Sequence[GoldItem], answers_b: Sequence[GoldItem], a: str, b: str) -> Mapping[str, GoldItem]:
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
            raise InvalidInput(f"The id {item.id} has a different question in {b} than in {a}.", field="id")
    return others
