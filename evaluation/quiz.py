"""A quiz: asks the bot questions whose answers and pages are known, and scores its answers."""

import re
import time

from pydantic import BaseModel, ConfigDict, model_validator

from agent.chatbot import Chatbot
from contracts.answer import DECLINED_OUTCOMES, Answer, Outcome
from contracts.case_runs import CaseResult, Mismatch
from contracts.question import Asker, Turn
from library.records.rows import named_documents


class QuizQuestion(BaseModel):
    """One line of a quiz file. An answer is correct if it contains any of the wordings in ``accept``.

    ``department`` is the asker's context. ``accepted`` is False for a draft that nobody has accepted yet; ``rejected``
    is True if somebody rejected it.
    """

    model_config = ConfigDict(extra="ignore")

    id: str
    question: str
    history: list[str] = []
    choices: list[str] = []
    kind: str
    expect: Outcome
    answer: str = ""
    accept: list[str] = []
    document: str | None = None
    page: int | None = None
    term: str | None = None
    sense: str | None = None
    context: str | None = None
    department: str = ""
    accepted: bool = True
    rejected: bool = False

    @model_validator(mode="after")
    def _answer_is_a_choice(self) -> "QuizQuestion":
        if self.choices and self.answer not in self.choices:
            raise ValueError(f"the answer {self.answer!r} is not among the choices")
        return self

    @property
    def asked(self) -> str:
        """The question followed by its lettered choices, as it is sent to the bot."""
        lettered = " ".join(f"{chr(97 + index)}) {choice}" for index, choice in enumerate(self.choices))
        return f"{self.question} {lettered}".strip()

    def expects(self, outcome: str) -> bool:
        """Return whether ``outcome`` is expected; the two outcomes without an answer count as equal."""
        return outcome == self.expect or {outcome, self.expect} <= set(DECLINED_OUTCOMES)

    @property
    def places(self) -> frozenset[tuple[str, int]]:
        """The page that contains the answer, if the case names it."""
        return frozenset({(self.document, self.page)} if self.document and self.page else ())


async def ask_question(
    chatbot: Chatbot, question: QuizQuestion, *, groups: frozenset[str] | None = None
) -> tuple[Answer, float]:
    """Ask a question after its earlier turns; return the answer and the time it took in milliseconds.

    ``groups`` are the document groups to search, None for all.

    Raises:
        InvalidInput, Unavailable: as in ``Chatbot.ask``.
    """
    asker = Asker(department=question.department, groups=groups)
    turns: list[Turn] = []
    for earlier in question.history:
        reply = await chatbot.ask(earlier, history=tuple(turns), asker=asker)
        turns += [Turn(role="user", text=earlier), Turn(role="assistant", text=reply.text)]
    begun = time.perf_counter()
    answer = await chatbot.ask(question.asked, history=tuple(turns), asker=asker)
    return answer, (time.perf_counter() - begun) * 1_000


def score(question: QuizQuestion, answer: Answer, milliseconds: float) -> CaseResult:
    """Score one answer.

    The answer differs in "outcome" if a different outcome was expected, in "wording" if it contains none of the
    accepted wordings (ignoring letter case and spaces), in "citation" if it cites no page that contains the answer, and
    in "reading" if the term was not interpreted with the expected sense.
    """
    checks: dict[Mismatch, bool] = {
        "outcome": question.expects(answer.outcome),
        "wording": question.expect != "answered" or not question.expects(answer.outcome) or _says(answer, question),
        "citation": question.expect != "answered" or not question.places or _cites(answer, question),
        "reading": _reads(answer, question),
    }
    return CaseResult(
        case_id=question.id,
        question=question.asked,
        expected=question.expect,
        outcome=answer.outcome,
        differs=tuple(name for name, fits in checks.items() if not fits),
        milliseconds=round(milliseconds, 1),
        answer=answer.text,
        gold=question.answer,
        citations=tuple(f"{each.document_name}, page {each.page}" for each in answer.citations),
        readings=tuple(f"{each.sense.term} = {each.sense.extended_name}" for each in answer.readings if each.sense),
        certainty=answer.certainty,
        documents=tuple(named_documents(answer)),
    )


def _cites(answer: Answer, question: QuizQuestion) -> bool:
    return any((each.document_name, each.page) in question.places for each in answer.citations)


def _says(answer: Answer, question: QuizQuestion) -> bool:
    said = _squeeze(answer.text)
    if question.choices:
        label = chr(97 + question.choices.index(question.answer))
        return said.startswith((f"{label})", f"{label}.")) or said.rstrip(".") == _squeeze(question.answer)
    wordings = [question.answer, *question.accept]
    return any(_contains(said, _squeeze(wording)) for wording in wordings if wording)


def _squeeze(text: str) -> str:
    plain = re.sub(r"\[\d+\]|[*_`\\]", "", text)
    return re.sub(r"\s+", "", plain).casefold()


def _contains(said: str, wording: str) -> bool:
    # A number must not match as part of a longer number: "1.5v" does not contain "5v".
    return re.search(rf"(?<![\d.]){re.escape(wording)}(?!\d)", said) is not None


def _reads(answer: Answer, question: QuizQuestion) -> bool:
    if not (question.term and question.sense):
        return True
    senses = {
        reading.sense.term.casefold(): reading.sense.extended_name.casefold()
        for reading in answer.readings
        if reading.sense is not None
    }
    return senses.get(question.term.casefold()) == question.sense.casefold()
