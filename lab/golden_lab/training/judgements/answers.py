"""Cases about answers: how one is written, what it cites, whether it is faithful, how surely it is right."""

import json
import re
from collections import defaultdict
from typing import Any, Literal

from pydantic import BaseModel, Field, model_validator

from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import (
    CertaintyVerdict,
    CitationVerdict,
    Draft,
    FaithfulnessLabel,
    FaithfulnessVerdict,
    RelevanceVerdict,
    SentenceFaithfulness,
)
from golden_lab.training.judgements.base import (
    STRICT,
    CasePassage,
    JudgementCase,
    Online,
    QuestionCase,
    one_line,
    passages_of,
)
from intrinsics.answer_generation.base import WritingBrief
from intrinsics.certainty.base import AnswerEvidence
from intrinsics.faithfulness.claims import makes_claim, plain_sentence
from tools.adapters import AdapterDeclaration
from tools.chat.base import ChatRequest

_NOBODY = Provenance(implementation="case", model="", milliseconds=0.0)
_END = re.compile(r"[.!?…]*$")


class AnswerCase(JudgementCase):
    """A question, the sentences of an answer, and the passages that it was written from."""

    question: str = ""
    answer: tuple[str, ...] = Field(min_length=1)
    passages: tuple[CasePassage, ...] = Field(min_length=1)


class CaseCitation(BaseModel):
    """Answer sentence ``sentence`` rests on sentences ``passage_sentences`` of passage ``passage``, all from 0."""

    model_config = STRICT

    sentence: int = Field(ge=0)
    passage: int = Field(ge=0)
    passage_sentences: tuple[int, ...] = Field(min_length=1)


