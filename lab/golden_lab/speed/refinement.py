"""What refinement costs a question: the review's own time beside the question's, rewrites, replies of the model."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agent.chatbot import Chatbot
from agent.services import Services
from contracts.answer import Answer
from contracts.text import Passage
from contracts.verdicts import RefinementVerdict
from evaluation.quiz import load_quiz
from evaluation.revision import machine, revision
from golden_lab.engine import Engine
from golden_lab.refinement.simulated import simulated_chat
from golden_lab.run import Run
from golden_lab.systems.examples import open_examples
from intrinsics.answer_generation.llm import PromptedAnswerWriter
from intrinsics.refinement import AnswerRefiner
from intrinsics.refinement.auto import AutoAnswerRefiner
from intrinsics.refinement.embedded import OverlapAnswerRefiner
from intrinsics.refinement.self_critique import SelfCritiquingAnswerRefiner
from tools.chat.scripted import ScriptedChatModel

_Makes = Callable[[ScriptedChatModel], AnswerRefiner]
POLICIES: Mapping[str, _Makes] = {
    "none": lambda chat: OverlapAnswerRefiner("none"),
    "auto": lambda chat: AutoAnswerRefiner(),
    "overlap": lambda chat: OverlapAnswerRefiner("overlap"),
    "always": lambda chat: OverlapAnswerRefiner("always"),
    "generic": lambda chat: OverlapAnswerRefiner("generic"),
    "self_refine": lambda chat: SelfCritiquingAnswerRefiner(chat),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedQuestion:
    """One answered question: what the process computed for its review and in all, replies, and what came of it.

    The simulated model's own part, which is small, is in ``question_ms``.
    """

    review_ms: float
    question_ms: float
    replies: int
    fired: bool
    kept_rewrite: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyCost:
    """The questions of each round under one policy."""

    policy: str
    rounds: tuple[tuple[ReviewedQuestion, ...], ...]

    @property
    def asked(self) -> tuple[ReviewedQuestion, ...]:
        """All questions of all rounds."""
        return tuple(each for one in self.rounds for each in one)

    def mean(self, value: Callable[[ReviewedQuestion], float]) -> float:
        """Return the mean of ``value`` over all questions of all rounds."""
        return statistics.fmean(value(each) for each in self.asked)

    def least(self, value: Callable[[ReviewedQuestion], float]) -> float:
        """Return the mean over questions of the least ``value`` of any round: other work can only add to it."""
        return statistics.fmean(min(value(each) for each in several) for several in zip(*self.rounds, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinementCost:
    """All policies, with what they were measured on."""

    revision: str
    machine: str
    questions: int
    policies: tuple[PolicyCost, ...]


class _TimedRefiner:
    def __init__(self, inner: AnswerRefiner) -> None:
        self._inner = inner
        self.milliseconds = 0.0

    async def review(self, question: str, draft: str, passages: Sequence[Passage]) -> RefinementVerdict:
        started = time.process_time()
        verdict = await self._inner.review(question, draft, passages)
        self.milliseconds += (time.process_time() - started) * 1_000
        return verdict


async def measure_refinement(
    engine: Engine,
    run: Run,
    examples: Path,
    *,
    questions: int = 12,
    rounds: int = 3,
    policies: Sequence[str] = tuple(POLICIES),
    on_step: Callable[[str], None] = lambda step: None,
) -> RefinementCost:
    """Ask questions of the examples under each policy, in turns, with a simulated model as the writer.

    Raises:
        InvalidInput: the examples could not be taken up.
    """
    asked = [each.asked for each in load_quiz(examples / "quiz.jsonl") if each.expect == "answered"][:questions]
    measured: dict[str, list[tuple[ReviewedQuestion, ...]]] = {policy: [] for policy in policies}
    on_step("reading the documents")
    async with open_examples(engine, run, examples) as bench:
        # What is loaded at a first question is not loaded at the next.
        await _ask(bench.services, asked[0], "none")
        for number in range(rounds):
            for policy, rows in measured.items():
                on_step(f"round {number + 1} of {rounds}, {policy}")
                found = [await _ask(bench.services, question, policy) for question in asked]
                rows.append(tuple(each for each in found if each is not None))
    return RefinementCost(
        revision=revision(),
        machine=machine(),
        questions=len(measured[policies[0]][0]),
        policies=tuple(PolicyCost(policy=policy, rounds=tuple(rows)) for policy, rows in measured.items()),
    )


async def _ask(services: Services, question: str, policy: str) -> ReviewedQuestion | None:
    """Ask one question; None where nothing was written."""
    chat = simulated_chat()
    refiner = _TimedRefiner(POLICIES[policy](chat))
    own = replace(services, answer_writer=PromptedAnswerWriter(chat), refiner=refiner)
    started = time.process_time()
    answer = await Chatbot(own).ask(question)
    spent = (time.process_time() - started) * 1_000
    record = answer.refinement
    if record is None:
        return None
    return ReviewedQuestion(
        review_ms=refiner.milliseconds,
        question_ms=spent,
        replies=len(chat.requests),
        fired=record.fired,
        kept_rewrite=_kept_rewrite(answer),
    )


def _kept_rewrite(answer: Answer) -> bool:
    return answer.refinement is not None and answer.refinement.kept == "rewrite"
