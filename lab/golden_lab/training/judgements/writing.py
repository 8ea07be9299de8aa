"""Cases about documents: what sums a section up, what a passage answers, which terms a text defines."""

import json
from typing import Any

from pydantic import BaseModel, Field

from contracts.verdicts import MinedTerms, Summary, WrittenQuestions
from golden_lab.training.judgements.base import STRICT, CasePassage, JudgementCase, Online, one_line, passages_of
from tools.adapters import AdapterDeclaration
from tools.chat.base import ChatRequest
from tools.language import fold


class SummaryCase(JudgementCase):
    """A section of a document, its expert summary, and up to six questions that it answers."""

    text: str = Field(min_length=1)
    title: str = ""
    summary: str = Field(min_length=1)
    questions: tuple[str, ...] = Field((), max_length=6)

    async def ask(self, online: Online) -> Any:
        """Return the summary."""
        return await online.judge.summarise(self.text, title=self.title)

    def completion(self, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
        """Return a JSON object with both."""
        return json.dumps({"summary": self.summary, "questions": list(self.questions)}, ensure_ascii=False)

    def difference(self, verdict: Summary) -> str:
        """Say which of the two is another."""
        if verdict.text != self.summary.strip():
            return "another summary is read"
        return "" if list(verdict.questions) == list(map(one_line, self.questions)) else "other questions are read"


class AnsweredQuestion(BaseModel):
    """A question, and its answer: a verbatim piece of the passage."""

    model_config = STRICT

    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)


class QuestionWritingCase(JudgementCase):
    """A passage, and up to six questions that it answers word for word, the best first."""

    passage: CasePassage
    questions: tuple[AnsweredQuestion, ...] = Field(max_length=6)

    async def ask(self, online: Online) -> Any:
        """Return the questions that are kept."""
        return await online.judge.write(passages_of((self.passage,))[0])

    def completion(self, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
        """Return a JSON object with the list."""
        return json.dumps({"questions": [each.model_dump() for each in self.questions]}, ensure_ascii=False)

    def difference(self, verdict: WrittenQuestions) -> str:
        """Say which question is not kept."""
        kept = {each.question for each in verdict.questions}
        lost = [each.question for each in self.questions if one_line(each.question) not in kept]
        return f'the question "{lost[0]}" is not kept: it must stand alone, its answer in the passage' if lost else ""


class DefinedTermOfCase(BaseModel):
    """A term, what it is short for, and the words of the text that say so."""

    model_config = STRICT

    term: str = Field(min_length=1)
    expansion: str = Field(min_length=1)
    evidence: str = Field(min_length=1)


class TermMiningCase(JudgementCase):
    """A text of at most 6 000 characters, and the terms that it defines."""

    text: str = Field(min_length=1, max_length=6_000)
    terms: tuple[DefinedTermOfCase, ...]

    async def ask(self, online: Online) -> Any:
        """Return the terms that are kept."""
        return await online.judge.mine(self.text)

    def completion(self, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
        """Return a JSON object with the list."""
        return json.dumps({"terms": [each.model_dump() for each in self.terms]}, ensure_ascii=False)

    def difference(self, verdict: MinedTerms) -> str:
        """Say which term is not kept."""
        kept = {fold(each.term) for each in verdict.terms}
        lost = [each.term for each in self.terms if fold(each.term) not in kept]
        return f"the term {lost[0]} is not kept: it and its expansion must stand in its evidence" if lost else ""
