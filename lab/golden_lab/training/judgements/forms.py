"""For each judgement: how its cases are asked online, the correct reply, and how the reply is parsed."""

import json
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from contracts.errors import InvalidInput
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.verdicts import (
    CitationVerdict,
    Draft,
    FaithfulnessLabel,
    FaithfulnessVerdict,
    SentenceFaithfulness,
)
from golden_lab.training.judgements.cases import (
    AnswerabilityCase,
    CertaintyCase,
    CitationCase,
    FaithfulnessCase,
    JudgementCase,
    QuestionCase,
    QuestionWritingCase,
    RelevanceCase,
    RewritingCase,
    SummaryCase,
    TermMiningCase,
    WritingCase,
    passages_of,
    readings_of,
    turns_of,
)
from intrinsics.answer_generation.base import WritingBrief
from intrinsics.certainty.base import AnswerEvidence
from intrinsics.question_augmentation.base import QuestionAugmenter
from tools.adapters.declaration import AdapterDeclaration
from tools.chat.base import ChatRequest
from tools.language import fold

_NOBODY = Provenance(implementation="case", model="", milliseconds=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Online:
    """The implementations used online: the ``judge`` of an intrinsic, and the ``augmenter`` that adds definitions."""

    judge: Any
    augmenter: QuestionAugmenter


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseForm:
    """The type of a ``case``, and the functions for it.

    ask: returns the online verdict. reply: returns the correct reply to a request, in the words of the adapter or, for
    None, of the language model's own prompt. read: returns the verdict and the correct result, for comparison.
    """

    case: type[JudgementCase]
    ask: Callable[[Any, Online], Awaitable[Any]]
    reply: Callable[[Any, ChatRequest, AdapterDeclaration | None], str]
    read: Callable[[Any, Any], tuple[object, object]]


def form_of(intrinsic: str) -> CaseForm:
    """Return the form of the cases of ``intrinsic``.

    Raises:
        InvalidInput: no adapter can be trained for it; the message lists the possible ones.
    """
    if intrinsic not in CASE_FORMS:
        raise InvalidInput(
            f"no adapter is trained for {intrinsic!r}: choose one of {', '.join(sorted(CASE_FORMS))}", field="intrinsic"
        )
    return CASE_FORMS[intrinsic]


def one_line(text: str) -> str:
    """Return ``text`` with a space for each run of white space."""
    return " ".join(text.split())


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


async def _augmented(case: QuestionCase, online: Online) -> AugmentedQuestion:
    return await online.augmenter.augment(case.question, case.context, readings_of(case))


def _stands_alone(case: RewritingCase) -> bool:
    return fold(one_line(case.rewritten)) == fold(one_line(case.question))


def _reply_rewriting(case: RewritingCase, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
    assert adapter is not None
    return _json({adapter.field("question"): one_line(case.rewritten)})


def _reply_relevance(case: RelevanceCase, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
    assert adapter is not None
    if case.label not in adapter.reply.labels:
        raise InvalidInput(f"the adapter {adapter.model} has no word for {case.label}", field="label")
    return _json({adapter.field("label"): adapter.reply.labels[case.label]})


async def _ask_answerability(case: AnswerabilityCase, online: Online) -> Any:
    return await online.judge.judge(await _augmented(case, online), passages_of(case.passages))


def _reply_answerability(case: AnswerabilityCase, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
    words = adapter.labels("answerable", "unanswerable") if adapter else ("answerable", "unanswerable")
    return words[0] if case.answerable else words[1]


def _read_answerability(case: AnswerabilityCase, verdict: Any) -> tuple[object, object]:
    words = ("unanswerable", "answerable")
    return words[verdict.probability >= 0.5], words[case.answerable]


async def _ask_writing(case: WritingCase, online: Online) -> Draft:
    brief = WritingBrief(question=await _augmented(case, online), passages=passages_of(case.passages))
    parts = [each async for each in online.judge.write(brief)]
    assert isinstance(parts[-1], Draft)
    return parts[-1]


def _reply_writing(case: WritingCase, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
    """Return the answer with the passages' numbers before the end of each sentence, as the prompt requires."""
    written = []
    for sentence in case.sentences:
        text = one_line(sentence.text)
        marks = "".join(f"[{one + 1}]" for one in sentence.passages)
        end = len(text.rstrip(".!?…"))
        written.append(f"{text[:end]} {marks}{text[end:]}" if marks else text)
    return " ".join(written)


def _read_writing(case: WritingCase, verdict: Draft) -> tuple[object, object]:
    right = " ".join(one_line(each.text) for each in case.sentences)
    named = [each.passage for each in verdict.claims]
    return (verdict.text, named), (right, [one for each in case.sentences for one in each.passages])


def _reply_citation(case: CitationCase, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
    places: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for each in case.citations:
        places[each.sentence] += [(each.passage, one) for one in each.passage_sentences]
    assert adapter is not None
    # The number of the first sentence of each passage; a passage without sentences counts as one sentence.
    firsts = [0]
    for passage in passages_of(case.passages):
        firsts.append(firsts[-1] + max(1, len(passage.sentences)))
    sentence, sources = adapter.field("sentence"), adapter.field("sources")
    return _json([{sentence: n, sources: [firsts[p] + s for p, s in places[n]]} for n in range(len(case.answer))])


def _read_citation(case: CitationCase, verdict: CitationVerdict) -> tuple[object, object]:
    """Compare cited sentences; extra sentences in a link count only if none of its sentences is correct."""
    right = {(each.sentence, each.passage, one) for each in case.citations for one in each.passage_sentences}
    linked = [{(link.sentence, link.passage, one) for one in link.passage_sentences} for link in verdict.links]
    strange = {min(each) for each in linked if not each & right}
    return sorted((right & set().union(*linked)) | strange), sorted(right)


def _reply_faithfulness(case: FaithfulnessCase, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
    assert adapter is not None
    names: tuple[FaithfulnessLabel, ...] = ("faithful", "partial", "unfaithful", "no_claim")
    words = dict(zip(names, adapter.labels(*names), strict=True))
    sentence, reason, said = (adapter.field(name) for name in ("sentence", "reason", "label"))
    return _json(
        [{sentence: n, reason: one_line(each.reason), said: words[each.label]} for n, each in enumerate(case.judged)]
    )


async def _ask_certainty(case: CertaintyCase, online: Online) -> Any:
    """Return the estimate, as if the answer had been judged faithful."""
    faithful = SentenceFaithfulness(label="faithful", probability=1.0)
    evidence = AnswerEvidence(
        question=case.question,
        answer=case.answer,
        passages=passages_of(case.passages),
        answerability=1.0,
        faithfulness=FaithfulnessVerdict(sentences=(faithful,), provenance=_NOBODY),
    )
    return await online.judge.estimate(evidence)


def _reply_certainty(case: CertaintyCase, request: ChatRequest, adapter: AdapterDeclaration | None) -> str:
    return ("no", "yes")[case.percent >= 50] if adapter is None else f"{case.percent:02d}%"


def _read_questions(case: QuestionWritingCase, verdict: Any) -> tuple[object, object]:
    kept, right = {each.question for each in verdict.questions}, [one_line(each.question) for each in case.questions]
    return [each for each in right if each in kept], right


def _read_terms(case: TermMiningCase, verdict: Any) -> tuple[object, object]:
    kept, right = {fold(each.term) for each in verdict.terms}, [each.term for each in case.terms]
    return [each for each in right if fold(each) in kept], right


CASE_FORMS: Mapping[str, CaseForm] = {
    "question_rewriting": CaseForm(
        case=RewritingCase,
        ask=lambda case, online: online.judge.rewrite(case.question, turns_of(case.history)),
        reply=_reply_rewriting,
        read=lambda case, verdict: (
            verdict.text,
            case.question if _stands_alone(case) else one_line(case.rewritten),
        ),
    ),
    "context_relevance": CaseForm(
        case=RelevanceCase,
        ask=lambda case, online: online.judge.judge(case.question, passages_of((case.passage,))),
        reply=_reply_relevance,
        read=lambda case, verdict: (verdict.passages[0].label, case.label),
    ),
    "answerability": CaseForm(
        case=AnswerabilityCase, ask=_ask_answerability, reply=_reply_answerability, read=_read_answerability
    ),
    "answer_generation": CaseForm(case=WritingCase, ask=_ask_writing, reply=_reply_writing, read=_read_writing),
    "citation": CaseForm(
        case=CitationCase,
        ask=lambda case, online: online.judge.find(case.answer, passages_of(case.passages), question=case.question),
        reply=_reply_citation,
        read=_read_citation,
    ),
    "faithfulness": CaseForm(
        case=FaithfulnessCase,
        ask=lambda case, online: online.judge.judge(case.question, case.answer, passages_of(case.passages)),
        reply=_reply_faithfulness,
        read=lambda case, verdict: (
            [each.label for each in verdict.sentences],
            [each.label for each in case.judged],
        ),
    ),
    "certainty": CaseForm(
        case=CertaintyCase,
        ask=_ask_certainty,
        reply=_reply_certainty,
        read=lambda case, verdict: (verdict.probability >= 0.5, case.percent >= 50),
    ),
    "summarisation": CaseForm(
        case=SummaryCase,
        ask=lambda case, online: online.judge.summarise(case.text, title=case.title),
        reply=lambda case, *_: _json({"summary": case.summary, "questions": list(case.questions)}),
        read=lambda case, verdict: (
            (verdict.text, list(verdict.questions)),
            (case.summary.strip(), list(map(one_line, case.questions))),
        ),
    ),
    "question_writing": CaseForm(
        case=QuestionWritingCase,
        ask=lambda case, online: online.judge.write(passages_of((case.passage,))[0]),
        reply=lambda case, *_: _json({"questions": [each.model_dump() for each in case.questions]}),
        read=_read_questions,
    ),
    "term_mining": CaseForm(
        case=TermMiningCase,
        ask=lambda case, online: online.judge.mine(case.text),
        reply=lambda case, *_: _json({"terms": [each.model_dump() for each in case.terms]}),
        read=_read_terms,
    ),
}
