"""Certainty on a chat model: one of ten steps, weighed by how probable the model holds each of them."""

import math
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, field_validator

from contracts.verdicts import CertaintyVerdict
from intrinsics.certainty.base import AnswerEvidence, CertaintyEstimator
from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
from tools.chat.base import ChatModel, ChatRequest
from tools.fences import fence_alone
from tools.judges import ask_grounded
from tools.labels import LabelReply
from tools.prompting import PromptedModel

# Step d stands for the ten per cent from 10·d on; one digit each, so that the first token tells them apart.
STEPS = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")


def certainty_of(reply: LabelReply) -> float:
    """Return the mean of the steps' middles in steps of 0.1, a middle between two of them downwards.

    Each middle is weighed by its step's probability where the server gives one; else it is that of the step named.
    """
    middles = [int(label) + 0.5 for label in reply.labels]
    if not reply.measured:
        tenths = middles[reply.labels.index(reply.label)]
    else:
        tenths = sum(p * middle for p, middle in zip(reply.probabilities, middles, strict=True))
    # Sums of floats miss a middle by a hair.
    return round(math.ceil(round(tenths, 6) - 0.5) / 10, 1)


async def bound_by(embedded: CertaintyEstimator, evidence: AnswerEvidence, probability: float) -> float:
    """Return ``probability``, or where no sentence of the answer is faithful at most what ``embedded`` makes of it."""
    if any(each.label == "faithful" for each in evidence.faithfulness.sentences):
        return probability
    return min(probability, (await embedded.estimate(evidence)).probability)


_Step = Literal["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]


class ChosenStep(BaseModel):
    """The reply that the prompt asks for."""

    certainty: _Step

    @field_validator("certainty", mode="before")
    @classmethod
    def _read_digit(cls, value: object) -> object:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class PromptedCertaintyEstimator:
    """Asks a chat model, in one request, for the step of ten per cent in which an answer's certainty lies.

    Step d stands for its middle, (10·d + 5) %. With log-probabilities the estimate is the mean of the middles, each
    weighed by its step's probability; without them, it is the middle of the step named. It is rounded to a tenth, a
    middle itself downwards: what is told to an asker rather falls short. So the estimates run from 0.0 to 0.9, and step
    d alone becomes d/10. Where no sentence of the answer is faithful, the estimate is at most what the embedded
    estimator makes of the other judgements.

    Source: steps of ten per cent whose middles are 5 % to 95 % are those of the uncertainty intrinsic of the library of
    LLM intrinsics for RAG (Danilevsky et al. 2025, arXiv 2504.11704, section 7). That adapter is calibrated and a
    prompt is not. The mean over the steps, the rounding and the bound are ours.
    """

    def __init__(
        self, chat: ChatModel, *, model: str = "", max_tokens: int = 40, prompt_path: Path | None = None
    ) -> None:
        path = prompt_path or Path(__file__).with_name("llm.toml")
        self._prompted = PromptedModel(chat, path, model=model, max_tokens=max_tokens)
        self._bound = EmbeddedCertaintyEstimator()

    async def estimate(self, evidence: AnswerEvidence) -> CertaintyVerdict:
        """Say how probable it is that the answer is right, in steps of 0.1; 0 without an answer or without passages.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies named no step.
        """
        inquiry = self._prompted.begin()
        probability = 0.0
        if evidence.answer.strip() and evidence.passages:
            more = {
                "question": fence_alone("question", evidence.question),
                "answer": fence_alone("answer", evidence.answer),
            }

            async def chosen(request: ChatRequest) -> LabelReply:
                named = await inquiry.ask_labelled(
                    request, ChosenStep, "certainty", STEPS, lambda form: [form.certainty]
                )
                return named[1][0]

            reply = await ask_grounded(inquiry, evidence.passages, more, chosen)
            probability = await bound_by(self._bound, evidence, certainty_of(reply))
        return CertaintyVerdict(probability=probability, provenance=inquiry.provenance())
