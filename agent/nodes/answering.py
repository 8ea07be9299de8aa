"""Nodes that write the answer, check it, and word what the asker gets."""

from dataclasses import replace

from langgraph.runtime import Runtime

from agent.ahead import take_ahead
from agent.answers import begin_answer
from agent.claims import count_held, weigh_claims
from agent.composing import cite, compose, nearest_documents, sentences_of
from agent.foreseeing import DraftFollower
from agent.nodes.retrieval import brief_of, evidence, evidence_relevance
from agent.questions import remove_markers
from agent.recording import Work
from agent.refining import CheckedDraft, begin_record, choose_draft, end_record, without_texts
from agent.services import Services
from agent.state import State, Update
from agent.wording import decline_text, empty_library_text, percent
from contracts.answer import (
    CertaintyEstimated,
    CitationsVerified,
    JudgedSentence,
    RefinementRecord,
    SentencesJudged,
    TextDelta,
    TextReset,
)
from contracts.text import Passage
from contracts.verdicts import Draft, FaithfulnessVerdict
from intrinsics.answer_generation import WritingBrief
from intrinsics.certainty import AnswerEvidence


async def decline(state: State, runtime: Runtime[Services]) -> Work:
    """Say that the documents do not answer, what is missing, and what comes nearest. Nothing is generated."""
    policy = runtime.context.policy
    if state.draft.text:
        runtime.stream_writer(TextReset(reason="the documents do not support what was written"))
    nearest = nearest_documents(state.passages, policy.nearest_documents)
    missing = state.answerability.missing
    text = decline_text(missing, nearest, policy.contact) if nearest else empty_library_text(policy.contact)
    answer = replace(
        begin_answer(state, "declined", text),
        answerability=state.answerability.probability,
        missing=missing,
        nearest=nearest,
        refinement=without_texts(state.refinement) if state.refinement is not None else None,
    )
    finding = "nothing that was written is supported" if state.draft.text else "the documents do not hold the answer"
    return Work(update=Update(answer=answer), finding=finding)


async def write_answer(state: State, runtime: Runtime[Services]) -> Work:
    """Write the answer from the passages, streamed."""
    brief = await take_ahead(brief_of(state, runtime.context.policy), runtime)
    draft = await _write(brief, runtime)
    return Work(update=Update(draft=draft), finding=_length_of(draft), provenance=draft.provenance)


async def find_citations(state: State, runtime: Runtime[Services]) -> Work:
    """Link each sentence of the draft to the sentences of the passages it rests on, whatever its writer claims."""
    draft, passages = state.draft, _evidence(state, runtime)
    sentences = [sentence.text for sentence in sentences_of(draft.text)]
    verdict = await runtime.context.citation_finder.find(sentences, passages, question=state.augmented.question)
    verdict = replace(verdict, links=weigh_claims(draft, verdict.links, passages))
    cited, citations = cite(
        draft.text, verdict.links, passages, per_sentence=runtime.context.policy.citations_per_sentence
    )
    runtime.stream_writer(CitationsVerified(sentences=cited, citations=citations))
    finding = f"{sum(bool(each.citations) for each in cited)} of {len(sentences)} sentences cited"
    held, claimed = count_held(draft, verdict.links)
    finding += f", {held} of {claimed} of the writer's own marks borne out" if claimed else ""
    return Work(update=Update(citations=verdict), finding=finding, provenance=verdict.provenance)


async def judge_faithfulness(state: State, runtime: Runtime[Services]) -> Work:
    """Check each sentence of the draft against the passages."""
    sentences = [sentence.text for sentence in sentences_of(state.draft.text)]
    verdict = await runtime.context.faithfulness_judge.judge(
        state.augmented.question, sentences, _evidence(state, runtime)
    )
    runtime.stream_writer(SentencesJudged(sentences=_judged(state.draft.text, verdict)))
    faithful = sum(each.label == "faithful" for each in verdict.sentences)
    finding = f"{faithful} of {len(sentences)} sentences faithful"
    return Work(update=Update(faithfulness=verdict), finding=finding, provenance=verdict.provenance)


def _judged(text: str, verdict: FaithfulnessVerdict) -> tuple[JudgedSentence, ...]:
    return tuple(
        JudgedSentence(text=sentence.text, label=each.label, probability=each.probability, reason=each.reason)
        for sentence, each in zip(sentences_of(text), verdict.sentences, strict=True)
    )


async def review(state: State, runtime: Runtime[Services]) -> Work:
    """Decide whether the draft is written again; of a draft and its rewrite, decide which one is kept."""
    if state.first_draft is not None and state.refinement is not None:
        return _weigh(state.first_draft, state.refinement, state, runtime)
    verdict = await runtime.context.refiner.review(
        state.augmented.question, state.draft.text, _evidence(state, runtime)
    )
    fired = verdict.rewrite and state.refinements < runtime.context.policy.max_refinements
    update = Update(
        critique=verdict.critique if fired else "",
        refinement=begin_record(verdict, fired=fired),
        first_draft=_checked(state) if fired else None,
    )
    relation = "below" if verdict.signal < verdict.threshold else "at or above"
    finding = f"{'write again' if fired else 'keep'}: {verdict.policy}, {verdict.signal_name} {verdict.signal:.2f} is "
    finding += f"{relation} {verdict.threshold:.2f}"
    finding += "".join(f"; {reason}" for reason in verdict.reasons)
    return Work(update=update, finding=finding, provenance=verdict.provenance)


