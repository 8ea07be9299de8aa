"""What one answer of one system came to, in numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.answer import Answer, CheckedSentence, Outcome
from contracts.question import Turn
from contracts.text import Passage
from evaluation.quiz import QuizQuestion, score
from golden_lab.metrics.faithfulness import claim_faithfulness, joint_answerability_faithfulness
from golden_lab.systems.values import System, SystemAnswer, SystemQuestion, chosen_label, lettered
from intrinsics.refinement.overlap import passage_overlap

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
    """The numbers of one answer; those of ``METRICS`` that do not apply to it are None.

    ``said`` is the answer's outcome and first words, ``milliseconds`` how long it took.
    """

    numbers: dict[str, float | None]
    said: str
    milliseconds: float


def faithfulness_of(sentences: Sequence[CheckedSentence]) -> float | None:
    """Return which share of the sentences that claim something is faithful, in [0, 1]; None where none claims anything.

    The answer's sentences stand for its claims.
    """
    claims = [sentence.label == "faithful" for sentence in sentences if sentence.label != "no_claim"]
    return claim_faithfulness(claims) if claims else None


def jafs_of(answered: bool, answerable: bool, faithfulness: float | None) -> float:
    """Return the joint answerability–faithfulness score of one answer, in [0, 1].

    An answer without a claim that could be checked is faithful to nothing: 0.
    """
    return joint_answerability_faithfulness(answered, answerable, faithfulness or 0.0)


async def ask(system: System, question: QuizQuestion, gold: tuple[Passage, ...] = ()) -> SystemAnswer:
    """Ask ``system`` a question of a quiz after its earlier turns, to which the system itself replies."""
    turns: list[Turn] = []
    for earlier in question.history:
        reply = await system.answer(SystemQuestion(text=earlier, history=tuple(turns)))
        turns += [Turn(role="user", text=earlier), Turn(role="assistant", text=reply.text)]
    return await system.answer(
        SystemQuestion(text=question.question, history=tuple(turns), choices=lettered(question.choices), gold=gold)
    )


def measure(question: QuizQuestion, answer: SystemAnswer) -> MeasuredAnswer:
    """Hold an answer against the quiz: right, cited and refused as in ``evaluation.quiz.score``."""
    result = score(question, _with_letter(question, answer.answer), answer.milliseconds)
    answerable = question.expect == "answered"
    answered = answer.outcome == "answered"
    faithfulness = faithfulness_of(answer.answer.sentences) if answered else None
    return MeasuredAnswer(
        numbers={
            RIGHT: float(result.correct),
            CITED: float(bool(result.cited)) if answerable else None,
            REFUSED: None if answerable else float(result.correct),
            S3: passage_overlap(answer.draft, answer.passages) if answered and answer.passages else None,
            FAITHFULNESS: faithfulness,
            JAFS: jafs_of(answered, answerable, faithfulness),
        },
        said=said(answer.outcome, answer.text),
        milliseconds=answer.milliseconds,
    )


def said(outcome: Outcome, text: str) -> str:
    """Return an answer in short: its outcome and its first words."""
    words = re.sub(r"\s+", " ", text).strip()
    short = words if len(words) <= _SHOWN_CHARACTERS else words[:_SHOWN_CHARACTERS].rsplit(" ", 1)[0] + " …"
    return f"{outcome}: {short}"


def _with_letter(question: QuizQuestion, answer: Answer) -> Answer:
    """Return the answer, its choice's letter first where it names the choice in another way."""
    if not question.choices or answer.outcome != "answered":
        return answer
    label = chosen_label(answer.text, lettered(question.choices))
    return answer.model_copy(update={"text": f"{label}) {answer.text}"}) if label else answer
