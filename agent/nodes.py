"""The nodes of the graph: each calls its step on the state, and says what changes and what it found."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from langgraph.runtime import Runtime

from agent import answers, refining
from agent.composing import cite, judged_sentences, sentences_of
from agent.document_summaries import summary_subject
from agent.refining import CheckedDraft
from agent.services import Services
from agent.small_talk import small_talk_in
from agent.state import State, Update
from agent.steps import answer, library, passages, question
from agent.steps.question import ConversationReading
from agent.wording import UNSUPPORTED_DRAFT, percent
from contracts.answer import (
    CertaintyEstimated,
    CitationsVerified,
    RefinementRecord,
    SentencesJudged,
    TextDelta,
    TextReset,
)
from contracts.jargon import Reading
from contracts.provenance import Provenance
from contracts.verdicts import (
    CitationVerdict,
    ContextVerdict,
    Draft,
    FaithfulnessVerdict,
    IdentifiedJargon,
    RelevanceVerdict,
)
from intrinsics.answer_generation.base import WritingBrief


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a node did: what changes, a line about it for people, and who judged."""

    update: Update = field(default_factory=Update)
    finding: str = ""
    provenance: Provenance | None = None


Node = Callable[[State, Runtime[Services]], Awaitable[Work]]


async def reply_to_small_talk(state: State, runtime: Runtime[Services]) -> Work:
    """Reply to a greeting, to thanks and the like; nothing is searched."""
    kind = small_talk_in(state.question, is_first=not state.history)
    assert kind is not None
    return Work(update=Update(answer=answers.small_talk_answer(state, kind)), finding=kind)


async def describe_library(state: State, runtime: Runtime[Services]) -> Work:
    """Say what the library holds, and which questions work."""
    contents = await library.describe_library(state.asker.groups, runtime.context)
    ready = answers.library_answer(state, contents, runtime.context.policy)
    finding = f"{_count(len(contents.documents), 'document')}, {_count(contents.terms, 'term')}"
    return Work(update=Update(answer=ready), finding=finding)


async def summarise_document(state: State, runtime: Runtime[Services]) -> Work:
    """Answer from the stored summaries of the document that is named; where none is, the question is read on."""
    subject = summary_subject(state.question)
    summary = await library.summarise_document(state.question, subject, state.asker.groups, runtime.context)
    if summary is None:
        return Work(finding=f"no document is called {subject}")
    ready = answers.summary_answer(state, summary)
    return Work(update=Update(answer=ready), finding=summary.document.name, provenance=summary.provenance)


async def understand_question(state: State, runtime: Runtime[Services]) -> Work:
    """Make the question stand alone, and find its jargon and its context, together."""
    assert runtime.context.question_reader is not None
    read = await question.understand_question(
        state.question, state.history, state.picks, state.asker, runtime.context.question_reader, runtime.context
    )
    update = _continued(read.conversation) | Update(jargon=read.jargon, contexts=read.contexts)
    finding = f"{_stands(read.conversation)}; {_jargon(read.jargon)}; {_context(read.contexts)}"
    return Work(update=update, finding=finding, provenance=read.provenance)


async def rewrite_question(state: State, runtime: Runtime[Services]) -> Work:
    """Make the question stand alone; a reply to a question back, or a correction, continues the question before."""
    read = await question.rewrite_question(state.question, state.history, state.picks, runtime.context)
    provenance = read.rewritten.provenance if read.rewritten is not None else None
    return Work(update=_continued(read), finding=_stands(read), provenance=provenance)


async def identify_jargon(state: State, runtime: Runtime[Services]) -> Work:
    """Find the abbreviations and jargon in the question."""
    jargon = await question.identify_jargon(state.standalone, runtime.context)
    return Work(update=Update(jargon=jargon), finding=_jargon(jargon), provenance=jargon.provenance)


async def classify_context(state: State, runtime: Runtime[Services]) -> Work:
    """Judge in which context the question is asked."""
    contexts = await question.classify_context(state.standalone, state.history, state.asker, runtime.context)
    return Work(update=Update(contexts=contexts), finding=_context(contexts), provenance=contexts.provenance)


async def look_up_jargon(state: State, runtime: Runtime[Services]) -> Work:
    """Look each term up in the dictionary and the documents, and choose its sense."""
    readings = await question.look_up_jargon(
        state.standalone, state.jargon, state.contexts, state.asker, state.picks, runtime.context
    )
    return Work(update=Update(readings=readings), finding=_looked_up(state.jargon, readings))


