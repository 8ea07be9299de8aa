"""Two answers compared, blinded and in both positions, and systems compared on the same questions."""

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from contracts.errors import InvalidInput
from contracts.provenance import Provenance
from evaluation.intervals import PairedDifference, paired_bootstrap
from golden_lab.judge.base import AnswerComparer, AnswerGrader, AnswerPair, Preference, Winner
from golden_lab.judge.grades import AnswerToGrade, GoldItem
from golden_lab.judge.prompted import shortened_passages
from golden_lab.judge.rubrics import RUBRICS_FOLDER, fence_one, fence_passages, load_rubric_prompt
from golden_lab.run import SEED
from golden_lab.statistics import holm, sign_test, wilcoxon
from tools.chat.base import ChatModel, ChatRequest
from tools.reading.fencing import make_fence
from tools.structured import StructuredReply, ask_structured

# Grades that differ by less than this of their four points tell no difference that people would see.
_MARGIN = 0.1


class WinnerReply(BaseModel):
    """The reply that the pairwise prompt asks for."""

    model_config = ConfigDict(extra="ignore")

    explanation: str = ""
    winner: Literal["X", "Y", "tie"]


class PromptedAnswerComparer:
    """Asks a chat model twice, the answers in either position, as X and Y: one wins only where both times it wins.

    Source: the blinded judge with swapped positions and a rule against length of Ngam 2026, "Self-Refine Fails for
    Grounded RAG at Small Scale", sections 3.5 and 3.7.3; swapping: Zheng et al. 2023, "Judging LLM-as-a-Judge".
    """

    def __init__(self, chat: ChatModel, *, model: str = "", folder: Path = RUBRICS_FOLDER) -> None:
        self._chat = chat
        self._model = model
        self._folder = folder

    async def compare(self, pair: AnswerPair) -> Preference:
        """Say which answer is better, or neither.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies to one order did not have the form asked for.
        """
        started = time.perf_counter()
        forward, backward = await asyncio.gather(
            self._ask(pair, pair.first, pair.second), self._ask(pair, pair.second, pair.first)
        )
        one = _winner(forward.value.winner, "first", "second")
        other = _winner(backward.value.winner, "second", "first")
        winner: Winner = one if one == other else "tie"
        return Preference(
            winner=winner,
            consistent=one == other,
            difference={"first": 1.0, "second": -1.0, "tie": 0.0}[winner],
            explanation=f"first as X: {forward.value.explanation}\nsecond as X: {backward.value.explanation}",
            provenance=Provenance(
                implementation="llm",
                model=forward.model or self._chat.model,
                prompt_version=load_rubric_prompt("pairwise", self._folder).version,
                milliseconds=(time.perf_counter() - started) * 1_000,
            ),
        )

    async def _ask(self, pair: AnswerPair, answer_x: str, answer_y: str) -> StructuredReply[WinnerReply]:
        fence = make_fence(pair.question, pair.first, pair.second, *pair.passages)
        messages = load_rubric_prompt("pairwise", self._folder).messages(
            fence=fence,
            question=fence_one("question", pair.question, fence),
            passages=fence_passages(shortened_passages(pair.passages), fence),
            answer_x=fence_one("answer X", answer_x, fence),
            answer_y=fence_one("answer Y", answer_y, fence),
        )
        return await ask_structured(
            self._chat, ChatRequest(messages=messages, max_tokens=400, model=self._model), WinnerReply
        )


def _winner(said: Literal["X", "Y", "tie"], x: Winner, y: Winner) -> Winner:
    return x if said == "X" else y if said == "Y" else "tie"


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
        grades = []
        for name, answer in (("first", pair.first), ("second", pair.second)):
            item = AnswerToGrade(id=f"{pair.id}/{name}", question=pair.question, passages=pair.passages, answer=answer)
            grades.append(await self._grader.grade(item))
        difference = grades[0].weighted - grades[1].weighted
        winner: Winner = "tie" if abs(difference) < self._margin else "first" if difference > 0 else "second"
        return Preference(
            winner=winner,
            consistent=True,
            difference=difference,
            explanation=f"weighted grades {grades[0].weighted:.2f} and {grades[1].weighted:.2f}",
            provenance=grades[0].provenance,
        )


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
