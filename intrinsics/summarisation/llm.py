"""A summariser that uses a chat model in the role of an expert."""

from pydantic import BaseModel, Field

from contracts.verdicts import Summary
from tools.judges import PromptedJudge
from tools.prompt_delimiters import delimit_texts, make_code

_MAX_CHARACTERS = 24_000
_MAX_QUESTIONS = 6


class ExpertSummary(BaseModel):
    """The reply that the prompt asks for."""

    summary: str = Field(min_length=1)
    questions: list[str] = Field(default_factory=list)


class PromptedSummariser(PromptedJudge):
    """Asks a chat model for a summary and questions as JSON; if the reply has the wrong form, the model is asked again.

    The first 24,000 characters of the section are shown, enclosed in delimiters that a document cannot know.
    """

    async def summarise(self, text: str, *, title: str = "") -> Summary:
        inquiry = self._prompted.begin()
        section = text[:_MAX_CHARACTERS]
        code = make_code(section, title)
        request = inquiry.request(
            {"section": delimit_texts([section], code), "title": " ".join(title.split()) or "unknown", "code": code}
        )
        reply = await inquiry.ask(request, ExpertSummary)
        questions = dict.fromkeys(" ".join(question.split()) for question in reply.questions)
        return Summary(
            text=reply.summary.strip(),
            questions=tuple(question for question in questions if question)[:_MAX_QUESTIONS],
            provenance=inquiry.provenance(),
        )
