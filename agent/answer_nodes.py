"""The graph nodes that write an answer, review it, check it and estimate its certainty."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from langgraph.runtime import Runtime

from agent import answers, draft_choice
from agent.answer_assembly import cite, sentences_of
from agent.draft_choice import CheckedDraft
from agent.findings import review_finding
from agent.services import Services
from agent.state import State, Update, Work
from agent.steps import answer
from agent.wording import UNSUPPORTED_DRAFT, counted, percent
from contracts.answer import RefinementRecord, TextDelta, TextReset
from contracts.text import Passage
from contracts.verdicts import CitationVerdict, Draft, FaithfulnessVerdict
from intrinsics.answer_generation.base import WritingBrief
from intrinsics.certainty.base import AnswerEvidence

_Verdict = TypeVar("_Verdict")
DraftJudge = Callable[[Draft, str, Sequence[Passage], Services], Awaitable[_Verdict]]


async def write_answer(state: State, runtime: Runtime[Services]) -> Work:
    """Write the answer from the passages, and stream it."""
    return _written(await _write(state, runtime, runtime.context))


async def review(state: State, runtime: Runtime[Services]) -> Work:
    """Decide whether to rewrite the draft; never after a second search, because that was the second attempt."""
    verdict = await runtime.context.refiner.review(state.augmented.question, state.draft.text, state.passages_shown)
    # A model that failed to write is not asked to write again.
    fired = verdict.rewrite and not state.expansions and not state.draft.provenance.degraded
    record = RefinementRecord(fired=fired, **verdict.model_dump(include=set(RefinementRecord.model_fields)))
    update = Update(critique=verdict.critique if fired else "", refinement=record)
    return Work(update=update, finding=review_finding(record), provenance=verdict.provenance)


async def refine_answer(state: State, runtime: Runtime[Services]) -> Work:
    """Rewrite the answer based on the critique."""
    runtime.stream_writer(TextReset(reason=state.critique))
    draft = await _write(state, runtime, runtime.context, critique=state.critique, draft=state.draft.text)
    return _written(draft, first_draft=state.draft)


async def quote_answer(state: State, runtime: Runtime[Services]) -> Work:
    """Quote the answer from the passages, because they do not support what the language model wrote."""
    assert runtime.context.embedded is not None
    runtime.stream_writer(TextReset(reason=UNSUPPORTED_DRAFT))
    draft = await _write(state, runtime, runtime.context.embedded)
    provenance = draft.provenance.model_copy(update={"degraded": UNSUPPORTED_DRAFT})
    return _written(draft.model_copy(update={"provenance": provenance}), first_draft=None)


async def check_answer(state: State, runtime: Runtime[Services]) -> Work:
    """Cite the draft and judge its sentences in one call; do the same for the first draft, if there are two."""
    assert runtime.context.answer_checker is not None
    shown = max((state.shown_for(each) for each in state.drafts), key=len)
    checked, provenance = await answer.check_answer(
        state.drafts, state.augmented.question, shown, runtime.context.answer_checker, runtime.context
    )
    update = Update(
        citations=checked[0].citations,
        faithfulness=checked[0].faithfulness,
        first_citations=checked[-1].citations,
        first_faithfulness=checked[-1].faithfulness,
    )
    cited = _cited_finding(state, checked[0].citations, runtime.context)
    faithful = _faithful_finding(checked[0].faithfulness)
    return Work(update=update, finding=f"{cited}; {faithful}", provenance=provenance)


async def find_citations(state: State, runtime: Runtime[Services]) -> Work:
    """Link each sentence of the draft (and of the first draft, if there are two) to its sources in the passages."""
    found = await _of_each_draft(answer.find_citations, state, runtime)
    finding = _cited_finding(state, found[0], runtime.context)
    update = Update(citations=found[0], first_citations=found[-1])
    return Work(update=update, finding=finding, provenance=found[0].provenance)


async def judge_faithfulness(state: State, runtime: Runtime[Services]) -> Work:
    """Check each sentence of the draft (and of the first draft, if there are two) against the passages."""
    judged = await _of_each_draft(answer.judge_faithfulness, state, runtime)
    finding = _faithful_finding(judged[0])
    update = Update(faithfulness=judged[0], first_faithfulness=judged[-1])
    return Work(update=update, finding=finding, provenance=judged[0].provenance)


async def choose_draft(state: State, runtime: Runtime[Services]) -> Work:
    """Choose the first draft or its rewrite, and stream the chosen one."""
    if state.first_draft is None or state.refinement is None:
        return Work(finding="there is one draft")
    first = CheckedDraft(
        draft=state.first_draft, citations=state.first_citations, faithfulness=state.first_faithfulness
    )
    rewrite = state.checked_draft
    keep, reason = draft_choice.choose_draft(first, rewrite)
    update = Update(refinement=state.refinement.model_copy(update={"kept": keep, "kept_reason": reason}))
    if keep == "first":
        runtime.stream_writer(TextReset(reason=reason))
        runtime.stream_writer(TextDelta(text=first.draft.text))
        update |= Update(draft=first.draft, citations=first.citations, faithfulness=first.faithfulness)
    kept = "the first draft" if keep == "first" else "the rewrite"
    return Work(update=update, finding=f"keep {kept}: {reason}")


async def estimate_certainty(state: State, runtime: Runtime[Services]) -> Work:
    """Estimate the probability that the answer is correct, and assemble the checked answer."""
    verdict = await runtime.context.judges_of(state.draft).certainty_estimator.estimate(
        AnswerEvidence(
            question=state.augmented.question,
            answer=state.draft.text,
            passages=state.passages_shown,
            answerability=state.answerability.probability,
            faithfulness=state.faithfulness,
        )
    )
    ready = answers.checked_answer(state, verdict.probability, runtime.context.policy)
    finding = f"{percent(verdict.probability)} certain"
    return Work(update=Update(answer=ready), finding=finding, provenance=verdict.provenance)


async def _of_each_draft(judge: DraftJudge[_Verdict], state: State, runtime: Runtime[Services]) -> list[_Verdict]:
    """Judge each draft against the passages that its writer was shown; the verdict on the current draft comes first."""
    return [
        await judge(each, state.augmented.question, state.shown_for(each), runtime.context.judges_of(each))
        for each in state.drafts
    ]


async def _write(state: State, runtime: Runtime[Services], services: Services, **again: str) -> Draft:
    brief = WritingBrief(question=state.augmented, passages=state.evidence, choices=state.choices, **again)
    return await answer.write_answer(brief, services, runtime.stream_writer)


def _written(draft: Draft, **changed: Any) -> Work:
    finding = counted(len(sentences_of(draft.text)), "sentence")
    return Work(update=Update(draft=draft, **changed), finding=finding, provenance=draft.provenance)


def _cited_finding(state: State, verdict: CitationVerdict, services: Services) -> str:
    most = services.policy.citations_per_sentence
    cited, _ = cite(state.draft.text, verdict.links, state.shown_for(state.draft), per_sentence=most)
    return f"{sum(map(bool, cited))} of {len(cited)} sentences cited"


def _faithful_finding(verdict: FaithfulnessVerdict) -> str:
    faithful = sum(each.label == "faithful" for each in verdict.sentences)
    return f"{faithful} of {len(verdict.sentences)} sentences faithful"
