"""Context relevance with an adapter trained for it, with one request per passage, sent in parallel."""

from collections.abc import Sequence
from functools import partial

from contracts.errors import MalformedReply
from contracts.text import Passage
from contracts.verdicts import PassageRelevance, RelevanceLabel, RelevanceVerdict
from tools.adapters.declaration import AdapterDeclaration
from tools.adapters.frozen_prompt import Conversation
from tools.adapters.inquiry import AdapterInquiry, read_json, record_form
from tools.chat.base import ChatModel, ChatReply, ChatRequest
from tools.concurrency import run_concurrently
from tools.labels import read_field_labels

# The adapter was trained on three classes, without "misleading".
_LABELS: tuple[RelevanceLabel, ...] = ("relevant", "partial", "irrelevant")
# The maximum number of parallel requests.
_AT_ONCE = 16


class AdaptedRelevanceJudge:
    """Asks an adapter for one of three words per passage; ``probability`` is the sum for the first two words.

    It comes from the log-probabilities of the first token of the word, if the server returns them.

    Source: the context relevance adapter of the Granite RAG library (arXiv 2504.11704, section 4).
    """

    def __init__(self, chat: ChatModel, adapter: AdapterDeclaration) -> None:
        self._chat = chat
        self._adapter = adapter
        self._field = adapter.field("label")
        self._words = adapter.labels(*_LABELS)
        self._form = record_form({self._field: str})

    async def judge(self, question: str, passages: Sequence[Passage]) -> RelevanceVerdict:
        inquiry = AdapterInquiry(self._chat, self._adapter)
        judged = await run_concurrently(
            [partial(self._judge, inquiry, question, passage) for passage in passages], _AT_ONCE
        )
        return RelevanceVerdict(passages=judged, provenance=inquiry.provenance())

    async def _judge(self, inquiry: AdapterInquiry, question: str, passage: Passage) -> PassageRelevance:
        if not passage.text.strip():
            return PassageRelevance(label="irrelevant", probability=0.0)
        conversation = Conversation(question=question, passages=(passage,))
        return await inquiry.ask(conversation, self._read, schema=self._form.model_json_schema(), measured=True)

    def _read(self, reply: ChatReply, _: ChatRequest) -> PassageRelevance:
        said = str(read_json(reply.text, self._form)[self._field]).strip().casefold()
        words = [word.casefold() for word in self._words]
        if said not in words:
            raise MalformedReply(
                f'The adapter {self._adapter.model} answered "{said[:60]}", which is not one of its labels.'
            )
        (label,) = read_field_labels(reply, self._field, [self._words[words.index(said)]], self._words)
        relevant, partly = label.probabilities[:2]
        return PassageRelevance(label=_LABELS[words.index(said)], probability=relevant + partly)
