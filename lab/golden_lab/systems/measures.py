"""The questions and answers of systems, and the measures of one answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from contracts.answer import Answer, CheckedSentence, Citation, Outcome
from contracts.question import Choice, Turn
from contracts.text import Passage
from evaluation.quiz import QuizQuestion, score
from golden_lab.metrics.answers import claim_faithfulness, joint_answerability_faithfulness
from intrinsics.refinement.overlap import passage_overlap

_LETTER = re.compile(r"\W*([a-z])[.):](?=\s|$)", re.IGNORECASE)
_MARKS = re.compile(r"\[\d+\]|[*_`\\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemQuestion:
    """A question in the form that every system receives.

    ``text`` is the question without its ``choices``, ``history`` the turns before it, oldest first.
    """

    text: str
    history: tuple[Turn, ...] = ()
    choices: tuple[Choice, ...] = ()

    @property
    def asked(self) -> str:
        """The question as a user types it, followed by its lettered choices."""
        return " ".join([self.text, *(f"{choice.label}) {choice.text}" for choice in self.choices)])


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemAnswer:
    """An answer with its draft and passages.

    ``draft`` is the text as it was written, without markers; "" if nothing was written. ``passages`` are the passages
    it was written from, best first. ``answer.sentences`` contain the verdicts of the same judge for every system that
    reads passages; a system without passages has none.
    """

    answer: Answer
    draft: str
    passages: tuple[Passage, ...]
    milliseconds: float

    @property
    def outcome(self) -> Outcome:
        """How the question ended."""
        return self.answer.outcome

    @property
    def declined(self) -> bool:
        """Whether it gave no answer: it declined, did not know a term, or asked a question in return."""
        return self.answer.outcome != "answered"

    @property
    def text(self) -> str:
        """The answer's text."""
        return self.answer.text

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The evidence that the answer cites."""
        return self.answer.citations


class System(Protocol):
    """Answers questions."""

    @property
    def name(self) -> str:
        """The name in tables."""
        ...

    @property
    def note(self) -> str:
        """What a reader of the row must know; "" if nothing."""
        ...

    async def answer(self, question: SystemQuestion) -> SystemAnswer:
        """Answer ``question``.

        Raises:
            Unavailable: something that the system needs is not available.
        """
        ...


def lettered(options: Sequence[str]) -> tuple[Choice, ...]:
    """Return the options of a multiple-choice question with the labels a, b, c …"""
    return tuple(Choice(label=chr(ord("a") + index), text=option.strip()) for index, option in enumerate(options))


def chosen_label(text: str, choices: Sequence[Choice]) -> str:
    """Return the label of the choice that an answer's text names; "" if it names none.

    Such a text begins with the label ("b) 1.5 V"), or consists only of the words of a choice.
    """
    plain = _MARKS.sub("", text).strip()
    labels = {choice.label.casefold(): choice.label for choice in choices}
    begins = _LETTER.match(plain)
    if begins and begins.group(1).casefold() in labels:
        return labels[begins.group(1).casefold()]
    said = plain.rstrip(" .").casefold()
    return next((choice.label for choice in choices if said in (choice.label, choice.text.rstrip(" .").casefold())), "")


RIGHT = "right"
CITED = "cited"
REFUSED = "refused right"
S3 = "S3"
FAITHFULNESS = "faithfulness"
JAFS = "JAFS"
METRICS = (RIGHT, CITED, REFUSED, S3, FAITHFULNESS, JAFS)

_SHOWN_CHARACTERS = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredAnswer:
    """The measures of one answer; any of ``METRICS`` that does not apply to it is None.

    ``said`` is the answer's outcome and first words, ``milliseconds`` how long it took. ``degraded`` gives the reason
    for each step that the language model should have done but did not.
    """

    numbers: dict[str, float | None]
    said: str
    milliseconds: float
    degraded: tuple[str, ...] = ()


def faithfulness_of(sentences: Sequence[CheckedSentence]) -> float | None:
    """Return the share of the sentences with a claim that are faithful, in [0, 1]; None if no sentence makes a claim.

    Each sentence counts as one claim.
    """
    claims = [sentence.label == "faithful" for sentence in sentences if sentence.label != "no_claim"]
    return claim_faithfulness(claims) if claims else None


def jafs_of(answered: bool, answerable: bool, faithfulness: float | None) -> float:
    """Return the joint answerability–faithfulness score of one answer, in [0, 1].

    An answer without a checkable claim has a faithfulness of 0.
    """
    return joint_answerability_faithfulness(answered, answerable, faithfulness or 0.0)


async def ask(system: System, question: QuizQuestion) -> SystemAnswer:
    """Ask ``system`` a quiz question after its earlier turns, which the system also answers."""
    turns: list[Turn] = []
    for earlier in question.history:
        reply = await system.answer(SystemQuestion(text=earlier, history=tuple(turns)))
        turns += [Turn(role="user", text=earlier), Turn(role="assistant", text=reply.text)]
    return await system.answer(
        SystemQuestion(text=question.question, history=tuple(turns), choices=lettered(question.choices))
    )


def measure(question: QuizQuestion, answer: SystemAnswer) -> MeasuredAnswer:
    """Score a quiz answer: correct, cited and refused have the same meaning as in ``evaluation.quiz.score``."""
    differs = score(question, _with_letter(question, answer.answer), answer.milliseconds).differs
    right = not {"outcome", "wording"} & set(differs)
    answerable = question.expect == "answered"
    answered = answer.outcome == "answered"
    faithfulness = faithfulness_of(answer.answer.sentences) if answered else None
    return MeasuredAnswer(
        numbers={
            RIGHT: float(right),
            CITED: float("citation" not in differs) if answerable else None,
            REFUSED: None if answerable else float(right),
            S3: passage_overlap(answer.draft, answer.passages) if answered and answer.passages else None,
            FAITHFULNESS: faithfulness,
            JAFS: jafs_of(answered, answerable, faithfulness),
        },
        said=said(answer.outcome, answer.text),
        milliseconds=answer.milliseconds,
        degraded=answer.answer.degraded,
    )


def said(outcome: Outcome, text: str) -> str:
    """Return a short form of an answer: its outcome and its first words."""
    words = re.sub(r"\s+", " ", text).strip()
    short = words if len(words) <= _SHOWN_CHARACTERS else words[:_SHOWN_CHARACTERS].rsplit(" ", 1)[0] + " …"
    return f"{outcome}: {short}"


def _with_letter(question: QuizQuestion, answer: Answer) -> Answer:
    """Return the answer, with the letter of its choice in front if it names the choice differently."""
    if not question.choices or answer.outcome != "answered":
        return answer
    label = chosen_label(answer.text, lettered(question.choices))
    return answer.model_copy(update={"text": f"{label}) {answer.text}"}) if label else answer
