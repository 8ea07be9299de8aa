"""The graph nodes before the answer: small talk, the question, its jargon, the search and the passages."""

from langgraph.runtime import Runtime

from agent import answers
from agent.document_summaries import summary_subject
from agent.findings import context_finding, jargon_finding, lookup_finding, question_finding, relevance_finding
from agent.services import Services
from agent.small_talk import small_talk_in
from agent.state import State, Update, Work
from agent.steps import library, passages, question
from agent.steps.question import ConversationReading
from agent.wording import counted, percent
from contracts.answer import TermsRead, TextReset


async def reply_to_small_talk(state: State, runtime: Runtime[Services]) -> Work:
    """Reply to small talk, such as a greeting, without a search."""
    kind = small_talk_in(state.question, is_first=not state.history)
    assert kind is not None
    return Work(update=Update(answer=answers.small_talk_answer(state, kind)), finding=kind)


async def describe_library(state: State, runtime: Runtime[Services]) -> Work:
    """Describe what the library contains, and suggest questions that work."""
    contents = await library.describe_library(state.asker, runtime.context)
    ready = answers.library_answer(state, contents, runtime.context.policy)
    finding = f"{counted(len(contents.documents), 'document')}, {counted(contents.terms, 'term')}"
    return Work(update=Update(answer=ready), finding=finding)


async def summarise_document(state: State, runtime: Runtime[Services]) -> Work:
    """Answer from the stored summaries of the named document; if there are none, set no answer."""
    subject = summary_subject(state.question)
    summary = await library.summarise_document(state.question, subject, state.asker, runtime.context)
    if summary is None:
        return Work(finding=f"no document is called {subject}")
    ready = answers.summary_answer(state, summary)
    return Work(update=Update(answer=ready), finding=summary.document.name, provenance=summary.provenance)


async def understand_question(state: State, runtime: Runtime[Services]) -> Work:
    """Make the question stand alone, and find its jargon and its context, in one call."""
    assert runtime.context.question_reader is not None
    read = await question.understand_question(
        state.question, state.history, state.picks, state.asker, runtime.context.question_reader, runtime.context
    )
    update = _continued(read.conversation) | Update(jargon=read.jargon, contexts=read.contexts)
    finding = f"{question_finding(read.conversation)}; {jargon_finding(read.jargon)}; {context_finding(read.contexts)}"
    return Work(update=update, finding=finding, provenance=read.provenance)


async def rewrite_question(state: State, runtime: Runtime[Services]) -> Work:
    """Make the question stand alone; a reply to a clarifying question, or a correction, continues the last question."""
    read = await question.rewrite_question(state.question, state.history, state.picks, runtime.context)
    provenance = read.rewritten.provenance if read.rewritten is not None else None
    return Work(update=_continued(read), finding=question_finding(read), provenance=provenance)


async def identify_jargon(state: State, runtime: Runtime[Services]) -> Work:
    """Find the abbreviations and jargon in the question."""
    jargon = await runtime.context.jargon_identifier.identify(state.standalone)
    return Work(update=Update(jargon=jargon), finding=jargon_finding(jargon), provenance=jargon.provenance)


async def classify_context(state: State, runtime: Runtime[Services]) -> Work:
    """Judge in which context the question was asked."""
    contexts = await question.classify_context(state.standalone, state.history, state.asker, runtime.context)
    return Work(update=Update(contexts=contexts), finding=context_finding(contexts), provenance=contexts.provenance)


async def look_up_jargon(state: State, runtime: Runtime[Services]) -> Work:
    """Look each term up in the dictionary and the documents, and choose its sense."""
    readings = await question.look_up_jargon(
        state.standalone, state.jargon, state.contexts, state.asker, state.picks, runtime.context
    )
    runtime.stream_writer(TermsRead(readings=readings))
    return Work(update=Update(readings=readings), finding=lookup_finding(state.jargon, readings))


async def report_unknown_terms(state: State, runtime: Runtime[Services]) -> Work:
    """Answer that a term is unknown, and put it on the manager's list."""
    context = state.asker.department or state.contexts.best
    unknown = await question.record_unknown_terms(state.standalone, state.readings, context, runtime.context)
    ready = answers.unknown_terms_answer(state, unknown, runtime.context.policy)
    return Work(
        update=Update(answer=ready), finding=f"unknown: {', '.join(reading.mention.text for reading in unknown)}"
    )


