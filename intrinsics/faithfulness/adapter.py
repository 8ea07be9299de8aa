"""Faithfulness with an adapter trained for it, which is overruled if numbers or codes are made up."""

from collections.abc import Mapping, Sequence

from contracts.errors import MalformedReply
from contracts.text import Passage
from contracts.verdicts import FaithfulnessLabel, FaithfulnessVerdict, SentenceFaithfulness
from intrinsics.faithfulness.claims import LONGEST_REASON, judge_claims
from tools.adapters.declaration import AdapterDeclaration
from tools.adapters.frozen_prompt import Conversation
from tools.adapters.inquiry import AdapterInquiry, read_json, records_form
from tools.chat.base import ChatModel, ChatReply, ChatRequest
from tools.judges import one_line, shortened
from tools.labels import read_field_labels

_LABELS: tuple[FaithfulnessLabel, ...] = ("faithful", "partial", "unfaithful", "no_claim")
# The adapter writes a reason for each sentence.
_TOKENS_A_SENTENCE = 128


class AdaptedFaithfulnessJudge:
    """Asks an adapter, in one request for the whole answer, for a reason and a label for each sentence.

    ``probability`` is computed from the log-probabilities of the label, if the server returns them. As in the prompted
    judge, the final decision does not depend on the model alone: made-up numbers and codes are always unfaithful.

    Source: the hallucination detection adapter of the Granite RAG library (arXiv 2504.11704, section 8).
    """

    def __init__(self, chat: ChatModel, adapter: AdapterDeclaration) -> None:
        self._chat = chat
        self._adapter = adapter
        self._words = adapter.labels(*_LABELS)
        self._sentence, self._label = adapter.field("sentence"), adapter.field("label")
        self._reason = adapter.field("reason")
        self._form = records_form({self._sentence: int, self._reason: str, self._label: str})

    async def judge(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> FaithfulnessVerdict:
        inquiry = AdapterInquiry(self._chat, self._adapter)
        schema = self._form.model_json_schema()
        max_tokens = max(self._adapter.reply.max_tokens, _TOKENS_A_SENTENCE * len(sentences))
        shown = Conversation(question=question, answer=tuple(sentences), passages=tuple(passages))

        async def ask(asked: Sequence[int]) -> Mapping[int, SentenceFaithfulness]:
            judged = await inquiry.ask(shown, self._read, schema=schema, max_tokens=max_tokens, measured=True)
            if missing := [str(n) for n in asked if n not in judged]:
                raise MalformedReply(
                    f"The adapter {self._adapter.model} did not judge sentences {', '.join(missing)} (counting from 0)."
                )
            return judged

        verdicts = await judge_claims(question, sentences, passages, ask)
        return FaithfulnessVerdict(sentences=verdicts, provenance=inquiry.provenance())

    def _read(self, reply: ChatReply, _: ChatRequest) -> Mapping[int, SentenceFaithfulness]:
        """Return the verdict on each sentence (numbered from 0); if a sentence has several, return the first."""
        rows = read_json(reply.text, self._form)
        ours = {word.casefold(): (label, word) for label, word in zip(_LABELS, self._words, strict=True)}
        said = [str(row[self._label]).strip() for row in rows]
        unknown = [each for each in said if each.casefold() not in ours]
        if unknown:
            raise MalformedReply(
                f'The adapter {self._adapter.model} answered "{unknown[0][:60]}", which is none of its labels.'
            )
        named = [ours[each.casefold()][1] for each in said]
        measured = read_field_labels(reply, self._label, named, self._words)
        found: dict[int, SentenceFaithfulness] = {}
        for row, each, label in zip(rows, said, measured, strict=True):
            mine = ours[each.casefold()][0]
            verdict = SentenceFaithfulness(
                label=mine,
                probability=1.0 if mine == "no_claim" else label.probability_of(self._words[0]),
                reason=shortened(one_line(row[self._reason]), LONGEST_REASON),
            )
            found.setdefault(row[self._sentence], verdict)
        return found
