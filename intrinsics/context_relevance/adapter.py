"""Context relevance on an adapter that was trained for it: one passage a request, all of them at once."""

import asyncio
from collections.abc import Sequence

from pydantic import BaseModel, create_model

from contracts.errors import MalformedReply
from contracts.text import Passage
from contracts.verdicts import PassageRelevance, RelevanceLabel, RelevanceVerdict
from tools.adapters import AdapterDeclaration, AdapterInquiry, Conversation, read_json
from tools.chat.base import ChatModel
from tools.labels import read_field_labels

# The adapter was trained on three classes; it knows none that misleads.
_LABELS: tuple[RelevanceLabel, ...] = ("relevant", "partial", "irrelevant")


class AdaptedRelevanceJudge:
    """Asks an adapter for one of three words a passage; ``probability`` is that of the first two together.

    It comes from the log-probabilities of the word's first token, where the server gives them.

    Source: the context relevance adapter of the Granite RAG library (arXiv 2504.11704, section 4).
    """

    def __init__(self, chat: ChatModel, adapter: AdapterDeclaration) -> None:
        self._chat = chat
        self._adapter = adapter
        self._field = adapter.field("label")
        self._words = adapter.labels(*_LABELS)
        self._form: type[BaseModel] = create_model("RelevanceReply", **{self._field: (str, ...)})  # type: ignore[call-overload]

    async def judge(self, question: str, passages: Sequence[Passage]) -> RelevanceVerdict:
        """Judge each passage's relevance to ``question``: one verdict a passage, in their order.

        Raises:
            ChatUnavailable: the server does not answer.
            MalformedReply: a reply names none of the labels.
        """
        inquiry = AdapterInquiry(self._chat, self._adapter)
        asked = [asyncio.ensure_future(self._judge_one(inquiry, question, passage)) for passage in passages]
        try:
            verdicts = await asyncio.gather(*asked)
        finally:
            for each in asked:
                each.cancel()
        return RelevanceVerdict(passages=tuple(verdicts), provenance=inquiry.provenance())

    async def _judge_one(self, inquiry: AdapterInquiry, question: str, passage: Passage) -> PassageRelevance:
        if not passage.text.strip():
            return PassageRelevance(label="irrelevant", probability=0.0)
        conversation = Conversation(question=question, passages=(passage,))
        reply = await inquiry.complete(inquiry.request(conversation, schema=self._form.model_json_schema()))
        said = str(getattr(read_json(reply.text, self._form), self._field)).strip().casefold()
        words = [word.casefold() for word in self._words]
        if said not in words:
            raise MalformedReply(
                f'The adapter {self._adapter.model} answered "{said[:60]}", which is none of its labels.'
            )
        (label,) = read_field_labels(reply, self._field, [self._words[words.index(said)]], self._words)
        relevant, partial, _ = label.probabilities
        return PassageRelevance(label=_LABELS[words.index(said)], probability=relevant + partial)
