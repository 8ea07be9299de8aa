"""Certainty with an adapter trained for it, which answers with a percentage in ten steps."""

import math
import re

from contracts.errors import MalformedReply
from contracts.verdicts import CertaintyVerdict
from intrinsics.certainty.base import AnswerEvidence
from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
from intrinsics.certainty.llm import bound_by
from tools.adapters.declaration import AdapterDeclaration
from tools.adapters.frozen_prompt import Conversation
from tools.adapters.inquiry import AdapterInquiry
from tools.chat.base import ChatModel, ChatReply
from tools.labels import LabelReply, label_probabilities, options_at, unmeasured

# "85%", or the single digit "8" that earlier adapters of this kind answer with. Text after it is ignored.
_PERCENT = re.compile(r"\s*(\d{1,2}|100)\s*%")
_STEP = re.compile(r"\s*(\d)(?![\d.,])")
_DIGITS = 2
# Step d means 10·d to 10·d + 10 per cent. Each step has one digit, so that the first token distinguishes the steps.
STEPS = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")


def certainty_of(reply: LabelReply) -> float:
    """Return the mean of the midpoints of the steps, rounded to 0.1; ties are rounded down.

    The mean is weighted by the probabilities of the steps if the server returns them; otherwise, the midpoint of
    the named step is used.
    """
    middles = [int(label) + 0.5 for label in reply.labels]
    if not reply.measured:
        tenths = middles[reply.labels.index(reply.label)]
    else:
        tenths = sum(p * middle for p, middle in zip(reply.probabilities, middles, strict=True))
    # The sum is rounded first, because sums of floats miss ties by a tiny amount.
    return round(math.ceil(round(tenths, 6) - 0.5) / 10, 1)


class AdaptedCertaintyEstimator:
    """Asks an adapter how certain the answer is; it replies with the midpoint of one of ten steps: 05%, 15%, …, 95%.

    The estimate is computed from the steps, rounded and limited; see ``certainty_of`` and ``bound_by``. The adapter was
    calibrated on answers from its own base model, so for answers from a different model it is only a rough estimate.

    Source: the uncertainty adapter of the Granite RAG library (arXiv 2504.11704, section 7.1).
    """

    def __init__(self, chat: ChatModel, adapter: AdapterDeclaration) -> None:
        self._chat = chat
        self._adapter = adapter
        self._bound = EmbeddedCertaintyEstimator()

    async def estimate(self, evidence: AnswerEvidence) -> CertaintyVerdict:
        inquiry = AdapterInquiry(self._chat, self._adapter)
        probability = 0.0
        if evidence.answer.strip() and evidence.passages:
            shown = Conversation(question=evidence.question, answer=(evidence.answer,), passages=evidence.passages)
            reply = await inquiry.ask(shown, lambda said, _: read_step(said), measured=True)
            probability = await bound_by(self._bound, evidence, certainty_of(reply))
        return CertaintyVerdict(probability=probability, provenance=inquiry.provenance())


def read_step(reply: ChatReply) -> LabelReply:
    """Read the step (of 10 per cent) at the beginning of a reply: 8 for "85%" and "8", 0 for "05%".

    The first digit is the step, so the probability of each step is that of its token, if the server returns it.

    Raises:
        MalformedReply: the reply does not begin with a percentage.
    """
    percent, step = _PERCENT.match(reply.text), _STEP.match(reply.text)
    if percent is None and step is None:
        raise MalformedReply(f'The reply "{" ".join(reply.text.split())[:60]}" is not a percentage.')
    found = percent or step
    assert found is not None
    named = STEPS[min(int(percent[1]) // 10, 9)] if percent else found[1]
    measured = label_probabilities(options_at(reply.tokens or (), found.start(1)), STEPS)
    # In "5%" and "100%", the first digit is not the step.
    if measured is None or (percent and len(percent[1]) != _DIGITS):
        return unmeasured(named, STEPS)
    return LabelReply(label=named, labels=STEPS, probabilities=measured, measured=True)
