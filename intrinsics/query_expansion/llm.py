"""Query expansion on a chat model: answers that might stand in a document, their questions, and other words."""

from collections.abc import Sequence
from itertools import chain, zip_longest

from pydantic import BaseModel, Field, model_validator

from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import QueryVariants
from tools.fences import make_fence
from tools.judges import PromptedJudge, headings_of, one_line
from tools.language import find_words, fold

_MOST_OF_A_KIND = 2
_MAX_VARIANTS = 5
_MAX_CHARACTERS = 400
_MOST_HEADINGS = 5


class WordedQueries(BaseModel):
    """The reply that the prompt asks for."""

    answers: list[str] = Field(default_factory=list)
    backward: list[str] = Field(default_factory=list)
    synonymic: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def _holds_something(self) -> "WordedQueries":
        if not any(find_words(text) for text in (*self.answers, *self.backward, *self.synonymic)):
            raise ValueError("there is no text to search with")
        return self


class PromptedQueryExpander(PromptedJudge):
    """Asks a chat model once for texts of three kinds: sampled answers, the questions behind them, synonymic rewrites.

    All are asked for in one reply, so that the backward questions are written from the answers. At most
    five are searched with, one of each kind first. The answers are made up: they are searched with and never shown.

    Source: the query expansion of the Granite library of RAG intrinsics (arXiv 2504.11704, section 3), where the union
    of the kinds finds more than the best of them.
    """

    max_tokens = 600

    async def expand(self, question: AugmentedQuestion, seen: Sequence[Passage]) -> QueryVariants:
        inquiry = self._prompted.begin()
        variables = _variables(question, seen)
        fence = make_fence(*variables.values())
        request = inquiry.request({**variables, "fence": fence, "most": _MOST_OF_A_KIND})
        reply = await inquiry.ask(request, WordedQueries)
        kinds = [texts[:_MOST_OF_A_KIND] for texts in (reply.answers, reply.backward, reply.synonymic)]
        own = {_key(question.question), _key(question.text)}
        variants: dict[str, str] = {}
        for text in chain.from_iterable(zip_longest(*kinds, fillvalue="")):
            plain = one_line(text)[:_MAX_CHARACTERS]
            if find_words(plain) and _key(plain) not in own:
                variants.setdefault(_key(plain), plain)
        return QueryVariants(variants=tuple(variants.values())[:_MAX_VARIANTS], provenance=inquiry.provenance())


def _variables(question: AugmentedQuestion, seen: Sequence[Passage]) -> dict[str, str]:
    meanings = [
        f"{reading.sense.term}: {reading.sense.extended_name}"
        for reading in question.readings
        if reading.sense is not None
    ]
    headings = [place for place in dict.fromkeys(map(headings_of, seen)) if place][:_MOST_HEADINGS]
    return {
        "question": one_line(question.question),
        "context": one_line(question.context) or "none",
        "meanings": one_line("; ".join(meanings)) or "none",
        "headings": one_line("; ".join(headings)) or "none",
    }


def _key(text: str) -> str:
    return fold(one_line(text)).rstrip("?.! ")
