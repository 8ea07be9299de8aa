"""Faithfulness on a chat model: a reason and a label for each sentence, overruled where numbers are made up."""

import re
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, field_validator, model_validator

from contracts.text import Passage
from contracts.verdicts import FaithfulnessLabel, FaithfulnessVerdict, SentenceFaithfulness
from intrinsics.faithfulness.claims import LONGEST_REASON, judge_claims
from tools.chat.base import ChatRequest
from tools.fences import fence_alone
from tools.judges import PromptedJudge, ask_grounded, one_line, shortened
from tools.labels import LabelReply
from tools.prompting import Inquiry

# They begin with different letters, so that the first token tells them apart.
LABELS: tuple[FaithfulnessLabel, ...] = ("faithful", "partial", "unfaithful", "no_claim")
_TOKENS = 100
_TOKENS_A_SENTENCE = 90
_NO_REASON = "The language model gave no reason."
# Passage numbers, which the reader never sees.
_MARK = re.compile(r"\s*\[\d+(?:\.\d+)?\]|\s*\((?:passages? )?\d+\.\d+\)")


class JudgedSentence(BaseModel):
    """The judgement on one answer sentence, its number from 1; the reason comes before the label."""

    sentence: int
    reason: str
    label: FaithfulnessLabel

    @field_validator("label", mode="before")
    @classmethod
    def _read_label(cls, value: object) -> object:
        return "_".join(value.casefold().split()) if isinstance(value, str) else value


class JudgedAnswer(BaseModel):
    """The reply that the prompt asks for."""

    sentences: list[JudgedSentence]


class PromptedFaithfulnessJudge(PromptedJudge):
    """Asks a chat model, in one request for the whole answer, for a reason and a label of each sentence that claims.

    ``probability`` is the log-probability of "faithful" at the label, where the server gives it. Code has the last
    word: a sentence with a number, unit or code that stands in no passage is "unfaithful" whatever the model says, at
    most "partial" where it is a bare number that the question brought up. Sentences that claim nothing are not asked.

    Source: four labels, each after its reason, are those of the hallucination intrinsic of the library of LLM
    intrinsics for RAG (Danilevsky et al. 2025, arXiv 2504.11704, section 8); prompt and checks are ours.
    """

    async def judge(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> FaithfulnessVerdict:
        """Say of each answer sentence whether ``passages`` support it.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies did not judge each sentence once.
        """
        inquiry = self._prompted.begin()

        async def ask(asked: Sequence[int]) -> Mapping[int, SentenceFaithfulness]:
            return await _ask(inquiry, question, sentences, asked, passages)

        verdicts = await judge_claims(question, sentences, passages, ask)
        return FaithfulnessVerdict(sentences=verdicts, provenance=inquiry.provenance())


async def _ask(
    inquiry: Inquiry, question: str, sentences: Sequence[str], asked: Sequence[int], passages: Sequence[Passage]
) -> Mapping[int, SentenceFaithfulness]:
    """Return the model's verdict on each sentence ``asked`` (indexes from 0)."""
    numbers = [index + 1 for index in asked]
    more = {
        "question": fence_alone("question", one_line(question) or "(there is none)"),
        "answer": fence_alone("answer", "\n".join(f"({n}) {one_line(text)}" for n, text in enumerate(sentences, 1))),
        "asked": ", ".join(map(str, numbers)),
    }
    max_tokens = _TOKENS + _TOKENS_A_SENTENCE * len(numbers)

    async def labelled(request: ChatRequest) -> tuple[JudgedAnswer, tuple[LabelReply, ...]]:
        return await inquiry.ask_labelled(
            request, _form(numbers), "label", LABELS, lambda form: [each.label for each in form.sentences]
        )

    form, labels = await ask_grounded(inquiry, passages, more, labelled, max_tokens=max_tokens)
    return {each.sentence - 1: verdict_of(each, label) for each, label in zip(form.sentences, labels, strict=True)}


def verdict_of(judged: JudgedSentence, label: LabelReply) -> SentenceFaithfulness:
    """Return the verdict of one sentence, with the probabilities of its ``label``."""
    reason = shortened(one_line(_MARK.sub("", judged.reason)), LONGEST_REASON)
    return SentenceFaithfulness(
        label=judged.label,
        probability=1.0 if judged.label == "no_claim" else label.probability_of("faithful"),
        reason=reason or ("" if judged.label == "faithful" else _NO_REASON),
    )


def _form(numbers: Sequence[int]) -> type[JudgedAnswer]:
    """Make the form of a reply that judges each of the sentences ``numbers`` once."""

    class JudgedSentences(JudgedAnswer):
        """The reply that the prompt asks for."""

        @model_validator(mode="after")
        def _each_is_judged_once(self) -> "JudgedSentences":
            if sorted(each.sentence for each in self.sentences) != sorted(numbers):
                raise ValueError(f"judge each of these sentences once: {', '.join(map(str, numbers))}")
            return self

    return JudgedSentences