async def report_unknown_terms(state: State, runtime: Runtime[Services]) -> Work:
    """Answer that a term is unknown, and put it on the manager's list."""
    context = state.asker.department or state.contexts.best
    unknown = await question.record_unknown_terms(state.standalone, state.readings, context, runtime.context)
    ready = answers.unknown_terms_answer(state, unknown, runtime.context.policy)
    return Work(
        update=Update(answer=ready), finding=f"unknown: {', '.join(reading.mention.text for reading in unknown)}"
    )


async def ask_which_sense(state: State, runtime: Runtime[Services]) -> Work:
    """Ask one short question back."""
    ready = answers.clarifying_answer(state)
    return Work(
        update=Update(answer=ready), finding=f"{ready.options[0].sense.term}: {len(ready.options)} senses are plausible"
    )


async def augment_question(state: State, runtime: Runtime[Services]) -> Work:
    """Work context and definitions into the question; entries that say what is asked become passages."""
    context = answers.context_of(state.picks, state.readings, state.contexts.best)
    augmented, entries = await passages.augment_question(state.standalone, context, state.readings, runtime.context)
    count = len(augmented.readings)
    finding = f"{_count(count, 'definition')} worked in" if count else "as it is"
    finding += ", the dictionary itself may answer" if entries else ""
    update = Update(augmented=augmented, dictionary_passages=entries)
    return Work(update=update, finding=finding, provenance=augmented.provenance)


async def retrieve(state: State, runtime: Runtime[Services]) -> Work:
    """Search in every wording, put the candidates in order, keep the best."""
    found = await passages.retrieve(
        state.augmented,
        state.readings,
        runtime.context,
        choices=state.choices,
        variants=state.variants,
        found_before=state.passages,
        groups=state.asker.groups,
    )
    documents = len({passage.chunk.document_id for passage in found.passages})
    finding = f"{len(found.passages)} passages of {_count(documents, 'document')}" if documents else "no passages"
    return Work(update=Update(passages=found.passages), finding=finding, provenance=found.provenance)


async def judge_passages(state: State, runtime: Runtime[Services]) -> Work:
    """Order the passages, judge each, and say whether they hold the answer, together."""
    assert runtime.context.passage_judge is not None
    chosen, answerability, provenance = await passages.judge_passages(
        state.augmented, state.passages, state.dictionary_passages, runtime.context.passage_judge, runtime.context
    )
    update = Update(evidence=chosen.evidence, relevance=chosen.relevance, answerability=answerability)
    finding = f"{_relevant(chosen.verdict)}, answerable {percent(answerability.probability)}"
    return Work(update=update, finding=finding, provenance=provenance)


async def judge_relevance(state: State, runtime: Runtime[Services]) -> Work:
    """Judge each passage, and choose those that are read for the answer."""
    judged = await passages.judge_relevance(
        state.augmented.spelt_out, state.passages, state.dictionary_passages, runtime.context
    )
    update = Update(evidence=judged.evidence, relevance=judged.relevance)
    return Work(update=update, finding=_relevant(judged.verdict), provenance=judged.verdict.provenance)


async def judge_answerability(state: State, runtime: Runtime[Services]) -> Work:
    """Judge whether the passages hold the answer."""
    verdict = await passages.judge_answerability(state.augmented, state.evidence, runtime.context)
    finding = f"answerable {percent(verdict.probability)}"
    return Work(update=Update(answerability=verdict), finding=finding, provenance=verdict.provenance)


async def expand_query(state: State, runtime: Runtime[Services]) -> Work:
    """Word the question in other ways, for one more search."""
    expanded = await passages.expand_query(state.augmented, state.passages, runtime.context)
    update = Update(variants=expanded.variants, expansions=state.expansions + 1)
    return Work(update=update, finding=_count(len(expanded.variants), "other wording"), provenance=expanded.provenance)


async def show_closest_passages(state: State, runtime: Runtime[Services]) -> Work:
    """Quote the passages that come closest to the question, and say what is missing. Nothing is generated."""
    if state.draft.text:
        runtime.stream_writer(TextReset(reason="the documents do not support what was written"))
    closest = await passages.quote_closest_passages(state.augmented, state.evidence, runtime.context)
    ready = answers.closest_passages_answer(state, closest, runtime.context.policy)
    why = "nothing that was written is supported" if state.draft.text else "the documents do not hold the answer"
    return Work(update=Update(answer=ready), finding=f"{why}, {_count(len(closest), 'quotation')}")


async def write_answer(state: State, runtime: Runtime[Services]) -> Work:
    """Write the answer from the passages, streamed."""
    brief = WritingBrief(question=state.augmented, passages=state.evidence, choices=state.choices)
    draft = await answer.write_answer(brief, runtime.context, runtime.stream_writer)
    return Work(
        update=Update(draft=draft),
        finding=_count(len(sentences_of(draft.text)), "sentence"),
        provenance=draft.provenance,
    )


