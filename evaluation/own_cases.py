"""Runs an organisation's own test cases with its own library, and scores each judgement separately."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from agent.chatbot import Chatbot
from agent.services import Services
from contracts.answer import Answer
from contracts.text import Passage
from evaluation.case_file import load_quiz
from evaluation.case_report import CaseOutcome, CaseReport
from evaluation.quiz import QuizQuestion, ask_question, score
from evaluation.revision import machine, revision
from tools.language import fold

_KEPT_CHARACTERS = 500


async def measure_own_cases(
    path: Path, services: Services, *, engine: str, model: str, on_case: Callable[[], None] = lambda: None
) -> CaseReport:
    """Run the accepted cases in a file with the bot of ``services``, and return a report.

    The metrics are ``right`` (the outcome and, if there is one, the answer are correct), ``jargon`` (the expected sense
    was chosen), ``context`` (the expected context was chosen), ``recall`` (a page with the answer is among the passages
    that are read), ``citation`` (such a page is cited) and ``answer`` (the answer contains an accepted wording).
    ``on_case`` is called after each case.

    Raises:
        InvalidInput: the file is invalid; the message names the line and the field.
        Unavailable: a required service is not available now.
    """
    begun, started = datetime.now(UTC).isoformat(timespec="seconds"), time.perf_counter()
    every = load_quiz(path)
    chatbot = Chatbot(services)
    outcomes = []
    for case in every:
        if case.accepted:
            answer, milliseconds = await ask_question(chatbot, case)
            outcomes.append(_outcome(case, answer, await _read(case, answer, services), milliseconds))
            on_case()
    return CaseReport(
        source=path.name,
        engine=engine,
        model=model,
        revision=revision(),
        machine=machine(),
        begun=begun,
        seconds=time.perf_counter() - started,
        waiting=sum(not each.accepted and not each.rejected for each in every),
        outcomes=tuple(outcomes),
    )


async def _read(case: QuizQuestion, answer: Answer, services: Services) -> tuple[Passage, ...]:
    """Search again with the augmented question, and return the passages that the bot reads."""
    question = answer.augmented_question or answer.standalone_question
    if not case.places or not question:
        return ()
    jargon = [reading.mention.term for reading in answer.readings]
    found = await services.searcher.search([question], services.policy.candidates, jargon=jargon)
    if not found:
        return ()
    return (await services.passage_reranker.rerank(question, found)).passages[: services.policy.top_k]


def _outcome(case: QuizQuestion, answer: Answer, read: Sequence[Passage], milliseconds: float) -> CaseOutcome:
    result = score(case, answer, milliseconds)
    right = not {"outcome", "wording"} & set(result.differs)
    hits = {"right": right}
    if case.term and case.sense:
        hits["jargon"] = "reading" not in result.differs
    if case.context:
        hits["context"] = fold(answer.context) == fold(case.context)
    if case.expect == "answered":
        hits["answer"] = right
        if case.places:
            hits |= {"recall": _recalled(case, read), "citation": "citation" not in result.differs}
    return CaseOutcome(**{**dict(result), "answer": answer.text[:_KEPT_CHARACTERS]}, kind=case.kind, hits=hits)


def _recalled(case: QuizQuestion, read: Sequence[Passage]) -> bool:
    return any(
        (passage.document_name, page) in case.places
        for passage in read
        for page in range(passage.chunk.page, passage.chunk.last_page + 1)
    )
