"""Steps that find passages, judge whether they contain the answer, and quote the closest ones."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.answer_assembly import citation_of
from agent.dictionary_passages import dictionary_passages
from agent.services import Services
from contracts.answer import Citation
from contracts.jargon import Reading
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion, Choice
from contracts.search import DocumentIds, Groups
from contracts.text import Passage
from contracts.verdicts import AnswerabilityVerdict, RelevanceVerdict, Reranked
from intrinsics.combined.base import PassageJudge
from tools.embedding.base import Embedder
from tools.jargon.sense_uses import told_senses
from tools.language import content_stems, fold
from tools.reading.ranking import QuoteRanker

# Of two quotations that share at least this fraction of their words, only one is shown.
_DUPLICATE = 0.8
_NOTHING_FOUND = Reranked(passages=(), provenance=Provenance(implementation="none"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenPassages:
    """The verdict on each passage, and the passages that are read for the answer.

    ``evidence`` contains the best passages, the relevant ones and the dictionary entries.
    """

    verdict: RelevanceVerdict
    evidence: tuple[Passage, ...]


async def augment_question(
    question: str, context: str, readings: Sequence[Reading], services: Services
) -> tuple[AugmentedQuestion, tuple[Passage, ...]]:
    """Add context and definitions to the question; return the result and the dictionary entries that answer it."""
    chosen = [reading for reading in readings if reading.sense is not None]
    augmented = await services.question_augmenter.augment(question, context, chosen)
    entries = dictionary_passages(augmented.question, chosen)
    return augmented, await _with_similarity(augmented.text, entries, services.embedder)


async def retrieve(
    augmented: AugmentedQuestion,
    readings: Sequence[Reading],
    services: Services,
    *,
    choices: Sequence[Choice] = (),
    variants: Sequence[str] = (),
    found_before: Sequence[Passage] = (),
    groups: Groups = None,
    documents: DocumentIds = None,
) -> Reranked:
    """Search with every wording, rank the candidates together with those found before, and keep the best."""
    policy = services.policy
    found, other_senses = await asyncio.gather(
        services.searcher.search(
            _wordings(augmented, choices, variants),
            policy.candidates,
            groups=groups,
            documents=documents,
            jargon=[reading.mention.term for reading in readings],
        ),
        chunks_of_other_senses(readings, services, groups),
    )
    known = {passage.chunk.id for passage in found}
    several = (*found, *(passage for passage in found_before if passage.chunk.id not in known))
    candidates = tuple(passage for passage in several if passage.chunk.id not in other_senses)
    if not candidates:
        return _NOTHING_FOUND
    reranked = await services.passage_reranker.rerank(augmented.with_expansions, candidates)
    return reranked.model_copy(update={"passages": reranked.passages[: policy.top_k]})


async def judge_relevance(
    question: str, passages: Sequence[Passage], entries: Sequence[Passage], services: Services
) -> ChosenPassages:
    """Judge each passage, including dictionary entries, and choose those to read for the answer."""
    verdict = await services.relevance_judge.judge(question, (*passages, *entries))
    return _chosen(passages, entries, verdict, services)


async def judge_passages(
    question: AugmentedQuestion,
    passages: Sequence[Passage],
    entries: Sequence[Passage],
    judge: PassageJudge,
    services: Services,
) -> tuple[ChosenPassages, AnswerabilityVerdict, Provenance]:
    """Rank and judge the passages, and judge whether they contain the answer, in one call; the judge may omit parts."""
    both = (*passages, *entries)
    judged = await judge.judge(question, both)
    relevance = judged.relevance
    if relevance is None:
        relevance = (await services.relevance_judge.judge(question.with_expansions, both)).passages
    order = [index for index in judged.order or range(len(passages)) if index < len(passages)]
    order += range(len(passages), len(both))
    verdict = RelevanceVerdict(passages=tuple(relevance[index] for index in order), provenance=judged.provenance)
    chosen = _chosen([both[index] for index in order[: len(passages)]], entries, verdict, services)
    answerability = judged.answerability
    if answerability is None:
        answerability = await services.answerability_judge.judge(question, chosen.evidence)
    return chosen, answerability, judged.provenance


def _chosen(
    passages: Sequence[Passage], entries: Sequence[Passage], verdict: RelevanceVerdict, services: Services
) -> ChosenPassages:
    both = (*passages, *entries)
    read = [
        index
        for index, judged in enumerate(verdict.passages)
        if index < services.policy.always_read or index >= len(passages) or judged.label in ("relevant", "partial")
    ]
    return ChosenPassages(verdict=verdict, evidence=tuple(both[index] for index in read))


async def chunks_of_other_senses(readings: Sequence[Reading], services: Services, groups: Groups) -> frozenset[str]:
    """Return the ids of the chunks that use a term of the question in a sense other than the one chosen with certainty.

    The documents themselves must show the sense that is used; chunks that use a different term of the question in its
    chosen sense are not included. A sense is certain if its probability is at least ``sure_sense_threshold``.
    """
    strays: set[str] = set()
    fitting: set[str] = set()
    for term, chosen in _sure(readings, services.policy.sure_sense_threshold).items():
        senses = [sense for reading in chosen for sense in (reading.sense, *reading.alternatives) if sense is not None]
        meant = {fold(reading.sense.extended_name) for reading in chosen if reading.sense is not None}
        if len({fold(sense.extended_name) for sense in senses}) == len(meant):
            continue
        for chunk_id, names in (await told_senses(term, senses, services.lexical, groups=groups)).items():
            right = bool(meant & {fold(name) for name in names})
            (fitting if right else strays).add(chunk_id)
    return frozenset(strays - fitting)


async def quote_closest(
    question: AugmentedQuestion, passages: Sequence[Passage], ranker: QuoteRanker, *, limit: int
) -> tuple[Citation, ...]:
    """Quote the part of each passage that most probably contains the answer; return at most ``limit``, best first.

    If several passages are nearly the same, only one is quoted.
    """
    chosen: list[Citation] = []
    quoted: set[int] = set()
    for each in await ranker.rank(question, passages):
        if each.passage in quoted or len(chosen) == limit:
            continue
        spans = (each.quote.span,) if each.quote.lead is None else (each.quote.lead, each.quote.span)
        citation = citation_of(len(chosen) + 1, passages[each.passage], spans)
        quoted.add(each.passage)
        if not any(_say_the_same(citation.quote, other.quote) for other in chosen):
            chosen.append(citation)
    return tuple(chosen)


def _say_the_same(one: str, other: str) -> bool:
    words, others = set(content_stems(one)), set(content_stems(other))
    return one == other or len(words & others) >= _DUPLICATE * len(words | others) > 0


def _sure(readings: Sequence[Reading], least: float) -> dict[str, list[Reading]]:
    """Return the chosen readings by term, for the terms that have other senses and whose readings are all certain."""
    by_term: dict[str, list[Reading]] = {}
    for reading in readings:
        by_term.setdefault(reading.mention.term, []).append(reading)
    return {
        term: several
        for term, several in by_term.items()
        if all(each.status == "chosen" and each.probability >= least for each in several)
        and any(each.alternatives for each in several)
    }


def _wordings(augmented: AugmentedQuestion, choices: Sequence[Choice], variants: Sequence[str]) -> list[str]:
    """Return the search queries: the augmented question, the question with its choices, and the other wordings."""
    options = " ".join(choice.text for choice in choices)
    with_options = [f"{augmented.question} {options}"] if options else []
    return [augmented.text, *with_options, *variants]


async def _with_similarity(question: str, passages: Sequence[Passage], embedder: Embedder) -> tuple[Passage, ...]:
    """Add the cosine similarity with the question to dictionary entries, as the searcher does for its passages."""
    if not passages:
        return ()
    query = (await embedder.embed_queries([question]))[0]
    cosines = await embedder.embed_documents([passage.chunk.searchable_text for passage in passages]) @ query
    return tuple(replace(each, dense=float(cosine)) for each, cosine in zip(passages, cosines, strict=True))
