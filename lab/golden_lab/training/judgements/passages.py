"""Cases about passages: whether each helps, which of two helps more, whether they hold the answer."""

import json
from typing import Any, Literal

from pydantic import Field, StrictBool

from contracts.errors import InvalidInput
from contracts.verdicts import AnswerabilityVerdict, RelevanceLabel, RelevanceVerdict, Reranked
from golden_lab.training.judgements.base import CasePassage, JudgementCase, Online, QuestionCase, passages_of
from intrinsics.passage_reranking.llm import all_pairs
from tools.adapters import AdapterDeclaration
from tools.chat.base import ChatRequest


class AnswerabilityCase(QuestionCase):
    """A standalone question with passages, and whether they hold the answer."""

    passages: tuple[CasePassage, ...] = Field(min_length=1)
    answerable: StrictBool

    async def ask(self, online: Online) -> Any:
        """Return the gate's verdict."""
        return await online.judge.judge(await self.augmented(online), passages_of(self.passages))

    def completion(self, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
        """Return one of two words."""
        words = adapter.labels("answerable", "unanswerable") if adapter else ("answerable", "unanswerable")
        return words[0] if self.answerable else words[1]

    def difference(self, verdict: AnswerabilityVerdict) -> str:
        """Say so where it falls on the other side of one half."""
        if (verdict.probability >= 0.5) == self.answerable:
            return ""
        if verdict.missing:
            return f"online it is declined whatever is replied: no passage mentions {', '.join(verdict.missing)}"
        return f"it is read as {verdict.probability:.0%} answerable"


class RelevanceCase(JudgementCase):
    """A standalone question with one passage, and how far that helps. Published adapters know no "misleading"."""

    question: str = Field(min_length=1)
    passage: CasePassage
    label: RelevanceLabel

    async def ask(self, online: Online) -> Any:
        """Return the verdict on the passage."""
        return await online.judge.judge(self.question, passages_of((self.passage,)))

    def completion(self, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
        """Return a word, or a JSON object with the adapter's.

        Raises:
            InvalidInput: the adapter has no word for it.
        """
        if adapter is None:
            return self.label
        if self.label not in adapter.reply.labels:
            raise InvalidInput(f"the adapter {adapter.model} has no word for {self.label}", field="label")
        return json.dumps({adapter.field("label"): adapter.reply.labels[self.label]}, ensure_ascii=False)

    def difference(self, verdict: RelevanceVerdict) -> str:
        """Say which label it is where it is another."""
        found = verdict.passages[0].label
        return "" if found == self.label else f"it is read as {found}"


class RerankingCase(JudgementCase):
    """A standalone question with two passages, and which of them helps more: one comparison of the tournament."""

    question: str = Field(min_length=1)
    first: CasePassage
    second: CasePassage
    better: Literal["first", "second"]

    async def ask(self, online: Online) -> Any:
        """Return the two in order."""
        return await online.judge.rerank(self.question, passages_of((self.first, self.second)))

    def completion(self, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
        """Return the letter of the better one; which of the two is shown first, the tournament says."""
        shown = all_pairs((0, 1))[0]
        return "X" if shown[0] == ("first", "second").index(self.better) else "Y"

    def difference(self, verdict: Reranked) -> str:
        """Say so where the other one comes first."""
        best = self.first if self.better == "first" else self.second
        return "" if verdict.passages[0].text == best.text else "the other passage comes first"
