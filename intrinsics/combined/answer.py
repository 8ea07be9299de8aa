"""The sources and faithfulness of an answer's sentences, judged in one call to a chat model."""

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, field_validator

from contracts.errors import MalformedReply
from contracts.text import Passage
from contracts.verdicts import (
    CheckedSentences,
    CitationVerdict,
    FaithfulnessLabel,
    FaithfulnessVerdict,
    SentenceFaithfulness,
)
from intrinsics.citation.claims import Place, read_claim, verify_links
from intrinsics.combined.base import ANSWER_PARTS
from intrinsics.faithfulness.claims import LONGEST_REASON, judge_claims
from tools.chat.base import ChatModel, ChatReply, ChatRequest
from tools.judges import ask_grounded, one_line, shortened
from tools.labels import LabelReply, read_field_labels
from tools.language import split_sentences
from tools.prompt_delimiters import delimit_text
from tools.prompted_model import Inquiry, PromptedModel

# The labels begin with different letters, so that the first token distinguishes them.
_LABELS: tuple[FaithfulnessLabel, ...] = ("faithful", "partial", "unfaithful", "no_claim")
_ID = re.compile(r"(?<![\d.])(\d{1,4})\.(\d{1,4})(?![\d.]\d)")
# Passage numbers, which the user never sees.
_MARK = re.compile(r"\s*\[\d+(?:\.\d+)?\]|\s*\((?:passages? )?\d+\.\d+\)")
_NO_REASON = "The language model gave no reason."
_TOKENS = 60
_TOKENS_A_SENTENCE = 100


class CheckedSentence(BaseModel):
    """One sentence, numbered from 1: whether the passages support it, and its sources, such as "2.3"."""

    sentence: int
    reason: str
    label: FaithfulnessLabel
    ids: list[str]

    @field_validator("label", mode="before")
    @classmethod
    def _read_label(cls, value: object) -> object:
        return "_".join(value.casefold().split()) if isinstance(value, str) else value


class CheckedAnswer(BaseModel):
    """The reply that the prompt asks for."""

    sentences: list[CheckedSentence]


class PromptedAnswerChecker:
    """Asks a chat model, in one request, for the sources, label and reason of each sentence that makes a claim.

    Only the requested ``parts`` of the reply are used. They are then corrected without the model; see ``verify_links``
    and ``judge_claims``.
    """

    def __init__(self, chat: ChatModel, *, parts: Collection[str] = ANSWER_PARTS) -> None:
        self._prompted = PromptedModel(chat, Path(__file__).with_suffix(".toml"))
        self._parts = parts

    async def check(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> CheckedSentences:
        inquiry = self._prompted.begin()
        split = [each if each.sentences else replace(each, sentences=split_sentences(each.text)) for each in passages]
        sources: dict[int, tuple[Place, ...]] = {}

        async def ask(asked: Sequence[int]) -> Mapping[int, SentenceFaithfulness]:
            named, verdicts = await _ask(inquiry, question, sentences, asked, split)
            sources.update(named)
            return verdicts

        verdicts = await judge_claims(question, sentences, split, ask)
        claims = [claim for n, text in enumerate(sentences) if (claim := read_claim(n, text, least_words=1))]
        links = await asyncio.to_thread(verify_links, claims, sources, split)
        provenance = inquiry.provenance()
        return CheckedSentences(
            citations=CitationVerdict(links=links, provenance=provenance) if "citation" in self._parts else None,
            faithfulness=FaithfulnessVerdict(sentences=verdicts, provenance=provenance)
            if "faithfulness" in self._parts
            else None,
            provenance=provenance,
        )


async def _ask(
    inquiry: Inquiry, question: str, sentences: Sequence[str], asked: Sequence[int], passages: Sequence[Passage]
) -> tuple[dict[int, tuple[Place, ...]], Mapping[int, SentenceFaithfulness]]:
    """Return the places named for each sentence in ``asked``, and the verdicts; all indexes count from 0."""
    numbers = [index + 1 for index in asked]
    more = {
        "question": delimit_text("question", one_line(question) or "(there is none)"),
        "answer": delimit_text("answer", "\n".join(f"({n}) {one_line(text)}" for n, text in enumerate(sentences, 1))),
        "asked": ", ".join(map(str, numbers)),
    }

    async def ask(request: ChatRequest) -> tuple[tuple[CheckedAnswer, ChatReply], str]:
        return await inquiry.ask_once(request, CheckedAnswer), request.messages[-1].content

    max_tokens = _TOKENS + _TOKENS_A_SENTENCE * len(numbers)
    (answered, reply), shown = await ask_grounded(inquiry, passages, more, ask, max_tokens=max_tokens)
    checked = answered.sentences
    labels = read_field_labels(reply, "label", [each.label for each in checked], _LABELS)
    verdicts = {each.sentence - 1: _verdict(each, label) for each, label in zip(checked, labels, strict=True)}
    if not set(asked) <= verdicts.keys():
        raise MalformedReply("The reply does not judge all of the sentences.")
    return _shown_places(checked, shown), verdicts


def _shown_places(checked: Sequence[CheckedSentence], shown: str) -> dict[int, tuple[Place, ...]]:
    """Return the places named for each answer sentence (counted from 0) if their marks are in the text ``shown``."""
    named: dict[int, tuple[Place, ...]] = {}
    for one in checked:
        ids = [(int(match[1]), int(match[2])) for text in one.ids for match in _ID.finditer(text)]
        places = ((p - 1, s - 1) for p, s in ids if p > 0 and s > 0 and f"[{p}.{s}] " in shown)
        named[one.sentence - 1] = (*named.get(one.sentence - 1, ()), *places)
    return named


def _verdict(judged: CheckedSentence, label: LabelReply) -> SentenceFaithfulness:
    reason = shortened(one_line(_MARK.sub("", judged.reason)), LONGEST_REASON)
    return SentenceFaithfulness(
        label=judged.label,
        probability=1.0 if judged.label == "no_claim" else label.probability_of("faithful"),
        reason=reason or ("" if judged.label == "faithful" else _NO_REASON),
    )
