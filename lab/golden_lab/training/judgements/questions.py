"""Cases about the question: how it stands alone, what of it is jargon, where it is asked, how else it is worded."""

import json
from typing import Any

from pydantic import BaseModel, Field, model_validator

from contracts.jargon import Context
from contracts.question import RewrittenQuestion
from contracts.verdicts import ContextVerdict, IdentifiedJargon, QueryVariants
from golden_lab.training.judgements.base import (
    STRICT,
    CasePassage,
    CaseTurn,
    JudgementCase,
    Online,
    QuestionCase,
    one_line,
    passages_of,
    turns_of,
)
from tools.adapters import AdapterDeclaration
from tools.chat.base import ChatRequest
from tools.language import fold


class RewritingCase(JudgementCase):
    """A conversation, its last question, and that question as it stands alone: itself where it does already."""

    history: tuple[CaseTurn, ...] = Field(min_length=1)
    question: str = Field(min_length=1)
    rewritten: str = Field(min_length=1)

    async def ask(self, online: Online) -> Any:
        """Return the question as it is rewritten."""
        return await online.judge.rewrite(self.question, turns_of(self.history))

    def completion(self, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
        """Return a JSON object with the question."""
        written = one_line(self.rewritten)
        if adapter is not None:
            return json.dumps({adapter.field("question"): written}, ensure_ascii=False)
        return json.dumps({"standalone": self._stands_alone, "question": written}, ensure_ascii=False)

    def difference(self, verdict: RewrittenQuestion) -> str:
        """Say which question it is where it is another."""
        right = self.question if self._stands_alone else one_line(self.rewritten)
        return "" if verdict.text == right else f'it is read as "{verdict.text}"'

    @property
    def _stands_alone(self) -> bool:
        return fold(one_line(self.rewritten)) == fold(one_line(self.question))


class IdentificationCase(JudgementCase):
    """A question, and its abbreviations and jargon as they stand in it."""

    question: str = Field(min_length=1)
    terms: tuple[str, ...]

    async def ask(self, online: Online) -> Any:
        """Return the jargon that is found."""
        return await online.judge.identify(self.question)

    def completion(self, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
        """Return a JSON object with the list."""
        return json.dumps({"terms": list(self.terms)}, ensure_ascii=False)

    def difference(self, verdict: IdentifiedJargon) -> str:
        """Say which terms were found where these are others."""
        found = {fold(each.text) for each in verdict.mentions}
        right = {fold(one_line(each)) for each in self.terms}
        return "" if found == right else f"found are: {', '.join(each.text for each in verdict.mentions) or 'none'}"


class NamedContext(BaseModel):
    """A context of the dictionary."""

    model_config = STRICT

    name: str = Field(min_length=1)
    description: str = ""
    examples: tuple[str, ...] = ()


class ClassificationCase(JudgementCase):
    """A question, the contexts there are, the one that it is asked in ("": none of them), and why, in a sentence."""

    question: str = Field(min_length=1)
    contexts: tuple[NamedContext, ...] = Field(min_length=1)
    context: str
    reasoning: str = Field(min_length=1)
    history: tuple[CaseTurn, ...] = ()
    department: str = ""
    passages: tuple[CasePassage, ...] = ()

    @model_validator(mode="after")
    def _is_listed(self) -> "ClassificationCase":
        if self.context and self.context not in {each.name for each in self.contexts}:
            raise ValueError(f"context: {self.context!r} is none of the contexts")
        return self

    async def ask(self, online: Online) -> Any:
        """Return how probable each context is."""
        contexts = [
            Context(name=each.name, description=each.description, examples=each.examples) for each in self.contexts
        ]
        return await online.judge.classify(
            self.question,
            contexts,
            history=turns_of(self.history),
            department=self.department,
            passages=passages_of(self.passages),
        )

    def completion(self, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
        """Return a JSON object with the reasoning and the context's letter, as the schema lists them."""
        assert request.json_schema is not None
        letters = request.json_schema["properties"]["context"]["enum"]
        names = [*(each.name for each in self.contexts), ""]
        chosen = {"reasoning": one_line(self.reasoning), "context": letters[names.index(self.context)]}
        return json.dumps(chosen, ensure_ascii=False)

    def difference(self, verdict: ContextVerdict) -> str:
        """Say which context it is where it is another."""
        return "" if verdict.best == self.context else f"it is read as {verdict.best or 'none of them'}"


class ExpansionCase(QuestionCase):
    """A question, passages that did not answer it, and other wordings: at most two of a kind, five in all.

    ``answers`` might stand in a document, ``backward`` are the questions that these answer, ``synonymic`` say the
    question in other words.
    """

    seen: tuple[CasePassage, ...] = ()
    answers: tuple[str, ...] = Field((), max_length=2)
    backward: tuple[str, ...] = Field((), max_length=2)
    synonymic: tuple[str, ...] = Field((), max_length=2)

    async def ask(self, online: Online) -> Any:
        """Return what is searched with."""
        return await online.judge.expand(await self.augmented(online), passages_of(self.seen))

    def completion(self, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
        """Return a JSON object with the three lists."""
        kinds = {"answers": self.answers, "backward": self.backward, "synonymic": self.synonymic}
        return json.dumps({name: list(map(one_line, texts)) for name, texts in kinds.items()}, ensure_ascii=False)

    def difference(self, verdict: QueryVariants) -> str:
        """Say which wording is not searched with."""
        lost = [
            text for text in (*self.answers, *self.backward, *self.synonymic) if one_line(text) not in verdict.variants
        ]
        return f'it is not searched with "{lost[0]}"' if lost else ""
