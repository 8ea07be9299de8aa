"""Context classification on a chat model that reasons before it chooses from the list."""

from collections.abc import Sequence
from itertools import islice, product
from pathlib import Path
from string import ascii_uppercase

from pydantic import BaseModel, Field, model_validator

from contracts.jargon import Context
from contracts.provenance import Provenance
from contracts.question import Turn
from contracts.text import Passage
from contracts.verdicts import ContextProbability, ContextVerdict
from tools.chat.base import ChatModel
from tools.fences import make_fence
from tools.judges import headings_of, one_line
from tools.labels import LabelReply
from tools.prompting import PromptedModel

_EARLIER_TURNS = 4
_MAX_TURN_CHARACTERS = 400
_MOST_EXAMPLES = 5
_MOST_PASSAGES = 3
_MAX_PASSAGE_CHARACTERS = 300


class ChosenContext(BaseModel):
    """The reply that the prompt asks for."""

    reasoning: str
    context: str


class PromptedContextClassifier:
    """Shows a chat model the named contexts, lets it reason, and reads how probable each one's letter is.

    The probabilities are the log-probabilities of the letters behind the reasoning, or the stated one where the server
    gives none.

    Source: the context list of Golden-Retriever (arXiv 2408.00798, section 3.3), few-shot with reasoning.
    """

    def __init__(
        self, chat: ChatModel, *, model: str = "", max_tokens: int = 400, prompt_path: Path | None = None
    ) -> None:
        path = prompt_path or Path(__file__).with_name("llm.toml")
        self._prompted = PromptedModel(chat, path, model=model, max_tokens=max_tokens)

    async def classify(
        self,
        question: str,
        contexts: Sequence[Context],
        *,
        history: Sequence[Turn] = (),
        department: str = "",
        passages: Sequence[Passage] = (),
    ) -> ContextVerdict:
        """Say how probable each of ``contexts`` is for ``question``; where there is none, nothing is asked.

        Evidence besides: the ``history``, the asker's ``department`` (a context's name), and ``passages`` that they may
        read and that the question finds.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies did not have the form asked for.
        """
        inquiry = self._prompted.begin()
        if not contexts:
            return ContextVerdict(contexts=(), none_of_these=1.0, provenance=inquiry.provenance())
        letters = letters_for(len(contexts) + 1)
        shown = _evidence(question, history, department, passages)
        fence = make_fence(shown)
        variables = {"contexts": list_contexts(contexts, letters), "question": shown, "fence": fence}
        form, request = _form(letters), inquiry.request(variables)
        _, (chosen,) = await inquiry.ask_labelled(request, form, "context", letters, lambda reply: [reply.context])
        return verdict_of(contexts, chosen, inquiry.provenance())


def _form(letters: Sequence[str]) -> type[ChosenContext]:
    """Make the form of a reply that chooses one of ``letters``."""

    class ChosenFromList(ChosenContext):
        """The reply that the prompt asks for."""

        # A server that decodes by schema can write nothing but a letter; of the others it is read more kindly.
        context: str = Field(json_schema_extra={"enum": list(letters)})

        @model_validator(mode="after")
        def _letter_islist_contexts(self) -> "ChosenFromList":
            self.context = self.context.strip(" )(.").upper()
            if self.context not in letters:
                raise ValueError(f"the context is one letter of the list, {letters[0]} to {letters[-1]}")
            return self

    return ChosenFromList


def verdict_of(contexts: Sequence[Context], chosen: LabelReply, provenance: Provenance) -> ContextVerdict:
    """Return the verdict of the letters ``chosen``, those of ``contexts`` and the last one for none of these."""
    found = [
        ContextProbability(name=context.name, probability=share)
        for context, share in zip(contexts, chosen.probabilities, strict=False)
    ]
    return ContextVerdict(
        contexts=tuple(sorted(found, key=lambda each: (-each.probability, each.name))),
        none_of_these=chosen.probabilities[-1],
        provenance=provenance,
    )


def letters_for(number: int) -> tuple[str, ...]:
    """Return ``number`` labels of equal length, none of which begins another: A, B, …, or AA, AB, …"""
    length = 1
    while len(ascii_uppercase) ** length < number:
        length += 1
    return tuple("".join(each) for each in islice(product(ascii_uppercase, repeat=length), number))


def list_contexts(contexts: Sequence[Context], letters: Sequence[str]) -> str:
    """Return a line a context, each behind its letter; the last letter is that of none of these."""
    lines = []
    for letter, context in zip(letters, contexts, strict=False):
        line = f"{letter}) {one_line(context.name)}: {one_line(context.description) or 'no description'}"
        examples = [one_line(example) for example in context.examples[:_MOST_EXAMPLES]]
        lines.append(line + (f" Asked in it: {' '.join(examples)}" if examples else ""))
    return "\n".join([*lines, f"{letters[-1]}) none of these"])


def _evidence(question: str, history: Sequence[Turn], department: str, passages: Sequence[Passage]) -> str:
    """Return the question and what else is known, a line each."""
    lines = [f"Earlier {turn.role}: {one_line(turn.text)[:_MAX_TURN_CHARACTERS]}" for turn in history[-_EARLIER_TURNS:]]
    lines.append(f"Question: {one_line(question)}")
    if department.strip():
        lines.append(f"Department: {one_line(department)}")
    for passage in passages[:_MOST_PASSAGES]:
        place = headings_of(passage)
        text = one_line(f"{place}: {passage.text}" if place else passage.text)
        lines.append(f"Found in documents: {text[:_MAX_PASSAGE_CHARACTERS]}")
    return "\n".join(lines)