def _checked(state: State) -> CheckedDraft:
    return CheckedDraft(draft=state.draft, citations=state.citations, faithfulness=state.faithfulness)


def _weigh(first: CheckedDraft, record: RefinementRecord, state: State, runtime: Runtime[Services]) -> Work:
    """Keep the first draft or its rewrite; whoever follows the stream sees the one that is kept."""
    passages, rewrite = _evidence(state, runtime), _checked(state)
    choice = choose_draft(first, rewrite)
    update = Update(critique="", refinement=end_record(record, choice, first, rewrite, passages))
    if choice.kept == "first":
        update |= Update(draft=first.draft, citations=first.citations, faithfulness=first.faithfulness)
        text, links = first.draft.text, first.citations.links
        runtime.stream_writer(TextReset(reason=choice.reason))
        runtime.stream_writer(TextDelta(text=text))
        cited, citations = cite(text, links, passages, per_sentence=runtime.context.policy.citations_per_sentence)
        runtime.stream_writer(CitationsVerified(sentences=cited, citations=citations))
        runtime.stream_writer(SentencesJudged(sentences=_judged(text, first.faithfulness)))
    kept = "the first draft" if choice.kept == "first" else "the rewrite"
    return Work(update=update, finding=f"keep {kept}: {choice.reason}")


async def refine_answer(state: State, runtime: Runtime[Services]) -> Work:
    """Write the answer again under the critique."""
    runtime.stream_writer(TextReset(reason=state.critique))
    brief = replace(brief_of(state, runtime.context.policy), critique=state.critique, draft=state.draft.text)
    draft = await _write(brief, runtime)
    update = Update(draft=draft, refinements=state.refinements + 1)
    return Work(update=update, finding=_length_of(draft), provenance=draft.provenance)


async def estimate_certainty(state: State, runtime: Runtime[Services]) -> Work:
    """Estimate how probably the answer is right, and put the checked answer together."""
    policy = runtime.context.policy
    passages = _evidence(state, runtime)
    relevance = evidence_relevance(state, policy.always_read)
    verdict = await runtime.context.certainty_estimator.estimate(
        AnswerEvidence(
            question=state.augmented.question,
            answer=state.draft.text,
            passages=passages,
            answerability=state.answerability.probability,
            faithfulness=state.faithfulness,
            relevance=replace(relevance, passages=relevance.passages[: len(passages)]),
        )
    )
    runtime.stream_writer(CertaintyEstimated(probability=verdict.probability))
    composed = compose(
        state.draft.text,
        state.citations.links,
        state.faithfulness.sentences,
        passages,
        per_sentence=policy.citations_per_sentence,
    )
    answer = replace(
        begin_answer(state, "answered", composed.text),
        sentences=composed.sentences,
        citations=composed.citations,
        answerability=state.answerability.probability,
        certainty=verdict.probability,
        refinement=state.refinement,
    )
    finding = f"{percent(verdict.probability)} certain"
    return Work(update=Update(answer=answer), finding=finding, provenance=verdict.provenance)


def _evidence(state: State, runtime: Runtime[Services]) -> tuple[Passage, ...]:
    """Return what the draft's writer read: a passage that it was not shown is no evidence for what it wrote."""
    return evidence(state, runtime.context.policy.always_read)[: state.draft.passages_read]


async def _write(brief: WritingBrief, runtime: Runtime[Services]) -> Draft:
    """Stream what the writer writes; return the whole, without markers.

    Where the draft is not what was streamed (another writer took over, or it began with thoughts), it takes its place.
    """
    streamed = ""
    follower = DraftFollower(runtime.context.foreseers, brief.question.question, brief.passages)
    async for piece in runtime.context.answer_writer.write(brief):
        if isinstance(piece, str):
            streamed += piece
            runtime.stream_writer(TextDelta(text=piece))
            follower.follow(streamed, piece)
            continue
        text = remove_markers(piece.text).strip()
        if streamed.strip() != piece.text.strip():
            runtime.stream_writer(TextReset(reason="the text begins anew"))
            runtime.stream_writer(TextDelta(text=text))
        # Where the text changed, the claims' places in it are not theirs any more.
        return replace(piece, text=text, claims=piece.claims if text == piece.text else ())
    raise RuntimeError(f"{type(runtime.context.answer_writer).__name__} ended its stream without a Draft")


def _length_of(draft: Draft) -> str:
    count = len(sentences_of(draft.text))
    return f"{count} sentence{'' if count == 1 else 's'}"
