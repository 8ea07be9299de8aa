"""A summariser on a chat model that takes an expert's view."""

import time
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from contracts.provenance import Provenance
from contracts.verdicts import Summary
from tools.chat.base import ChatModel, ChatRequest
from tools.prompts import Prompt, load_prompt
from tools.reading.fencing import fence_texts, make_fence
from tools.structured import ask_structured

_MAX_CHARACTERS = 24_000
_MAX_QUESTIONS = 6


class ExpertSummary(BaseModel):
    """The reply that the prompt asks for."""

    model_config = ConfigDict(extra="ignore")

    summary: str = Field(min_length=1)
    questions: list[str] = Field(default_factory=list)


class PromptedSummariser:
    """Asks a chat model for a summary and questions as JSON; a reply of another form is sent back once.

    The section stands between marks that a document cannot know; its first 24 000 characters are shown.
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

    async def summarise(self, text: str, *, title: str = "") -> Summary:
        """Summarise a section of about 4 000 tokens as an expert of its field, with the questions it answers.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies did not have the form asked for.
        """
        started = time.perf_counter()
        section = text[:_MAX_CHARACTERS]
        fence = make_fence(section, title)
        messages = self._prompt.messages(
            section=fence_texts([section], fence), title=" ".join(title.split()) or "unknown", fence=fence
        )
        request = ChatRequest(messages=messages, max_tokens=self._max_tokens, model=self._model)
        reply = await ask_structured(self._chat, request, ExpertSummary)
        questions = dict.fromkeys(" ".join(question.split()) for question in reply.value.questions)
        return Summary(
            text=reply.value.summary.strip(),
            questions=tuple(question for question in questions if question)[:_MAX_QUESTIONS],
            provenance=Provenance(
                implementation="llm",
                model=reply.model or self._chat.model,
                prompt_version=self._prompt.version,
                milliseconds=(time.perf_counter() - started) * 1_000,
            ),
        )
