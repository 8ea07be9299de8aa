"""A question writer that uses a chat model."""

from pydantic import BaseModel, Field

from contracts.text import Passage
from contracts.verdicts import WrittenQuestion, WrittenQuestions
from intrinsics.question_writing.question_checks import distinct, stands_alone
from tools.judges import PromptedJudge, one_line
from tools.language import find_piece
from tools.prompt_delimiters import delimit_texts, make_code

_MAX_CHARACTERS = 12_000
# The number of questions that the prompt asks for.
_MOST = 6


class QuestionWithAnswer(BaseModel):
    """One question of the reply."""

    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)


class QuestionList(BaseModel):
    """The reply that the prompt asks for."""

    questions: list[QuestionWithAnswer]


class PromptedQuestionWriter(PromptedJudge):
    """Asks a chat model for questions with answers as JSON; if the reply has the wrong form, the model is asked again.

    A question is dropped unless its answer is in the passage letter for letter (except for white space) and not in the
    question, and the question can be understood on its own. The first 12,000 characters of the passage are shown,
    enclosed in delimiters that a document cannot know.
    """

    async def write(self, passage: Passage) -> WrittenQuestions:
        inquiry = self._prompted.begin()
        text = passage.text[:_MAX_CHARACTERS]
        place = " > ".join(filter(None, (passage.document_title, *passage.chunk.heading_path)))
        code = make_code(text, place)
        title = one_line(place) or "unknown"
        request = inquiry.request({"passage": delimit_texts([text], code), "title": title, "code": code})
        reply = await inquiry.ask(request, QuestionList)
        kept = [written for each in reply.questions if (written := _checked(each, text)) is not None]
        return WrittenQuestions(questions=distinct(kept)[:_MOST], provenance=inquiry.provenance())


def _checked(asked: QuestionWithAnswer, text: str) -> WrittenQuestion | None:
    question, answer = one_line(asked.question), one_line(asked.answer)
    evidence = find_piece(answer, text)
    if evidence is None or not stands_alone(question, answer):
        return None
    return WrittenQuestion(question=question, answer=answer, evidence=evidence)
