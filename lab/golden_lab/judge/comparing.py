"""Two answers compared: by a chat model, blinded and in both positions, or by the grades of each."""

import asyncio
import time
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from contracts.grading import AnswerToGrade
from contracts.provenance import Provenance
from golden_lab.judge.base import AnswerGrader, AnswerPair, Preference, Winner
from golden_lab.judge.prompted import shortened_passages
from golden_lab.judge.rubrics import RUBRICS_FOLDER, fence_one, fence_passages, load_rubric_prompt
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
