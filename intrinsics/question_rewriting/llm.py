"""Question rewriting on a chat model that may take words from the conversation only."""

import re
from collections.abc import Sequence

from pydantic import BaseModel, Field, model_validator

from contracts.question import MAX_QUESTION_CHARACTERS, RewrittenQuestion, Turn
from tools.fences import make_fence
from tools.judges import PromptedJudge
from tools.language import content_stems, find_quantities, find_words, fold

# A rewrite puts nouns for pronouns: where more of its words are new, it is something else, such as an answer.
_MOST_NEW_WORDS = 0.34
_CODE = re.compile(r"\w*\d\w*|\w*[A-Z]\w*[A-Z]\w*")


def find_addition(rewritten: str, said: str) -> str:
    """Return what is wrong with ``rewritten`` beside ``said``, the conversation with its question; "": nothing is.

    A number, code or abbreviation of its own is wrong, and so are words that are mostly new.
    """
    if not find_words(rewritten):
        return "there are no words in the question"
    codes = {fold(code) for code in _CODE.findall(said)} | {each.number for each in find_quantities(said)}
    new = [code for code in _CODE.findall(rewritten) if fold(code) not in codes]
    if new:
        return f"{new[0]!r} stands neither in the question nor in the conversation"
    stems, own = set(content_stems(said)), content_stems(rewritten)
    if sum(stem not in stems for stem in own) > _MOST_NEW_WORDS * len(own):
        return "most of these words stand neither in the question nor in the conversation"
    return ""


_MAX_TURNS = 12
_MAX_TURN_CHARACTERS = 1_000


class StandaloneQuestion(BaseModel):
    """The reply that the prompt asks for."""

    standalone: bool
    question: str = Field(min_length=1, max_length=MAX_QUESTION_CHARACTERS)


class PromptedQuestionRewriter(PromptedJudge):
    """Shows a chat model the conversation, and takes its question where it keeps to the conversation's words.

    A question that the model calls standalone stays as it was, letter by letter. A rewrite with numbers, codes or
    abbreviations of its own, or mostly with new words, is sent back once: it would search for what nobody asked. The
    first question of a conversation is not sent.

    Source: the query rewrite of the Granite library of RAG intrinsics (arXiv 2504.11704): JSON, unchanged where the
    question stands alone.
    """

    max_tokens = 400

    async def rewrite(self, question: str, history: Sequence[Turn]) -> RewrittenQuestion:
        """Make ``question``, the last turn after ``history``, stand alone; leave it as it is where it does already.

        The last 12 turns are shown.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies did not have the form asked for.
        """
        inquiry = self._prompted.begin()
        conversation = shown_turns(history[-_MAX_TURNS:])
        text = question
        if conversation and question.strip():
            fence = make_fence(conversation, question)
            request = inquiry.request({"conversation": conversation, "question": question.strip(), "fence": fence})
            reply = await inquiry.ask(request, _form(question, conversation))
            written = " ".join(reply.question.split())
            if not reply.standalone and fold(written) != fold(" ".join(question.split())):
                text = written
        return RewrittenQuestion(text=text, changed=text != question, provenance=inquiry.provenance())


def _form(question: str, conversation: str) -> type[StandaloneQuestion]:
    """Make the form of a reply whose words are those of the conversation."""
    said = f"{conversation}\n{question}"

    class KeptQuestion(StandaloneQuestion):
        """The reply that the prompt asks for."""

        @model_validator(mode="after")
        def _adds_nothing(self) -> "KeptQuestion":
            if self.standalone:
                return self
            added = find_addition(self.question, said)
            if added:
                raise ValueError(added)
            return self

    return KeptQuestion


def shown_turns(history: Sequence[Turn]) -> str:
    """Return the turns of a conversation, a line each and cut where they are long."""
    lines = (f"{turn.role}: {' '.join(turn.text.split())[:_MAX_TURN_CHARACTERS]}" for turn in history)
    return "\n".join(line for line, turn in zip(lines, history, strict=True) if turn.text.strip())
