"""The bot's answers to questions on manuals, and the step that failed if an answer is wrong."""

import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from agent.chatbot import Chatbot
from agent.services import Services
from contracts.answer import DECLINED_OUTCOMES, Answer
from contracts.question import Turn
from golden_lab.manuals.questions import ManualQuestion
from golden_lab.metrics.classification import auroc

# The first step that lost the answer, or "gate" for a question that should not have been answered.
Stage = Literal["", "jargon", "retrieval", "reranking", "gate", "writing", "small talk"]
# A wrong answer with at least this certainty is misleading.
SURE = 0.7


class ManualResult(BaseModel):
    """One question with its result; ``stage`` is "" if the answer is correct."""

    model_config = ConfigDict(frozen=True)

    question: ManualQuestion
    outcome: str
    text: str
    certainty: float
    right: bool
    stage: Stage
    milliseconds: float


async def measure_questions(
    questions: Sequence[ManualQuestion], services: Services, *, on_question: Callable[[], None] = lambda: None
) -> tuple[ManualResult, ...]:
    """Ask each question in its own conversation, after its earlier turns."""
    chatbot = Chatbot(services)
    results = []
    for question in questions:
        turns: tuple[Turn, ...] = ()
        for earlier in question.history:
            reply = await chatbot.ask(earlier, history=turns)
            turns += (Turn(role="user", text=earlier), Turn(role="assistant", text=reply.text))
        begun = time.perf_counter()
        answer = await chatbot.ask(question.question, history=turns)
        milliseconds = (time.perf_counter() - begun) * 1_000
        right = question.is_right(answer)
        results.append(
            ManualResult(
                question=question,
                outcome=answer.outcome,
                text=answer.text,
                certainty=answer.certainty or 0.0,
                right=right,
                stage="" if right else await _failed_stage(question, answer, services),
                milliseconds=milliseconds,
            )
        )
        on_question()
    return tuple(results)


async def _failed_stage(question: ManualQuestion, answer: Answer, services: Services) -> Stage:
    if not question.answerable:
        return "gate" if question.kind == "unanswerable" else "small talk"
    if answer.outcome in ("unknown_term", "clarify"):
        return "jargon"
    asked = answer.augmented_question or answer.standalone_question or question.question
    jargon = [reading.mention.term for reading in answer.readings]
    found = await services.searcher.search([asked], services.policy.candidates, jargon=jargon)
    if not any(question.is_told_by(passage) for passage in found):
        return "retrieval"
    ranked = (await services.passage_reranker.rerank(asked, found)).passages[: services.policy.top_k]
    if not any(question.is_told_by(passage) for passage in ranked):
        return "reranking"
    return "gate" if answer.outcome in DECLINED_OUTCOMES else "writing"


def render_results(results: Sequence[ManualResult]) -> str:
    """Return the results as Markdown: by kind, by failed stage, and the reliability of the certainty."""
    kinds = dict.fromkeys(each.question.kind for each in results)
    rows = ["| kind | right | of |", "|---|---|---|"]
    for kind in kinds:
        of_kind = [each.right for each in results if each.question.kind == kind]
        rows.append(f"| {kind} | {sum(of_kind)} | {len(of_kind)} |")
    answerable = [each for each in results if each.question.answerable]
    unanswerable = [each for each in results if each.question.kind == "unanswerable"]
    given = [each for each in results if each.outcome == "answered"]
    sure = sum(not each.right and each.certainty >= SURE for each in given)
    stages = Counter(each.stage for each in results if each.stage)
    lines = [
        *rows,
        "",
        f"answerable questions right: {_share(sum(each.right for each in answerable), len(answerable))}",
        f"unanswerable questions answered: {_share(sum(not each.right for each in unanswerable), len(unanswerable))}",
        f"wrong with a certainty of {SURE} or more, of all questions: {_share(sure, len(results))}",
        f"failed at: {', '.join(f'{stage} {count}' for stage, count in stages.most_common()) or 'nothing'}",
        f"median time of a question: {statistics.median(each.milliseconds for each in results):.0f} ms",
    ]
    truth = [each.right for each in given]
    if any(truth) and not all(truth):
        lines.insert(-1, f"AUROC of certainty: {auroc([each.certainty for each in given], truth):.3f}")
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.0%})" if whole else "none asked"
