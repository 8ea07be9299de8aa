"""Rewriting, jargon and context of a question in one call of a chat model."""

from collections.abc import Collection, Sequence
from pathlib import Path

from pydantic import BaseModel, Field, field_validator

from contracts.combined import UnderstoodQuestion
from contracts.errors import MalformedReply
from contracts.jargon import Context
from contracts.question import RewrittenQuestion, Turn
from contracts.verdicts import IdentifiedJargon
from intrinsics.combined.base import QUESTION_PARTS
from intrinsics.context_classification.llm import letters_for, list_contexts, verdict_of
from intrinsics.jargon_identification.known import KnownWords
from intrinsics.jargon_identification.llm import ListedTerms
from intrinsics.question_rewriting.llm import find_addition, shown_turns
from tools.chat.base import ChatModel
from tools.fences import make_fence
from tools.jargon import JargonDictionary
from tools.judges import one_line
from tools.labels import read_field_labels
from tools.language import fold
from tools.prompting import PromptedModel

_MAX_TOKENS = 300
_MOST_TURNS = 6


class ReadQuestion(BaseModel):
    """The reply that the prompt asks for; ``question`` is empty where the question stands alone."""

    question: str
    terms: list[str]
    context: str


class PromptedQuestionReader:
    """Asks a chat model, in one request, for the question as it stands alone, its jargon and its context.

    Only the ``parts`` named are taken from the reply, and the jargon of a follow-up only where its rewrite is. Code
    finds the places of the terms and their spelling. The context's probabilities are those of its letter, where the
    server gives log-probabilities.
    """

    def __init__(
        self,
        chat: ChatModel,
        dictionary: JargonDictionary,
        *,
        known_words: KnownWords | None = None,
        parts: Collection[str] = QUESTION_PARTS,
    ) -> None:
        self._prompted = PromptedModel(chat, Path(__file__).with_suffix(".toml"), max_tokens=_MAX_TOKENS)
        self._terms = ListedTerms(dictionary, known_words)
        self._parts = parts

    async def read(
        self, question: str, *, history: Sequence[Turn] = (), contexts: Sequence[Context] = (), department: str = ""
    ) -> UnderstoodQuestion:
        """Make ``question`` stand alone after ``history``, list its jargon, and say in which of ``contexts`` it is.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: the reply was cut, does not have the form asked for, or brings into the question what the
                conversation does not say.
        """
        inquiry = self._prompted.begin()
        letters = letters_for(len(contexts) + 1)
        conversation = shown_turns(history[-_MOST_TURNS:])
        variables = {
            "contexts": list_contexts(contexts, letters),
            "conversation": conversation or "(none)",
            "question": question.strip(),
            "department": one_line(department) or "none",
            "fence": make_fence(conversation, question),
        }
        answered = await inquiry.ask_once(inquiry.request(variables), _form(letters))
        reply, provenance = answered.value, inquiry.provenance()
        written = one_line(reply.question)
        changed = bool(conversation and written) and fold(written) != fold(one_line(question))
        text = written if changed else question
        keeps = "question_rewriting" in self._parts or not conversation
        added = find_addition(written, f"{conversation}\n{question}") if changed and keeps else ""
        if added:
            raise MalformedReply(f"The rewritten question cannot be used: {added}.")
        jargon = contexts_found = None
        if "jargon_identification" in self._parts and keeps:
            mentions = await self._terms.place(text, reply.terms)
            jargon = IdentifiedJargon(mentions=mentions, provenance=provenance)
        if "context_classification" in self._parts:
            (chosen,) = read_field_labels(answered.reply, "context", [reply.context], letters)
            contexts_found = verdict_of(contexts, chosen, provenance)
        return UnderstoodQuestion(
            rewritten=RewrittenQuestion(text=text, changed=changed, provenance=provenance) if keeps else None,
            jargon=jargon,
            contexts=contexts_found,
            provenance=provenance,
        )


def _form(letters: Sequence[str]) -> type[ReadQuestion]:
    """Make the form of a reply that chooses one of ``letters``."""

    class ReadFromList(ReadQuestion):
        """The reply that the prompt asks for."""

        context: str = Field(json_schema_extra={"enum": list(letters)})

        @field_validator("context")
        @classmethod
        def _letter_is_listed(cls, value: str) -> str:
            letter = value.strip(" )(.").upper()
            if letter not in letters:
                raise ValueError(f"the context is one letter of the list, {letters[0]} to {letters[-1]}")
            return letter

    return ReadFromList
