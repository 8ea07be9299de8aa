"""An organisation's own cases, asked through the bot over its own library: every judgement on the way scored apart."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.chatbot import Chatbot
from agent.services import Services
from contracts.answer import Answer
from contracts.question import Turn
from contracts.text import Passage
from evaluation.benchmark import About, CaseSet, Outcome, Score, Scores
from evaluation.engine import MeasuredEngine
from evaluation.metrics.classification import classification_scores
from evaluation.quiz import QuizQuestion, load_quiz, score
from evaluation.run import Run
from evaluation.scores import rate_score, statistic_score
from tools.language import fold

ANSWERED, NOT_ANSWERED = "answered", "not answered"
# What a case says of itself decides which of these are scored on it.
_RATES = ("right", "jargon", "context", "recall", "citation", "answer")


class OwnCases:
    """Scores the bot behind ``services`` on the cases in a file; only those that a person accepted count.

    ``right`` is the whole: the expected outcome and, where one is expected, the right answer. ``jargon``: the expected
    sense was read. ``context``: the question was placed in the expected context. ``recall``: a page that holds the
    answer is among the passages that are read. ``citation``: such a page is cited. ``answer``: an accepted wording is
    in the answer. ``abstention F1``: of not answering where no answer is expected.
    """

    def __init__(self, path: Path, services: Services) -> None:
        self._path = path
        self._services = services

    @property
    def about(self) -> About:
        """What it measures, on what."""
        return About(
            name=f"cases-{self._path.stem}",
            title=f"Own cases of {self._path.name}",
            intrinsic="bot",
            metric="right",
            source=self._path.name,
            licence="the organisation's own",
            split="all accepted cases",
            uses=(),
        )

    def load(self, run: Run) -> CaseSet[QuizQuestion]:
        """Read the accepted cases.

        Raises:
            InvalidInput: naming the line and the field that are wrong.
        """
        cases = load_quiz(self._path)
        kept = tuple(case for case in cases if case.accepted)
        waiting = sum(not case.accepted and not case.rejected for case in cases)
        return CaseSet(cases=kept, note=_waits(waiting))

    @asynccontextmanager
    async def prepare(
        self, cases: CaseSet[QuizQuestion], engine: MeasuredEngine, run: Run
    ) -> AsyncIterator[Callable[[QuizQuestion], Awaitable[Outcome]]]:
        """Yield what asks one case in a conversation of its own, its earlier turns first."""
        chatbot = Chatbot(self._services)

        async def measure(case: QuizQuestion) -> Outcome:
            turns: list[Turn] = []
            for earlier in case.history:
                reply = await chatbot.ask(earlier, history=tuple(turns))
                turns += [Turn(role="user", text=earlier), Turn(role="assistant", text=reply.text)]
            begun = time.perf_counter()
            answer = await chatbot.ask(case.asked, history=tuple(turns))
            milliseconds = (time.perf_counter() - begun) * 1_000
            return _outcome(case, answer, await self._read(case, answer), milliseconds)

        yield measure

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Return each share with its interval, the F1 of abstaining, and what is right by kind."""
        scores = [
            rate_score(metric, hits)
            for metric in _RATES
            if (hits := [bool(each.values[metric]) for each in outcomes if each.values[metric] is not None])
        ]
        scores += _abstention(outcomes, run.seed)
        kinds = sorted({str(each.values["kind"]) for each in outcomes})
        if len(kinds) > 1:
            for kind in kinds:
                of_kind = [bool(each.values["right"]) for each in outcomes if each.values["kind"] == kind]
                scores.append(rate_score("right", of_kind, subset=kind))
        return Scores(scores=tuple(scores))

    async def _read(self, case: QuizQuestion, answer: Answer) -> tuple[Passage, ...]:
        """Return the passages that the bot reads for the question as it augmented it."""
        question = answer.augmented_question or answer.standalone_question
        if not case.places or not question:
            return ()
        services, policy = self._services, self._services.policy
        jargon = [reading.mention.term for reading in answer.readings]
        found = await services.searcher.search([question], policy.candidates, jargon=jargon)
        if not found:
            return ()
        return (await services.passage_reranker.rerank(question, found)).passages[: policy.top_k]


def _waits(drafts: int) -> str:
    if not drafts:
        return ""
    return "1 draft waits for a person" if drafts == 1 else f"{drafts} drafts wait for a person"


def _outcome(case: QuizQuestion, answer: Answer, read: Sequence[Passage], milliseconds: float) -> Outcome:
    result = score(case, answer, milliseconds)
    expects_answer = case.expect == "answered"
    values: dict[str, Any] = {
        "kind": case.kind,
        "right": result.correct,
        "jargon": result.read,
        "context": fold(answer.context) == fold(case.context) if case.context else None,
        "recall": _recalled(case, read) if expects_answer and case.places else None,
        "citation": bool(result.cited) if expects_answer and case.places else None,
        "answer": result.correct if expects_answer else None,
        "expected": ANSWERED if expects_answer else NOT_ANSWERED,
        "found": ANSWERED if answer.outcome == "answered" else NOT_ANSWERED,
    }
    return Outcome(
        id=case.id,
        values=values,
        loss=0.0 if result.correct and result.cited is not False else 0.5 if result.correct else 1.0,
        trace={
            "question": case.asked,
            "expected": f"{case.expect}: {case.answer}" if case.answer else case.expect,
            "got": f"{answer.outcome}: {answer.text[:600]}",
            "cited": "; ".join(result.citations) or "nothing",
            "readings": "; ".join(f"{each.mention.text}: {each.reason}" for each in answer.readings) or "none",
            "steps": "; ".join(f"{step.node} {step.milliseconds:.0f} ms ({step.finding})" for step in answer.steps),
        },
    )


def _recalled(case: QuizQuestion, read: Sequence[Passage]) -> bool:
    return any(
        (passage.document_name, page) in case.places
        for passage in read
        for page in range(passage.chunk.page, passage.chunk.last_page + 1)
    )


def _abstention(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    expected = [str(each.values["expected"]) for each in outcomes]
    found = [str(each.values["found"]) for each in outcomes]
    if len(set(expected)) < 2:
        return []

    def f1(rows: NDArray[np.intp]) -> float:
        drawn = rows.tolist()
        scores = classification_scores(
            [expected[at] for at in drawn], [found[at] for at in drawn], labels=[ANSWERED, NOT_ANSWERED]
        )
        return scores.of(NOT_ANSWERED).f1

    return [statistic_score("abstention F1", f1, len(outcomes), seed=seed)]