async def review(state: State, runtime: Runtime[Services]) -> Work:
    """Decide whether the draft is written again; a question that was searched twice has had its second try."""
    reviewed = await answer.review(
        state.draft,
        state.augmented.question,
        state.passages_shown,
        runtime.context,
        # A model that failed to write is not asked to write again.
        may_rewrite=runtime.context.policy.max_refinements > 0
        and not state.expansions
        and not state.draft.provenance.degraded,
    )
    update = Update(critique=reviewed.critique, refinement=reviewed.record)
    return Work(update=update, finding=_reviewed(reviewed.record), provenance=reviewed.provenance)


async def refine_answer(state: State, runtime: Runtime[Services]) -> Work:
    """Write the answer again under the critique."""
    runtime.stream_writer(TextReset(reason=state.critique))
    brief = WritingBrief(
        question=state.augmented,
        passages=state.evidence,
        choices=state.choices,
        critique=state.critique,
        draft=state.draft.text,
    )
    draft = await answer.write_answer(brief, runtime.context, runtime.stream_writer)
    update = Update(draft=draft, first_draft=state.draft)
    return Work(update=update, finding=_count(len(sentences_of(draft.text)), "sentence"), provenance=draft.provenance)


async def quote_answer(state: State, runtime: Runtime[Services]) -> Work:
    """Quote the answer from the passages: what a language model wrote is not supported by them."""
    assert runtime.context.embedded is not None
    runtime.stream_writer(TextReset(reason=UNSUPPORTED_DRAFT))
    brief = WritingBrief(question=state.augmented, passages=state.evidence, choices=state.choices)
    draft = await answer.write_answer(brief, runtime.context.embedded, runtime.stream_writer)
    provenance = draft.provenance.model_copy(update={"degraded": UNSUPPORTED_DRAFT})
    # What was written and found wanting is nobody's to read.
    record = refining.without_texts(state.refinement) if state.refinement is not None else None
    update = Update(draft=draft.model_copy(update={"provenance": provenance}), first_draft=None, refinement=record)
    return Work(update=update, finding=_count(len(sentences_of(draft.text)), "sentence"), provenance=provenance)


async def check_answer(state: State, runtime: Runtime[Services]) -> Work:
    """Cite the draft and judge its sentences, together; the same for a first draft."""
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
    cited = _show_citations(state.draft, checked[0].citations, state, runtime)
    faithful = _show_faithfulness(state.draft, checked[0].faithfulness, runtime)
    return Work(update=update, finding=f"{cited}; {faithful}", provenance=provenance)


async def find_citations(state: State, runtime: Runtime[Services]) -> Work:
    """Link each sentence of the draft to the sentences of the passages it rests on; the same for a first draft."""
    found = [
        await answer.find_citations(
            each, state.augmented.question, state.shown_for(each), runtime.context.judges_of(each)
        )
        for each in state.drafts
    ]
    verdict = found[0]
    finding = _show_citations(state.draft, verdict, state, runtime)
    update = Update(citations=verdict, first_citations=found[-1])
    return Work(update=update, finding=finding, provenance=verdict.provenance)


async def judge_faithfulness(state: State, runtime: Runtime[Services]) -> Work:
    """Check each sentence of the draft against the passages; the same for a first draft."""
    judged = [
        await answer.judge_faithfulness(
            each, state.augmented.question, state.shown_for(each), runtime.context.judges_of(each)
        )
        for each in state.drafts
    ]
    verdict = judged[0]
    finding = _show_faithfulness(state.draft, verdict, runtime)
    update = Update(faithfulness=verdict, first_faithfulness=judged[-1])
    return Work(update=update, finding=finding, provenance=verdict.provenance)


async def choose_draft(state: State, runtime: Runtime[Services]) -> Work:
    """Keep the first draft or its rewrite; whoever follows the stream sees the one that is kept."""
    if state.first_draft is None or state.refinement is None:
        return Work(finding="there is one draft")
    first = CheckedDraft(
        draft=state.first_draft, citations=state.first_citations, faithfulness=state.first_faithfulness
    )
    rewrite = state.checked_draft
    keep, reason = refining.choose_draft(first, rewrite)
    record = refining.end_record(state.refinement, keep, reason, first, rewrite, state.evidence)
    update = Update(refinement=record)
    if keep == "first":
        runtime.stream_writer(TextReset(reason=reason))
        runtime.stream_writer(TextDelta(text=first.draft.text))
        _show_citations(first.draft, first.citations, state, runtime)
        _show_faithfulness(first.draft, first.faithfulness, runtime)
        update |= Update(draft=first.draft, citations=first.citations, faithfulness=first.faithfulness)
    kept = "the first draft" if keep == "first" else "the rewrite"
    return Work(update=update, finding=f"keep {kept}: {reason}")


