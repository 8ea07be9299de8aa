"""Ask an organisation's own test cases over its own library, and score every judgement separately."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.chatbot import Chatbot
from agent.services import Services
from contracts.answer import Answer
from contracts.errors import GoldenError
from contracts.text import Passage
from evaluation.case_file import load_quiz
from evaluation.intervals import f1_of, share
from evaluation.quiz import QuizQuestion, ask_question, score
from evaluation.results import About, BenchmarkResult, Outcome, Report, Score, result_of
from evaluation.revision import machine, revision
from evaluation.scores import rate_score, statistic_score
from tools.language import fold

SEED = 20_260
# The fields of a case decide which of these are scored.
_RATES = ("right", "jargon", "context", "recall", "citation", "answer")


async def measure_own_cases(
    path: Path,
    services: Services,
    *,
    engine: str,
    model: str,
    on_case: Callable[[], None] = lambda: None,
) -> Report:
    """Ask the bot behind ``services`` the accepted cases of a file and report.

    ``right``: the expected outcome and, if expected, the right answer. ``jargon``: the expected sense was chosen.
    ``context``: the expected context was chosen. ``recall``: a page with the answer is among the passages that are
    read. ``citation``: such a page is cited. ``answer``: an accepted wording is in the answer. ``abstention F1``: of
    not answering when no answer is expected. ``on_case`` is called after each case. If the cases cannot be asked, the
    result is "failed" with the reason.

    Raises:
        InvalidInput: the file is wrong; the message names the line and the field.
    """
    begun = datetime.now(UTC).isoformat(timespec="seconds")
    about = About(
        name=f"cases-{path.stem}",
        title=f"Own cases of {path.name}",
        intrinsic="bot",
        metric="right",
        source=path.name,
        licence="the organisation's own",
        split="all accepted cases",
        uses=(),
    )
    cases = load_quiz(path)
    try:
        result = await _measure(about, cases, services, on_case)
    except GoldenError as error:
        result = BenchmarkResult(about=about, status="failed", reason=str(error))
    return Report(
        engine=engine,
        model=model,
        revision=revision(),
        seed=SEED,
        full=False,
        begun=begun,
        machine=machine(),
        benchmarks=(result,),
    )


async def _measure(
    about: About, every: Sequence[QuizQuestion], services: Services, on_case: Callable[[], None]
) -> BenchmarkResult:
    chatbot = Chatbot(services)
    cases = [case for case in every if case.accepted]
    outcomes, begun = [], time.perf_counter()
    for case in cases:
        answer, milliseconds = await ask_question(chatbot, case)
        outcomes.append(_outcome(case, answer, await _read(case, answer, services), milliseconds))
        on_case()
    right = {each.id: float(each.values["right"]) for each in outcomes}
    waiting = sum(not each.accepted and not each.rejected for each in every)
    note = f"drafts that wait for a person: {waiting}" if waiting else ""
    seconds = time.perf_counter() - begun
    return result_of(about, outcomes, scores_of(outcomes), per_case=right, seconds=seconds, note=note)


def scores_of(outcomes: Sequence[Outcome]) -> list[Score]:
    """Return each share with its interval, the F1 of abstaining, and the share of right answers by kind."""
    scores = [
        rate_score(metric, hits)
        for metric in _RATES
        if (hits := [bool(each.values[metric]) for each in outcomes if each.values[metric] is not None])
    ]
    scores += _abstention(outcomes)
    kinds = sorted({str(each.values["kind"]) for each in outcomes})
    for kind in kinds if len(kinds) > 1 else ():
        of_kind = [bool(each.values["right"]) for each in outcomes if each.values["kind"] == kind]
        scores.append(rate_score("right", of_kind, subset=kind))
    return scores


async def _read(case: QuizQuestion, answer: Answer, services: Services) -> tuple[Passage, ...]:
    """Return the passages that the bot reads for the question as it augmented it."""
    question = answer.augmented_question or answer.standalone_question
    if not case.places or not question:
        return ()
    jargon = [reading.mention.term for reading in answer.readings]
    found = await services.searcher.search([question], services.policy.candidates, jargon=jargon)
    if not found:
        return ()
    return (await services.passage_reranker.rerank(question, found)).passages[: services.policy.top_k]


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
        "abstain": not expects_answer,
        "abstained": answer.outcome != "answered",
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


def _abstention(outcomes: Sequence[Outcome]) -> list[Score]:
    expected = np.array([bool(each.values["abstain"]) for each in outcomes])
    found = np.array([bool(each.values["abstained"]) for each in outcomes])
    if expected.all() or not expected.any():
        return []

    def f1(rows: NDArray[np.intp]) -> float:
        hits = float((expected[rows] & found[rows]).sum())
        return f1_of(share(hits, float(found[rows].sum())), share(hits, float(expected[rows].sum())))

    return [statistic_score("abstention F1", f1, len(outcomes), seed=SEED)]