class CitationCase(AnswerCase):
    """An answer, and what each of its sentences rests on; a sentence that is not named rests on nothing."""

    citations: tuple[CaseCitation, ...]

    @model_validator(mode="after")
    def _names_what_is_there(self) -> "CitationCase":
        counts = [len(each.sentences) for each in passages_of(self.passages)]
        for each in self.citations:
            if each.sentence >= len(self.answer) or each.passage >= len(counts):
                raise ValueError(f"citations: there is no sentence {each.sentence}, or no passage {each.passage}")
            if not all(0 <= one < counts[each.passage] for one in each.passage_sentences):
                raise ValueError(f"citations: passage {each.passage} has {counts[each.passage]} sentences, from 0")
        return self

    async def ask(self, online: Online) -> Any:
        """Return the links that are found."""
        return await online.judge.find(self.answer, passages_of(self.passages), question=self.question)

    def completion(self, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
        """Return a JSON array, or object, with the sources of every sentence of the answer."""
        places: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for each in self.citations:
            places[each.sentence] += [(each.passage, one) for one in each.passage_sentences]
        if adapter is None:
            rows = [
                {"sentence": n + 1, "ids": [f"{p + 1}.{s + 1}" for p, s in places[n]]} for n in range(len(self.answer))
            ]
            return json.dumps({"citations": rows})
        firsts = _first_marks(passages_of(self.passages))
        sentence, sources = adapter.field("sentence"), adapter.field("sources")
        return json.dumps(
            [{sentence: n, sources: [firsts[p] + s for p, s in places[n]]} for n in range(len(self.answer))]
        )

    def difference(self, verdict: CitationVerdict) -> str:
        """Say what is not linked, or linked without being named; a sentence comes with what it is part of."""
        right = {(each.sentence, each.passage, one) for each in self.citations for one in each.passage_sentences}
        linked = [{(link.sentence, link.passage, one) for one in link.passage_sentences} for link in verdict.links]
        lost = sorted(right - set().union(*linked))
        if lost:
            sentence, passage, one = lost[0]
            return f"sentence {sentence} is not linked to sentence {one} of passage {passage}: it does not state it"
        strange = [sorted(each)[0] for each in linked if not each & right]
        return f"sentence {strange[0][0]} is linked to passage {strange[0][1]}, too" if strange else ""


class JudgedSentence(BaseModel):
    """Whether the passages support a sentence of the answer, and why, in a sentence for its reader."""

    model_config = STRICT

    label: FaithfulnessLabel
    reason: str = Field(min_length=1, max_length=240)


class FaithfulnessCase(AnswerCase):
    """An answer, and for each of its sentences whether the passages support it, and why."""

    judged: tuple[JudgedSentence, ...]

    @model_validator(mode="after")
    def _judges_each(self) -> "FaithfulnessCase":
        if len(self.judged) != len(self.answer):
            raise ValueError(f"judged: {len(self.answer)} sentences need {len(self.answer)} labels")
        return self

    async def ask(self, online: Online) -> Any:
        """Return the verdict on each sentence."""
        return await online.judge.judge(self.question, self.answer, passages_of(self.passages))

    def completion(self, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
        """Return a JSON array, or object, with reason and label of every sentence; the reason comes first."""
        if adapter is None:
            # The prompt asks about those that claim something.
            rows = [
                {"sentence": n + 1, "reason": one_line(each.reason), "label": each.label}
                for n, each in enumerate(self.judged)
                if makes_claim(plain_sentence(self.answer[n]))
            ]
            return json.dumps({"sentences": rows}, ensure_ascii=False)
        names: tuple[FaithfulnessLabel, ...] = ("faithful", "partial", "unfaithful", "no_claim")
        words = dict(zip(names, adapter.labels(*names), strict=True))
        sentence, reason, label = (adapter.field(name) for name in ("sentence", "reason", "label"))
        return json.dumps(
            [
                {sentence: n, reason: one_line(each.reason), label: words[each.label]}
                for n, each in enumerate(self.judged)
            ],
            ensure_ascii=False,
        )

    def difference(self, verdict: FaithfulnessVerdict) -> str:
        """Say which sentence is read as what where it is another label."""
        for number, (found, right) in enumerate(zip(verdict.sentences, self.judged, strict=True)):
            if found.label != right.label:
                return f"sentence {number} is {found.label} whatever is replied: {found.reason}"
        return ""


class CertaintyCase(JudgementCase):
    """An answer of the model that is trained, and how surely it is right: 5, 15, … or 95 per cent."""

    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    passages: tuple[CasePassage, ...] = Field(min_length=1)
    percent: Literal[5, 15, 25, 35, 45, 55, 65, 75, 85, 95]

    async def ask(self, online: Online) -> Any:
        """Return the estimate, as of an answer that was found to be faithful."""
        faithful = SentenceFaithfulness(label="faithful", probability=1.0)
        evidence = AnswerEvidence(
            question=self.question,
            answer=self.answer,
            passages=passages_of(self.passages),
            answerability=1.0,
            faithfulness=FaithfulnessVerdict(sentences=(faithful,), provenance=_NOBODY),
            relevance=RelevanceVerdict(passages=(), provenance=_NOBODY),
        )
        return await online.judge.estimate(evidence)

    def completion(self, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
        """Return the percentage, or a JSON object with its step."""
        return json.dumps({"certainty": str(self.percent // 10)}) if adapter is None else f"{self.percent:02d}%"

    def difference(self, verdict: CertaintyVerdict) -> str:
        """Say what it is read as where it is another step."""
        right = self.percent // 10 / 10
        return "" if abs(verdict.probability - right) < 1e-9 else f"it is read as {verdict.probability:.0%}"


class WrittenSentence(BaseModel):
    """A sentence of an answer, and the ``passages`` (from 0) that it rests on."""

    model_config = STRICT

    text: str = Field(min_length=1)
    passages: tuple[int, ...] = ()


class WritingCase(QuestionCase):
    """A question with passages, and the answer that should be written from them, a sentence after the other."""

    passages: tuple[CasePassage, ...] = Field(min_length=1)
    sentences: tuple[WrittenSentence, ...] = Field(min_length=1)

    async def ask(self, online: Online) -> Draft:
        """Return the answer as it is shown."""
        brief = WritingBrief(question=await self.augmented(online), passages=passages_of(self.passages))
        parts = [each async for each in online.judge.write(brief)]
        assert isinstance(parts[-1], Draft)
        return parts[-1]

    def completion(self, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
        """Return the answer with the passages' numbers before the end of each sentence, as the prompt wants it."""
        return " ".join(_marked(each) for each in self.sentences)

    def difference(self, verdict: Draft) -> str:
        """Say so where what is shown is not the answer, or a mark is not read."""
        right = " ".join(one_line(each.text) for each in self.sentences)
        if verdict.text != right:
            return f'what is shown is "{verdict.text}"'
        named = [each.passage for each in verdict.claims]
        return "" if named == [one for each in self.sentences for one in each.passages] else "a source is not read"


def _marked(sentence: WrittenSentence) -> str:
    text = one_line(sentence.text)
    end = _END.search(text)
    assert end is not None
    marks = "".join(f"[{one + 1}]" for one in sentence.passages)
    return f"{text[: end.start()]} {marks}{end.group()}" if marks else text


def _first_marks(passages: tuple[Passage, ...]) -> list[int]:
    """Return the number of the first sentence of each passage; one without sentences counts as one."""
    firsts, following = [], 0
    for passage in passages:
        firsts.append(following)
        following += max(1, len(passage.sentences))
    return firsts
