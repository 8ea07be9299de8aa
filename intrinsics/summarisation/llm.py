"""A summariser on a chat model that takes an expert's view."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from contracts.verdicts import Summary
from tools.chat.base import ChatModel
from tools.prompting import PromptedModel
from tools.reading.fencing import fence_texts, make_fence

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
        path = prompt_path or Path(__file__).with_name("llm.toml")
        self._prompted = PromptedModel(chat, path, model=model, max_tokens=max_tokens)

    async def summarise(self, text: str, *, title: str = "") -> Summary:
        """Summarise a section of about 4 000 tokens as an expert of its field, with the questions it answers.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies did not have the form asked for.
        """
        inquiry = self._prompted.begin()
        section = text[:_MAX_CHARACTERS]
        fence = make_fence(section, title)
        request = inquiry.request(
            {"section": fence_texts([section], fence), "title": " ".join(title.split()) or "unknown", "fence": fence}
        )
        reply = await inquiry.ask(request, ExpertSummary)
        questions = dict.fromkeys(" ".join(question.split()) for question in reply.questions)
        return Summary(
            text=reply.summary.strip(),
            questions=tuple(question for question in questions if question)[:_MAX_QUESTIONS],
            provenance=inquiry.provenance(),
        )
