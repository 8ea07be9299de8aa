"""Two systems' answers to the same questions, compared question by question, blinded."""

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

# Grades (on a scale of four points) that differ by less than this do not show a difference that people would notice.
_MARGIN = 0.1
_RESAMPLES = 10_000


class GradedAnswerComparer:
    """Grades each answer by itself and compares the weighted grades; below ``margin`` points apart it is a tie.

    Neither position nor the other answer can sway it.
    """

    def __init__(self, grader: AnswerGrader, *, margin: float = _MARGIN) -> None:
        self._grader = grader
        self._margin = margin

    async def compare(self, pair: AnswerPair) -> Preference:
        """Say which answer is better, or neither.

        Raises:
            Unavailable: the grader needs a language model that did not give what was asked for.
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
    """One question of a comparison: 1 where system ``a`` won, -1 where ``b``, 0 for a tie."""

    id: str
    score: int
    consistent: bool
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemComparison:
    """System ``a`` against ``b``, seen from ``a``.

    ``mean`` is the mean score (1, 0, -1) with its 95 % interval by a paired bootstrap over questions. ``sign_p`` is
    exact (ties left out), ``holm_p`` the same corrected for the number of comparisons made together.
    """

    a: str
    b: str
    mean: PairedDifference
    sign_p: float
    holm_p: float
    questions: tuple[JudgedQuestion, ...]

    def count(self, score: int) -> int:
        """Return how many questions have this score."""
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
    """Compare two systems' answers to the same questions; which of them stands first is drawn by ``seed`` each time.

    Raises:
        InvalidInput: the ids are not the same on both sides, or an id's questions differ; the text names it.
        Unavailable: the comparer needs a language model that did not give what was asked for.
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
    """Return comparisons that were made together, each with ``sign_p`` corrected for their number by Holm's rule."""
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
            raise InvalidInput(f"The id {item.id} is another question in {b} than in {a}.", field="id")
    return others
