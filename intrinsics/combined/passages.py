"""The order, relevance and answerability of passages, judged in one call to a chat model."""

import asyncio
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, cast

from pydantic import BaseModel, field_validator

from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import JudgedPassages, PassageRelevance, RelevanceLabel
from intrinsics.answerability.llm import LABELS as ANSWERABILITY_LABELS
from intrinsics.combined.base import PASSAGE_PARTS
from tools.chat.base import ChatModel, ChatReply
from tools.evidence.passages import answerability_verdict, find_unmentioned
from tools.judges import ask_grounded
from tools.labels import LabelReply, read_field_labels, unmeasured
from tools.prompt_delimiters import delimit_text
from tools.prompted_model import PromptedModel

# The labels begin with different letters, so that the first token distinguishes them.
RELEVANCE_LABELS: tuple[RelevanceLabel, ...] = ("relevant", "partial", "irrelevant", "misleading")
_TOKENS = 60
_TOKENS_A_PASSAGE = 24


class RatedPassage(BaseModel):
    """One passage that matters: its number, from 1, and its label."""

    passage: int
    label: RelevanceLabel

    @field_validator("label", mode="before")
    @classmethod
    def _read_label(cls, value: object) -> object:
        return value.strip().casefold() if isinstance(value, str) else value


class RatedPassages(BaseModel):
    """The requested reply: the passages that matter, most useful first, and whether they answer the question."""

    passages: list[RatedPassage]
    answer: Literal["answerable", "unanswerable"]


class PromptedPassageJudge:
    """Asks a chat model, in one request, which passages matter, in what order, and whether they contain the answer.

    Only the requested ``parts`` of the reply are used. Passages that the model omits are irrelevant and follow the
    named passages in their original order; misleading passages come last. A question with a code that no passage
    mentions counts as unanswerable, as in ``PromptedAnswerabilityJudge``. If the server returns log-probabilities, the
    probabilities are those of the label tokens.

    Source: ranking a list of passages in one prompt, instead of in pairs, is from RankGPT (Sun et al. 2023,
    arXiv 2304.09542); the labels are from the library of LLM intrinsics for RAG (arXiv 2504.11704).
    """

    def __init__(self, chat: ChatModel, *, parts: Collection[str] = PASSAGE_PARTS) -> None:
        self._prompted = PromptedModel(chat, Path(__file__).with_suffix(".toml"))
        self._parts = parts

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> JudgedPassages:
        inquiry = self._prompted.begin()
        if not any(passage.text.strip() for passage in passages):
            return JudgedPassages(provenance=inquiry.provenance())

        asked = {"question": delimit_text("question", question.text)}
        max_tokens = _TOKENS + _TOKENS_A_PASSAGE * len(passages)
        ask = partial(inquiry.ask_once, form=RatedPassages)
        (answered, reply), absent = await asyncio.gather(
            ask_grounded(inquiry, passages, asked, ask, max_tokens=max_tokens),
            asyncio.to_thread(find_unmentioned, question.question, passages, question.readings),
        )
        rated, provenance = _rated(answered.passages, reply, len(passages)), inquiry.provenance()
        (answer,) = read_field_labels(reply, "answer", [answered.answer], ANSWERABILITY_LABELS)
        return JudgedPassages(
            order=_order(rated, len(passages)) if "passage_reranking" in self._parts else None,
            relevance=tuple(_relevance(rated.get(index)) for index in range(len(passages)))
            if "context_relevance" in self._parts
            else None,
            answerability=answerability_verdict(answer.probability_of("answerable"), absent, provenance)
            if "answerability" in self._parts
            else None,
            provenance=provenance,
        )


def _rated(named: Sequence[RatedPassage], reply: ChatReply, number: int) -> dict[int, LabelReply]:
    """Return the label of each named passage (numbered from 0), in the order of the reply; the first label counts."""
    labels = read_field_labels(reply, "label", [each.label for each in named], RELEVANCE_LABELS)
    rated: dict[int, LabelReply] = {}
    for each, label in zip(named, labels, strict=True):
        if 0 < each.passage <= number:
            rated.setdefault(each.passage - 1, label)
    return rated


def _order(rated: dict[int, LabelReply], number: int) -> tuple[int, ...]:
    useful = [index for index, each in rated.items() if each.label in ("relevant", "partial")]
    misleading = [index for index, each in rated.items() if each.label == "misleading"]
    rest = [index for index in range(number) if index not in useful and index not in misleading]
    return (*useful, *rest, *misleading)


def _relevance(label: LabelReply | None) -> PassageRelevance:
    label = label or unmeasured("irrelevant", RELEVANCE_LABELS)
    return PassageRelevance(
        label=cast(RelevanceLabel, label.label),
        probability=label.probability_of("relevant") + label.probability_of("partial"),
    )
