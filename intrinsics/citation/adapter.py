"""Citations found by an adapter trained for it; each is verified afterwards."""

import re
from collections.abc import Mapping, Sequence

from contracts.errors import ConfigurationError, MalformedReply
from contracts.text import Passage
from contracts.verdicts import CitationVerdict
from intrinsics.citation.claims import Place, read_claim, verify_links
from tools.adapters.declaration import AdapterDeclaration
from tools.adapters.frozen_prompt import Conversation
from tools.adapters.inquiry import AdapterInquiry, read_json, records_form
from tools.chat.base import ChatModel, ChatReply, ChatRequest

# The prompt asks for plain numbers, but replies sometimes contain the marks from the prompt.
_MARK = re.compile(r'"?<[a-z](\d+)>"?')
_TOKENS_A_SENTENCE = 48


class AdaptedCitationFinder:
    """Asks an adapter, in one request, for the numbers of the passage sentences that each answer sentence is based on.

    Every source that it names is then verified without the model; see ``verify_links``.

    Source: the citation generation adapter of the Granite RAG library (arXiv 2504.11704, section 9).
    """

    def __init__(self, chat: ChatModel, adapter: AdapterDeclaration) -> None:
        if not adapter.prompt.passage_mark:
            raise ConfigurationError(
                f"The adapter file {adapter.path} lacks prompt.passage_mark: citations name sentences by their marks."
            )
        self._chat = chat
        self._adapter = adapter
        self._sentence, self._sources = adapter.field("sentence"), adapter.field("sources")
        self._form = records_form({self._sentence: int, self._sources: list[int]})

    async def find(
        self, sentences: Sequence[str], passages: Sequence[Passage], *, question: str = ""
    ) -> CitationVerdict:
        inquiry = AdapterInquiry(self._chat, self._adapter)
        claims = [claim for n, text in enumerate(sentences) if (claim := read_claim(n, text, least_words=1))]
        named: Mapping[int, Sequence[Place]] = {}
        if claims and any(passage.sentences for passage in passages):
            named = await self._ask(inquiry, question, sentences, passages)
            missing = ", ".join(str(claim.number) for claim in claims if claim.number not in named)
            if missing:
                raise MalformedReply(
                    f"The adapter {self._adapter.model} named no sources for sentences {missing} (counting from 0)."
                )
        return CitationVerdict(links=verify_links(claims, named, passages), provenance=inquiry.provenance())

    async def _ask(
        self, inquiry: AdapterInquiry, question: str, sentences: Sequence[str], passages: Sequence[Passage]
    ) -> Mapping[int, Sequence[Place]]:
        """Return the places named for each answer sentence (numbered from 0), if their marks were shown."""
        mark = self._adapter.prompt.passage_mark
        places = [(p, s) for p, passage in enumerate(passages) for s in range(max(1, len(passage.sentences)))]
        max_tokens = max(self._adapter.reply.max_tokens, _TOKENS_A_SENTENCE * len(sentences))

        def read(reply: ChatReply, request: ChatRequest) -> Mapping[int, Sequence[Place]]:
            rows = read_json(_MARK.sub(r"\1", reply.text), self._form)
            named: dict[int, list[Place]] = {}
            for row in rows:
                shown = [n for n in row[self._sources] if 0 <= n < len(places) and f"<{mark}{n}> " in request.prompt]
                named.setdefault(row[self._sentence], []).extend(places[n] for n in shown)
            return named

        asked = Conversation(question=question, answer=tuple(sentences), passages=tuple(passages))
        return await inquiry.ask(asked, read, schema=self._form.model_json_schema(), max_tokens=max_tokens)