async def estimate_certainty(state: State, runtime: Runtime[Services]) -> Work:
    """Estimate how probably the answer is right, and put the checked answer together."""
    verdict = await answer.estimate_certainty(
        state.checked_draft,
        state.augmented.question,
        state.passages_shown,
        state.relevance,
        state.answerability.probability,
        runtime.context.judges_of(state.draft),
    )
    runtime.stream_writer(CertaintyEstimated(probability=verdict.probability))
    ready = answers.checked_answer(state, verdict.probability, runtime.context.policy)
    finding = f"{percent(verdict.probability)} certain"
    return Work(update=Update(answer=ready), finding=finding, provenance=verdict.provenance)


def _continued(read: ConversationReading) -> Update:
    return Update(picks=read.picks, history=read.history, standalone=read.standalone, choices=read.choices)


def _stands(read: ConversationReading) -> str:
    if read.rewritten is None and read.resumed:
        return f"goes on with: {read.standalone}"
    changed = read.resumed or (read.rewritten is not None and read.rewritten.changed)
    return f"read as: {read.standalone}" if changed else "stands alone"


def _jargon(jargon: IdentifiedJargon) -> str:
    terms = [
        f"{mention.text} → {mention.term}" if mention.corrected else mention.term
        for mention in question.first_mentions(jargon.mentions)
    ]
    return f"jargon: {', '.join(terms)}" if terms else "no jargon"


def _context(contexts: ContextVerdict) -> str:
    best = contexts.best
    return f"context: {best} {percent(contexts.probability_of(best))}" if best else "no context stands out"


def _relevant(verdict: RelevanceVerdict) -> str:
    relevant = sum(each.label in ("relevant", "partial") for each in verdict.passages)
    return f"{len(verdict.passages)} passages, {relevant} relevant"


def _show_citations(draft: Draft, verdict: CitationVerdict, state: State, runtime: Runtime[Services]) -> str:
    most = runtime.context.policy.citations_per_sentence
    cited, citations = cite(draft.text, verdict.links, state.shown_for(draft), per_sentence=most)
    runtime.stream_writer(CitationsVerified(sentences=cited, citations=citations))
    return f"{sum(bool(each.citations) for each in cited)} of {len(cited)} sentences cited"


def _show_faithfulness(draft: Draft, verdict: FaithfulnessVerdict, runtime: Runtime[Services]) -> str:
    runtime.stream_writer(SentencesJudged(sentences=judged_sentences(draft.text, verdict)))
    faithful = sum(each.label == "faithful" for each in verdict.sentences)
    return f"{faithful} of {len(verdict.sentences)} sentences faithful"


def _looked_up(jargon: IdentifiedJargon, readings: Sequence[Reading]) -> str:
    if not jargon.mentions:
        return "nothing to look up"
    words = {"documents": "used in the documents", "ambiguous": "several senses", "unknown": "unknown"}
    said = []
    for reading in readings:
        if reading.sense is None:
            said.append(f"{reading.mention.term}: {words.get(reading.status, reading.status)}")
        else:
            context = f" ({reading.sense.context})" if reading.sense.context else ""
            said.append(f"{reading.mention.term} = {reading.sense.extended_name}{context}")
    return "; ".join(said) or "no term of ours"


def _reviewed(record: RefinementRecord) -> str:
    relation = "below" if record.signal < record.threshold else "at or above"
    finding = f"{'write again' if record.fired else 'keep'}: {record.policy}, {record.signal_name} {record.signal:.2f} "
    finding += f"is {relation} {record.threshold:.2f}"
    return finding + "".join(f"; {reason}" for reason in record.reasons)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


# In the order of the graph.
NODES: tuple[Node, ...] = (
    reply_to_small_talk,
    describe_library,
    summarise_document,
    understand_question,
    rewrite_question,
    identify_jargon,
    classify_context,
    look_up_jargon,
    report_unknown_terms,
    ask_which_sense,
    augment_question,
    retrieve,
    judge_passages,
    judge_relevance,
    judge_answerability,
    expand_query,
    show_closest_passages,
    write_answer,
    review,
    refine_answer,
    check_answer,
    find_citations,
    judge_faithfulness,
    choose_draft,
    quote_answer,
    estimate_certainty,
)
