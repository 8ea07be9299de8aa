"""A citation finder on a chat model that names passage sentences by number, each of them verified afterwards."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import BaseModel

from contracts.text import Passage
from contracts.verdicts import CitationVerdict
from intrinsics.citation.claims import Place, read_claim, verify_links
from tools.chat.base import ChatRequest
from tools.fences import fence_alone
from tools.judges import PromptedJudge, ask_grounded
from tools.language import split_sentences
from tools.prompting import Inquiry

_ID = re.compile(r"(?<![\d.])(\d{1,4})\.(\d{1,4})(?![\d.]\d)")
_TOKENS = 100
_TOKENS_A_SENTENCE = 40


class SentenceSources(BaseModel):
    """The sources of one answer sentence: its number, from 1, and ids such as "2.3"."""

    sentence: int
    ids: list[str]


class AnswerSources(BaseModel):
    """The reply that the prompt asks for."""

    citations: list[SentenceSources]


class PromptedCitationFinder(PromptedJudge):
    """Asks a chat model, in one request, for the passage sentences that each answer sentence rests on.

    Whatever it names is verified (see ``verify_links``): an id that was not shown is dropped, and so is a source that
    shares nothing with the claim. So a source in another language than the answer's counts only by its names and
    numbers. The ``score`` of a link says how far the claim's words stand in the source, as the code counts them; the
    model is not asked how sure it is.

    Source: the task, post-hoc citations of a finished answer by sentence numbers, is the citation intrinsic of the
    library of LLM intrinsics for RAG (Danilevsky et al. 2025, arXiv 2504.11704, section 9); prompt and checks are ours.
    """

    async def find(
        self, sentences: Sequence[str], passages: Sequence[Passage], *, question: str = ""
    ) -> CitationVerdict:
        """Link each answer sentence to the passage sentences it rests on; a sentence without evidence gets no link.

        A passage that comes without sentences is split into them. Nothing is asked where no sentence claims anything
        or no passage has text.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies did not have the form asked for.
        """
        inquiry = self._prompted.begin()
        claims = [claim for n, text in enumerate(sentences) if (claim := read_claim(n, text, least_words=1))]
        split = [each if each.sentences else replace(each, sentences=split_sentences(each.text)) for each in passages]
        named: Mapping[int, Sequence[Place]] = {}
        if claims and any(passage.sentences for passage in split):
            named = await _ask(inquiry, sentences, split)
        links = await asyncio.to_thread(verify_links, claims, named, split)
        return CitationVerdict(links=links, provenance=inquiry.provenance())


async def _ask(inquiry: Inquiry, sentences: Sequence[str], passages: Sequence[Passage]) -> dict[int, tuple[Place, ...]]:
    """Return the places named for each answer sentence, all counted from 0, those only whose mark was shown."""
    lines = (f"({number}) {' '.join(text.split())}" for number, text in enumerate(sentences, 1))
    answer = fence_alone("answer", "\n".join(lines))
    max_tokens = _TOKENS + _TOKENS_A_SENTENCE * len(sentences)

    async def asked(request: ChatRequest) -> tuple[AnswerSources, str]:
        return await inquiry.ask(request, AnswerSources), request.messages[-1].content

    reply, shown = await ask_grounded(inquiry, passages, {"answer": answer}, asked, max_tokens=max_tokens)
    return shown_places(reply.citations, shown)


def shown_places(citations: Sequence[SentenceSources], shown: str) -> dict[int, tuple[Place, ...]]:
    """Return the places that ``citations`` name for each answer sentence, counted from 0, whose mark is ``shown``."""
    named: dict[int, tuple[Place, ...]] = {}
    for one in citations:
        ids = [(int(match[1]), int(match[2])) for text in one.ids for match in _ID.finditer(text)]
        places = ((p - 1, s - 1) for p, s in ids if p > 0 and s > 0 and f"[{p}.{s}] " in shown)
        named[one.sentence - 1] = (*named.get(one.sentence - 1, ()), *places)
    return named
