"""Nodes that find passages and judge whether they hold the answer."""

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.ahead import begin_ahead, drop_ahead, is_ahead
from agent.answers import context_of
from agent.dictionary_passages import dictionary_passages
from agent.other_senses import chunks_of_other_senses
from agent.questions import correct_spelling
from agent.recording import Work
from agent.services import Policy, Services
from agent.state import State, Update
from agent.wording import percent
from contracts.text import Passage
from contracts.verdicts import RelevanceVerdict
from intrinsics.answer_generation import WritingBrief
from tools.embedding.base import Embedder
from tools.precedence import unhurried


async def augment_question(state: State, runtime: Runtime[Services]) -> Work:
    """Work context and definitions into the question; entries that say what is asked become passages."""
    services = runtime.context
    chosen = [reading for reading in state.readings if reading.sense is not None]
    question = correct_spelling(state.standalone, chosen)
    augmented = await services.question_augmenter.augment(question, context_of(state), chosen)
    entries = await _with_similarity(augmented.text, dictionary_passages(question, chosen), services.embedder)
    update = Update(augmented=augmented, dictionary_passages=entries)
    count = len(chosen)
    finding = f"{count} definition{'' if count == 1 else 's'} worked in" if count else "as it is"
    finding += ", the dictionary itself may answer" if entries else ""
    return Work(update=update, finding=finding, provenance=augmented.provenance)


async def retrieve(state: State, runtime: Runtime[Services]) -> Work:
    """Search in every wording, put the candidates in order, keep the best."""
    services, policy = runtime.context, runtime.context.policy
    # What is about another sense is known without the passages.
    found, strays = await asyncio.gather(
        services.searcher.search(
            _wordings(state),
            policy.candidates,
            groups=state.asker.groups,
            jargon=[reading.mention.term for reading in state.readings],
        ),
        chunks_of_other_senses(state.readings, services, state.asker.groups),
    )
    known = {passage.chunk.id for passage in found}
    several = (*found, *(passage for passage in state.passages if passage.chunk.id not in known))
    candidates = tuple(passage for passage in several if passage.chunk.id not in strays)
    if not candidates:
        return Work(update=Update(passages=()), finding="no passages")
    reranked = await services.passage_reranker.rerank(state.augmented.text, candidates)
    passages = reranked.passages[: policy.top_k]
    documents = len({passage.chunk.document_id for passage in passages})
    finding = f"{len(passages)} passages of {documents} document{'' if documents == 1 else 's'}"
    return Work(update=Update(passages=passages), finding=finding, provenance=reranked.provenance)


async def judge_relevance(state: State, runtime: Runtime[Services]) -> Work:
    """Judge each passage, dictionary entries included."""
    passages = (*state.passages, *state.dictionary_passages)
    verdict = await runtime.context.relevance_judge.judge(state.augmented.question, passages)
    # A question that the gate has turned away once is seldom let through the second time.
    if not state.expansions:
        await begin_ahead(brief_of(replace(state, relevance=verdict), runtime.context.policy), runtime)
    helpful = sum(each.label in ("relevant", "partial") for each in verdict.passages)
    finding = f"{len(passages)} passages, {helpful} relevant"
    return Work(update=Update(relevance=verdict), finding=finding, provenance=verdict.provenance)


async def judge_answerability(state: State, runtime: Runtime[Services]) -> Work:
    """Judge whether the passages hold the answer."""
    policy = runtime.context.policy
    # The language model reads the passages meanwhile, which takes it longer.
    with unhurried() if is_ahead() else nullcontext():
        verdict = await runtime.context.answerability_judge.judge(state.augmented, evidence(state, policy.always_read))
    if not policy.lets_through(verdict.probability):
        await drop_ahead(runtime)
    finding = f"answerable {percent(verdict.probability)}"
    return Work(update=Update(answerability=verdict), finding=finding, provenance=verdict.provenance)


async def expand_query(state: State, runtime: Runtime[Services]) -> Work:
    """Word the question in other ways, for one more search."""
    expanded = await runtime.context.query_expander.expand(state.augmented, state.passages)
    update = Update(variants=expanded.variants, expansions=state.expansions + 1)
    count = len(expanded.variants)
    finding = f"{count} other wording{'' if count == 1 else 's'}"
    return Work(update=update, finding=finding, provenance=expanded.provenance)


def brief_of(state: State, policy: Policy) -> WritingBrief:
    """Return what a first draft is written from."""
    return WritingBrief(question=state.augmented, passages=evidence(state, policy.always_read), choices=state.choices)


def evidence(state: State, always_read: int) -> tuple[Passage, ...]:
    """Return the passages that are read for the answer: the best ones, the relevant ones, the dictionary's entries."""
    return tuple(passage for _, passage in _read(state, always_read)) + state.dictionary_passages


def evidence_relevance(state: State, always_read: int) -> RelevanceVerdict:
    """Return the relevance verdict on ``evidence``, in its order."""
    read = [index for index, _ in _read(state, always_read)]
    entries = range(len(state.passages), len(state.passages) + len(state.dictionary_passages))
    return replace(state.relevance, passages=tuple(state.relevance.passages[index] for index in (*read, *entries)))


def _read(state: State, always_read: int) -> list[tuple[int, Passage]]:
    return [
        (index, passage)
        for index, passage in enumerate(state.passages)
        if index < always_read or state.relevance.passages[index].label in ("relevant", "partial")
    ]


def _wordings(state: State) -> list[str]:
    """Return what is searched: the augmented question, the same with the choices' words, other wordings."""
    choices = " ".join(choice.text for choice in state.choices)
    with_choices = [f"{state.augmented.question} {choices}"] if choices else []
    return [state.augmented.text, *with_choices, *state.variants]


async def _with_similarity(question: str, passages: Sequence[Passage], embedder: Embedder) -> tuple[Passage, ...]:
    """Give dictionary entries what the searcher gives its passages: their cosine with the question."""
    if not passages:
        return ()
    query = (await embedder.embed_queries([question]))[0]
    cosines = await embedder.embed_documents([passage.chunk.searchable_text for passage in passages]) @ query
    return tuple(replace(each, dense=float(cosine)) for each, cosine in zip(passages, cosines, strict=True))
