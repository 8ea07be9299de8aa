"""Certainty on an adapter that was trained for it: a percentage in ten steps, of the writer's own base model."""

import re

from contracts.errors import MalformedReply
from contracts.verdicts import CertaintyVerdict
from intrinsics.certainty.base import AnswerEvidence
from tools.adapters import AdapterDeclaration, AdapterInquiry, Conversation
from tools.chat.base import ChatModel, ChatRequest

# "85%", or the bare step "8" that earlier adapters of the same kind answer with. What follows says nothing.
_PERCENT = re.compile(r"\s*(\d{1,3})\s*%")
_STEP = re.compile(r"\s*(\d)(?![\d.,])")


class AdaptedCertaintyEstimator:
    """Asks an adapter how certain the answer is, and gives the middle of the step that it names: 0.05, 0.15, …, 0.95.

    It was calibrated on answers of its own base model: of another model's answers it is no more than a hint.

    Source: the uncertainty adapter of the Granite RAG library (arXiv 2504.11704, section 7.1).
    """

    def __init__(self, chat: ChatModel, adapter: AdapterDeclaration) -> None:
        self._chat = chat
        self._adapter = adapter

    async def estimate(self, evidence: AnswerEvidence) -> CertaintyVerdict:
        """Say how probable it is that the answer is right, in steps of 0.1; 0 where there is no answer or no passage.

        Raises:
            ChatUnavailable: the server does not answer, or not even one passage fits its window.
            MalformedReply: the reply is no percentage.
        """
        inquiry = AdapterInquiry(self._chat, self._adapter)
        probability = 0.0
        if evidence.answer.strip() and evidence.passages:

            def request_of(number: int) -> ChatRequest:
                passages = evidence.passages[:number]
                return inquiry.request(
                    Conversation(question=evidence.question, answer=(evidence.answer,), passages=passages)
                )

            async def ask(request: ChatRequest) -> float:
                return read_certainty((await inquiry.complete(request)).text)

            probability = await inquiry.fitting(request_of, len(evidence.passages), ask)
        return CertaintyVerdict(probability=probability, provenance=inquiry.provenance())


def read_certainty(text: str) -> float:
    """Return the middle of the step of 10 % that a reply begins with: 0.85 for "85%", "8" and "80%".

    Raises:
        MalformedReply: it begins with no percentage.
    """
    percent, step = _PERCENT.match(text), _STEP.match(text)
    if percent and int(percent[1]) <= 100:
        tenth = min(int(percent[1]) // 10, 9)
    elif step:
        tenth = int(step[1])
    else:
        raise MalformedReply(f'The reply "{" ".join(text.split())[:60]}" is no percentage.')
    return (2 * tenth + 1) / 20