async def ask_which_sense(state: State, runtime: Runtime[Services]) -> Work:
    """Ask one short clarifying question."""
    ready = answers.clarifying_answer(state)
    return Work(
        update=Update(answer=ready), finding=f"{ready.options[0].sense.term}: {len(ready.options)} senses are plausible"
    )


async def augment_question(state: State, runtime: Runtime[Services]) -> Work:
    """Add context and definitions to the question; dictionary entries that answer it become passages."""
    context = answers.context_of(state.picks, state.readings, state.contexts.best)
    augmented, entries = await passages.augment_question(state.standalone, context, state.readings, runtime.context)
    count = len(augmented.readings)
    finding = f"{counted(count, 'definition')} added" if count else "unchanged"
    finding += ", the dictionary itself may answer" if entries else ""
    update = Update(augmented=augmented, dictionary_passages=entries)
    return Work(update=update, finding=finding, provenance=augmented.provenance)


async def retrieve(state: State, runtime: Runtime[Services]) -> Work:
    """Search with every wording, rank the candidates, and keep the best."""
    found = await passages.retrieve(
        state.augmented,
        state.readings,
        runtime.context,
        choices=state.choices,
        variants=state.variants,
        found_before=state.passages,
        groups=state.asker.groups,
        documents=state.asker.documents,
    )
    documents = len({passage.chunk.document_id for passage in found.passages})
    finding = f"{len(found.passages)} passages of {counted(documents, 'document')}" if documents else "no passages"
    return Work(update=Update(passages=found.passages), finding=finding, provenance=found.provenance)


async def judge_passages(state: State, runtime: Runtime[Services]) -> Work:
    """Rank the passages, judge each one, and judge whether they contain the answer, in one call."""
    assert runtime.context.passage_judge is not None
    chosen, answerability, provenance = await passages.judge_passages(
        state.augmented, state.passages, state.dictionary_passages, runtime.context.passage_judge, runtime.context
    )
    update = Update(evidence=chosen.evidence, answerability=answerability)
    finding = f"{relevance_finding(chosen.verdict)}, answerable {percent(answerability.probability)}"
    return Work(update=update, finding=finding, provenance=provenance)


async def judge_relevance(state: State, runtime: Runtime[Services]) -> Work:
    """Judge each passage, and choose those to read for the answer."""
    judged = await passages.judge_relevance(
        state.augmented.with_expansions, state.passages, state.dictionary_passages, runtime.context
    )
    update = Update(evidence=judged.evidence)
    return Work(update=update, finding=relevance_finding(judged.verdict), provenance=judged.verdict.provenance)


async def judge_answerability(state: State, runtime: Runtime[Services]) -> Work:
    """Judge whether the passages contain the answer."""
    verdict = await runtime.context.answerability_judge.judge(state.augmented, state.evidence)
    finding = f"answerable {percent(verdict.probability)}"
    return Work(update=Update(answerability=verdict), finding=finding, provenance=verdict.provenance)


async def expand_query(state: State, runtime: Runtime[Services]) -> Work:
    """Word the question in different ways for one more search."""
    expanded = await runtime.context.query_expander.expand(state.augmented)
    update = Update(variants=expanded.variants, expansions=state.expansions + 1)
    return Work(update=update, finding=counted(len(expanded.variants), "other wording"), provenance=expanded.provenance)


async def show_closest_passages(state: State, runtime: Runtime[Services]) -> Work:
    """Quote the passages closest to the question, and name what is missing. No text is generated."""
    if state.draft.text:
        runtime.stream_writer(TextReset(reason="the documents do not support what was written"))
    policy = runtime.context.policy
    closest = await passages.quote_closest(
        state.augmented, state.evidence, runtime.context.quote_ranker, limit=policy.closest_passages
    )
    ready = answers.closest_passages_answer(state, closest, policy)
    why = "nothing that was written is supported" if state.draft.text else "the documents do not contain the answer"
    return Work(update=Update(answer=ready), finding=f"{why}, {counted(len(closest), 'quotation')}")


def _continued(read: ConversationReading) -> Update:
    return Update(picks=read.picks, history=read.history, standalone=read.standalone, choices=read.choices)
