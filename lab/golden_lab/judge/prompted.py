"""A chat model grades answers: one prompt a criterion, worked examples, several completions."""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from contracts.errors import ConfigurationError, MalformedReply
from contracts.provenance import Provenance
from golden_lab.judge.agreement import JudgeExample
from golden_lab.judge.base import Aggregation, aggregate
from golden_lab.judge.grades import CRITERIA, HIGHEST_GRADE, LOWEST_GRADE, AnswerToGrade, Criterion, Grades
from golden_lab.judge.rubrics import (
    RUBRICS_FOLDER,
    fence_one,
    fence_passages,
    load_rubric_prompt,
    scale_words,
    scales_version,
)
from tools.chat.base import ChatMessage, ChatModel, ChatRequest
from tools.reading.fencing import make_fence
from tools.structured import ask_structured

_MAX_PASSAGE_CHARACTERS = 24_000
_MAX_ANSWER_CHARACTERS = 12_000
_TEMPERATURE = 0.7


class GradeReply(BaseModel):
    """The reply that a criterion's prompt asks for."""

    model_config = ConfigDict(extra="ignore")

    explanation: str = ""
    score: int = Field(ge=LOWEST_GRADE, le=HIGHEST_GRADE)


@dataclass(frozen=True, slots=True)
class _Graded:
    grade: float
    explanation: str
    model: str


class PromptedAnswerGrader:
    """Asks a chat model for each criterion by itself, ``completions`` times, and aggregates.

    One completion is asked for at temperature 0; several at ``temperature``, which must then be above 0. A completion
    that stays unusable after its repair does not count; the grade fails when none is left. ``examples`` are shown as
    earlier turns, each with the person's explanation and score. What is graded stands between marks unknown to it.
    """

    def __init__(
        self,
        chat: ChatModel,
        examples: Sequence[JudgeExample] = (),
        *,
        completions: int = 1,
        how: Aggregation = "mean",
        temperature: float = _TEMPERATURE,
        model: str = "",
        folder: Path = RUBRICS_FOLDER,
    ) -> None:
        if completions < 1:
            raise ConfigurationError(f"completions is {completions}: a judge needs at least one.")
        if completions > 1 and temperature <= 0:
            raise ConfigurationError(
                "Several completions at temperature 0 are the same one: set a temperature above 0."
            )
        self._chat = chat
        self._examples = tuple(examples)
        self._completions = completions
        self._how = how
        self._temperature = temperature if completions > 1 else 0.0
        self._model = model
        self._folder = folder

    async def grade(self, item: AnswerToGrade) -> Grades:
        """Grade an answer on three scales of 1 to 5; an empty answer gets 1 without being asked about.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: for one criterion, no completion had the form asked for.
        """
        started = time.perf_counter()
        if not item.answer.strip():
            graded = [_Graded(float(LOWEST_GRADE), "The answer is empty.", self._chat.model) for _ in CRITERIA]
        else:
            graded = await asyncio.gather(*(self._criterion(item, criterion) for criterion in CRITERIA))
        by_name = dict(zip(CRITERIA, graded, strict=True))
        return Grades(
            relevance=by_name["relevance"].grade,
            faithfulness=by_name["faithfulness"].grade,
            completeness=by_name["completeness"].grade,
            explanation="\n".join(f"{name}: {one.explanation}" for name, one in by_name.items()),
            provenance=Provenance(
                implementation="llm",
                model=graded[0].model or self._chat.model,
                prompt_version=self.prompt_version,
                milliseconds=(time.perf_counter() - started) * 1_000,
            ),
        )

    @property
    def prompt_version(self) -> str:
        """The versions of the scales and of the three prompts: "scales 1, relevance 1, …"."""
        prompts = (f"{name} {load_rubric_prompt(name, self._folder).version}" for name in CRITERIA)
        return ", ".join((f"scales {scales_version(self._folder)}", *prompts))

    async def _criterion(self, item: AnswerToGrade, criterion: Criterion) -> _Graded:
        messages = self._messages(item, criterion)
        request = ChatRequest(messages=messages, max_tokens=400, temperature=self._temperature, model=self._model)
        replies = await asyncio.gather(
            *(ask_structured(self._chat, request, GradeReply) for _ in range(self._completions)),
            return_exceptions=True,
        )
        usable, refused = [], None
        for reply in replies:
            if isinstance(reply, MalformedReply):
                refused = reply
            elif isinstance(reply, BaseException):
                raise reply
            else:
                usable.append(reply)
        if not usable:
            raise refused or MalformedReply("The judge gave no usable reply.")
        grade = aggregate([float(reply.value.score) for reply in usable], self._how)
        nearest = min(usable, key=lambda reply: abs(reply.value.score - grade))
        return _Graded(grade, " ".join(nearest.value.explanation.split()), nearest.model)

    def _messages(self, item: AnswerToGrade, criterion: Criterion) -> tuple[ChatMessage, ...]:
        shown = [example for example in self._examples if example.criterion == criterion]
        items = [example.item.to_grade for example in shown] + [item]
        fence = make_fence(*(text for each in items for text in (each.question, each.answer, *each.passages)))
        *before, asked = self._filled(item, criterion, fence)
        turns: list[ChatMessage] = []
        for example in shown:
            reply = {"explanation": example.item.explanation.strip(), "score": example.item.score(criterion)}
            turns.append(self._filled(example.item.to_grade, criterion, fence)[-1])
            turns.append(ChatMessage(role="assistant", content=json.dumps(reply, ensure_ascii=False)))
        return (*before, *turns, asked)

    def _filled(self, item: AnswerToGrade, criterion: Criterion, fence: str) -> tuple[ChatMessage, ...]:
        return load_rubric_prompt(criterion, self._folder).messages(
            scale=scale_words(self._folder)[criterion],
            fence=fence,
            question=fence_one("question", item.question, fence),
            passages=fence_passages(shortened_passages(item.passages), fence),
            answer=fence_one("answer", item.answer[:_MAX_ANSWER_CHARACTERS], fence),
        )


def shortened_passages(passages: Sequence[str]) -> tuple[str, ...]:
    """Return the passages cut to 24 000 characters in all, the last shown one at its end."""
    kept, left = [], _MAX_PASSAGE_CHARACTERS
    for passage in passages:
        if left <= 0:
            break
        kept.append(passage[:left])
        left -= len(passage)
    return tuple(kept)
