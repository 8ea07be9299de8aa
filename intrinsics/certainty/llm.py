"""Certainty on a chat model: one of ten steps, weighed by how probable the model holds each of them."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, field_validator

from contracts.verdicts import CertaintyVerdict
from intrinsics.certainty.base import AnswerEvidence
from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
from intrinsics.certainty.steps import STEPS, bound_by, certainty_of
from tools.chat.base import ChatModel, ChatRequest
from tools.grounding import ground
from tools.labels import LabelReply
from tools.prompting import PromptedModel
from tools.reading.fencing import fence_alone

_Step = Literal["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]


class ChosenStep(BaseModel):
    """The reply that the prompt asks for."""

    model_config = ConfigDict(extra="ignore")

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

            def request_of(number: int) -> ChatRequest:
                return inquiry.request({**ground(evidence.passages[:number]), **more})

            async def chosen(request: ChatRequest) -> LabelReply:
                named = await inquiry.ask_labelled(
                    request, ChosenStep, "certainty", STEPS, lambda form: [form.certainty]
                )
                return named[1][0]

            reply = await inquiry.fitting(request_of, len(evidence.passages), chosen)
            probability = await bound_by(self._bound, evidence, certainty_of(reply))
        return CertaintyVerdict(probability=probability, provenance=inquiry.provenance())
