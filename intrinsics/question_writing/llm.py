"""A writer of questions on a chat model."""

import time
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from contracts.provenance import Provenance
from contracts.text import Passage, Span
from contracts.verdicts import WrittenQuestion, WrittenQuestions
from intrinsics.question_writing.places import find_piece
from intrinsics.question_writing.standing import distinct, stands_alone
from tools.chat.base import ChatModel, ChatRequest
from tools.prompts import Prompt, load_prompt
from tools.reading.fencing import fence_texts, make_fence
from tools.structured import ask_structured

_MAX_CHARACTERS = 12_000
_MOST = 6


class QuestionWithAnswer(BaseModel):
    """One question of the reply."""

    model_config = ConfigDict(extra="ignore")

    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)


class QuestionList(BaseModel):
    """The reply that the prompt asks for."""

    model_config = ConfigDict(extra="ignore")

    questions: list[QuestionWithAnswer]


class PromptedQuestionWriter:
    """Asks a chat model for questions with answers as JSON; a reply of another form is sent back once.

    What the model says of the passage is not believed: a question goes unless its answer stands in the passage letter
    by letter (white space apart), does not stand in the question, and the question can be understood alone. The
    passage stands between marks that a document cannot know; its first 12 000 characters are shown.
    """

    def __init__(
        self, chat: ChatModel, *, model: str = "", max_tokens: int = 700, prompt_path: Path | None = None
    ) -> None:
        self._chat = chat
        self._model = model
        self._max_tokens = max_tokens
        self._path = prompt_path or Path(__file__).with_name("llm.toml")

    @cached_property
    def _prompt(self) -> Prompt:
        return load_prompt(self._path)

    async def write(self, passage: Passage) -> WrittenQuestions:
        """Write factual questions that ``passage`` answers explicitly, each understandable alone, best first.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies did not have the form asked for.
        """
        started = time.perf_counter()
        text = passage.text[:_MAX_CHARACTERS]
        place = " > ".join(part for part in (passage.document_title, *passage.chunk.heading_path) if part)
        fence = make_fence(text, place)
        messages = self._prompt.messages(
            passage=fence_texts([text], fence), title=" ".join(place.split()) or "unknown", fence=fence, most=str(_MOST)
        )
        request = ChatRequest(messages=messages, max_tokens=self._max_tokens, model=self._model)
        reply = await ask_structured(self._chat, request, QuestionList)
        kept = [written for each in reply.value.questions if (written := _checked(each, text)) is not None]
        return WrittenQuestions(
            questions=distinct(kept)[:_MOST],
            provenance=Provenance(
                implementation="llm",
                model=reply.model or self._chat.model,
                prompt_version=self._prompt.version,
                milliseconds=(time.perf_counter() - started) * 1_000,
            ),
        )


def _checked(asked: QuestionWithAnswer, text: str) -> WrittenQuestion | None:
    question, answer = " ".join(asked.question.split()), " ".join(asked.answer.split())
    evidence = find_piece(answer, text, Span(0, len(text)))
    if evidence is None or not stands_alone(question, answer):
        return None
    return WrittenQuestion(question=question, answer=answer, evidence=evidence)
