"""The rewrite, jargon and context of a question, in one call to a chat model."""

from collections.abc import Collection, Sequence
from itertools import islice, product
from pathlib import Path
from string import ascii_uppercase

from pydantic import BaseModel, Field, field_validator

from contracts.errors import MalformedReply
from contracts.jargon import Context
from contracts.question import RewrittenQuestion, Turn
from contracts.verdicts import ContextVerdict, IdentifiedJargon, UnderstoodQuestion
from intrinsics.combined.base import QUESTION_PARTS
from intrinsics.jargon_identification.dictionary_terms import KnownWords
from intrinsics.jargon_identification.listed_terms import ListedTerms
from intrinsics.question_rewriting.additions import find_addition
from tools.chat.base import ChatModel
from tools.jargon.base import JargonDictionary
from tools.judges import one_line
from tools.labels import read_field_labels
from tools.language import fold
from tools.prompt_delimiters import make_code
from tools.prompted_model import PromptedModel

_MAX_TOKENS = 300
_MOST_TURNS = 6
_MAX_TURN_CHARACTERS = 1_000
_MOST_EXAMPLES = 5


class ReadQuestion(BaseModel):
    """The reply that the prompt asks for; ``question`` is empty if the question stands alone."""

    question: str
    terms: list[str]
    context: str


class PromptedQuestionReader:
    """Asks a chat model, in one request, for a standalone question, its jargon and its context.

    Only the requested ``parts`` of the reply are used; the jargon of a follow-up is used only together with its
    rewrite. The places and spellings of the terms are found without the model. If the server returns log-probabilities,
    the probabilities of the contexts are those of their letters.
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
        inquiry = self._prompted.begin()
        letters = _letters(len(contexts) + 1)
        conversation = _shown_turns(history[-_MOST_TURNS:])
        variables = {
            "contexts": _listed_contexts(contexts, letters),
            "conversation": conversation or "(none)",
            "question": question.strip(),
            "department": one_line(department) or "none",
            "code": make_code(conversation, question),
        }
        read, reply = await inquiry.ask_once(inquiry.request(variables), _form(letters))
        provenance = inquiry.provenance()
        written = one_line(read.question)
        changed = bool(conversation and written) and fold(written) != fold(one_line(question))
        text = written if changed else question
        keeps = "question_rewriting" in self._parts or not conversation
        added = find_addition(written, f"{conversation}\n{question}") if changed and keeps else ""
        if added:
            raise MalformedReply(f"The rewritten question cannot be used: {added}.")
        jargon = contexts_found = None
        if "jargon_identification" in self._parts and keeps:
            mentions = await self._terms.place(text, read.terms)
            jargon = IdentifiedJargon(mentions=mentions, provenance=provenance)
        if "context_classification" in self._parts:
            (chosen,) = read_field_labels(reply, "context", [read.context], letters)
            contexts_found = ContextVerdict.of(contexts, chosen.probabilities, provenance)
        return UnderstoodQuestion(
            rewritten=RewrittenQuestion(text=text, changed=changed, provenance=provenance) if keeps else None,
            jargon=jargon,
            contexts=contexts_found,
            provenance=provenance,
        )


def _form(letters: Sequence[str]) -> type[ReadQuestion]:
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


def _shown_turns(history: Sequence[Turn]) -> str:
    """Return the turns of a conversation, one per line; long turns are shortened."""
    lines = (f"{turn.role}: {' '.join(turn.text.split())[:_MAX_TURN_CHARACTERS]}" for turn in history)
    return "\n".join(line for line, turn in zip(lines, history, strict=True) if turn.text.strip())


def _letters(number: int) -> tuple[str, ...]:
    """Return ``number`` labels of equal length: A, B, …, or AA, AB, …"""
    length = 1
    while len(ascii_uppercase) ** length < number:
        length += 1
    return tuple("".join(each) for each in islice(product(ascii_uppercase, repeat=length), number))


def _listed_contexts(contexts: Sequence[Context], letters: Sequence[str]) -> str:
    """Return one line per context, beginning with its letter; the last letter means "none of these"."""
    lines = []
    for letter, context in zip(letters, contexts, strict=False):
        line = f"{letter}) {one_line(context.name)}: {one_line(context.description) or 'no description'}"
        examples = [one_line(example) for example in context.examples[:_MOST_EXAMPLES]]
        lines.append(line + (f" Asked in it: {' '.join(examples)}" if examples else ""))
    return "\n".join([*lines, f"{letters[-1]}) none of these"])
