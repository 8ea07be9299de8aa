"""Context relevance on an adapter that was trained for it: one request per passage, all sent at the same time."""

from collections.abc import Callable, Sequence
from functools import partial

from contracts.errors import MalformedReply, Unavailable
from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import PassageRelevance, RelevanceLabel, RelevanceVerdict
from intrinsics.context_relevance.base import RelevanceJudge
from tools.adapters import AdapterDeclaration, AdapterInquiry, Conversation, read_json, record_form
from tools.chat.base import ChatModel, ChatReply
from tools.chat.errors import ChatRefused
from tools.concurrency import run_concurrently
from tools.labels import read_field_labels

# The adapter was trained on three classes; it knows none that misleads.
_LABELS: tuple[RelevanceLabel, ...] = ("relevant", "partial", "irrelevant")
# Requests sent at the same time.
_AT_ONCE = 16


class AdaptedRelevanceJudge:
    """Asks an adapter for one of three words per passage; ``probability`` is that of the first two together.

    It comes from the log-probabilities of the word's first token, where the server gives them. A passage whose reply
    cannot be read, or that the server refuses, is judged by ``second``, and the provenance says so. Without a
    second judge, and where the adapter gave no verdict at all, the error is raised.

    Source: the context relevance adapter of the Granite RAG library (arXiv 2504.11704, section 4).
    """

    def __init__(
        self,
        chat: ChatModel,
        adapter: AdapterDeclaration,
        *,
        second: RelevanceJudge | None = None,
    ) -> None:
        self._chat = chat
        self._adapter = adapter
        self._second = second
        self._field = adapter.field("label")
        self._words = adapter.labels(*_LABELS)
        self._form = record_form({self._field: str})

    async def judge(self, question: str, passages: Sequence[Passage]) -> RelevanceVerdict:
        inquiry = AdapterInquiry(self._chat, self._adapter)
        judged = await run_concurrently(
            [partial(self._judge, inquiry, question, passage) for passage in passages], _AT_ONCE
        )
        return await _fill_gaps(judged, question, passages, self._second, inquiry.provenance)

    async def _judge(self, inquiry: AdapterInquiry, question: str, passage: Passage) -> PassageRelevance | Unavailable:
        """Return the verdict on a passage, or why there is none, where that lies at this passage."""
        if not passage.text.strip():
            return PassageRelevance(label="irrelevant", probability=0.0)
        conversation = Conversation(question=question, passages=(passage,))
        request = inquiry.request(conversation, schema=self._form.model_json_schema(), measured=True)
        try:
            return self._read(await inquiry.complete(request))
        except (MalformedReply, ChatRefused) as error:
            return error

    def _read(self, reply: ChatReply) -> PassageRelevance:
        said = str(read_json(reply.text, self._form)[self._field]).strip().casefold()
        words = [word.casefold() for word in self._words]
        if said not in words:
            raise MalformedReply(f'The adapter {self._adapter.model} answered "{said[:60]}", none of its labels.')
        (label,) = read_field_labels(reply, self._field, [self._words[words.index(said)]], self._words)
        relevant, partly, _ = label.probabilities
        return PassageRelevance(label=_LABELS[words.index(said)], probability=relevant + partly)


async def _fill_gaps(
    judged: Sequence[PassageRelevance | Unavailable],
    question: str,
    passages: Sequence[Passage],
    second: RelevanceJudge | None,
    provenance: Callable[[], Provenance],
) -> RelevanceVerdict:
    """Return the verdict made of ``judged``, one per passage, with those of ``second`` where there is an error.

    The provenance then says of how many passages.

    Raises:
        Unavailable: the first error, where there is no second judge, or no passage with text has a verdict.
    """
    failed = {index: each for index, each in enumerate(judged) if isinstance(each, Unavailable)}
    verdicts = tuple(each for each in judged if not isinstance(each, Unavailable))
    if not failed:
        return RelevanceVerdict(passages=verdicts, provenance=provenance())
    error = next(iter(failed.values()))
    asked = sum(bool(passage.text.strip()) for passage in passages)
    if second is None or len(failed) == asked:
        raise error
    # All of them, since a judge may compare the passages with one another.
    instead = (await second.judge(question, passages)).passages
    return RelevanceVerdict(
        passages=tuple(instead[index] if isinstance(each, Unavailable) else each for index, each in enumerate(judged)),
        provenance=provenance().model_copy(
            update={"degraded": f"the language model gave no verdict on {len(failed)} of {asked} passages ({error})"}
        ),
    )
