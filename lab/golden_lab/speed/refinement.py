"""What refinement costs a question: the review's own time beside the question's, rewrites, replies of the model."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agent.chatbot import Chatbot
from agent.services import Services
from contracts.answer import Answer
from contracts.text import Passage
from contracts.verdicts import RefinementVerdict
from evaluation.quiz import load_quiz
from golden_lab.engine import Engine
from golden_lab.refinement.conditions import simulated_chat
from golden_lab.run import Run
from golden_lab.speed.common import conditions, heading, table
from golden_lab.systems.examples import open_examples
from intrinsics.answer_generation.llm import PromptedAnswerWriter
from intrinsics.refinement.base import AnswerRefiner
from intrinsics.refinement.embedded import AutoAnswerRefiner, OverlapAnswerRefiner
from intrinsics.refinement.llm import SelfCritiquingAnswerRefiner
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
) -> dict[str, Any]:
    """Ask questions of the examples under each policy, in turns, with a simulated model as the writer.

    Returns plain values: times are processor milliseconds, each question's least of all rounds.

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
    return conditions(
        "refinement",
        questions=len(measured[policies[0]][0]),
        rounds=rounds,
        writer="simulated",
        policies=[_cost(policy, rows) for policy, rows in measured.items()],
    )


def _cost(policy: str, rounds: Sequence[Sequence[ReviewedQuestion]]) -> dict[str, Any]:
    asked = [each for one in rounds for each in one]
    # Other work can only add to a question's time: its least of all rounds counts.
    review_ms = statistics.fmean(min(each.review_ms for each in several) for several in zip(*rounds, strict=True))
    question_ms = statistics.fmean(min(each.question_ms for each in several) for several in zip(*rounds, strict=True))
    return {
        "policy": policy,
        "replies": statistics.fmean(each.replies for each in asked),
        "fired": statistics.fmean(each.fired for each in asked),
        "kept_rewrite": statistics.fmean(each.kept_rewrite for each in asked),
        "review_ms": review_ms,
        "review_share": review_ms / max(1e-9, question_ms),
        "question_ms": question_ms,
    }


def render_refinement(result: dict[str, Any]) -> str:
    """Return a table: a column for each policy."""
    costs = result["policies"]
    first = costs[0]
    rows = [
        ["replies a question", *(f"{each['replies']:.2f}" for each in costs)],
        [f"  × {first['policy']}", *(f"{each['replies'] / first['replies']:.2f}" for each in costs)],
        ["written again", *(f"{each['fired']:.0%}" for each in costs)],
        ["  rewrite kept", *(f"{each['kept_rewrite']:.0%}" for each in costs)],
        ["review, ms", *(f"{each['review_ms']:.1f}" for each in costs)],
        ["  of the question's own", *(f"{each['review_share']:.1%}" for each in costs)],
        ["own ms a question", *(f"{each['question_ms']:.0f}" for each in costs)],
    ]
    rounds = result["rounds"]
    return "\n".join([
        heading(result),
        f"{result['questions']} questions of the examples, {rounds} round{'' if rounds == 1 else 's'}, after a warm-up",
        "",
        *table(["a question", *(each["policy"] for each in costs)], rows),
        "",
        "the writer is simulated: how often a draft is written again is its drafts' share, not that of a model's; of",
        "your own: golden-lab calibrate refinement. Milliseconds are the processor's, each question's least of all",
        "rounds; own: all that the bot computes for a question, the second check of a rewrite with it, no model's time",
    ])  # fmt: skip


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
