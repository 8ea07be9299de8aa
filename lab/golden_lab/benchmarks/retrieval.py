"""Does search bring the passages that answer? Words, meanings, their fusion and its reranking on public collections."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from evaluation.results import Outcome, Score, Scores
from evaluation.scores import mean_score
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened
from golden_lab.benchmarks.library import CorpusLibrary, open_corpus
from golden_lab.datasets.corpora import (
    Collection,
    JudgedQuestion,
    load_awsdocs,
    load_eda,
    load_mtrag,
)
from golden_lab.engine import Engine
from golden_lab.metrics.ranking import ndcg_at, recall_at, reciprocal_rank
from golden_lab.run import Run

RECALLS = ("Recall@5", "Recall@10", "Recall@20")
STANDALONE = "standalone (proxy: people left it as it was)"
NOT_STANDALONE = "not standalone (proxy: people changed it)"
LAST_TURN, OURS, GOLD = "last turn", "our rewrite", "gold rewrite"
# Chunks asked of each search, by the deepest metric: a document has several, so more are asked where it is the unit.
_DEPTH_OF_TURNS = 25
_DEPTH_OF_DOCUMENTS = 50
# Candidates that are reranked: the rest keep the search's order behind them.
_RERANKED = 20
OTHERS_OF_CLOUD = 1_500
_OTHERS_OF_AWSDOCS = 100
_OF_TURNS = (*RECALLS, "nDCG@5", "nDCG@10", "MRR@20")
_OF_DOCUMENTS = ("Recall@1", "Recall@5", "Recall@10", "nDCG@5", "nDCG@10", "MRR@10")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalCase:
    """A judged question; ``reranked`` says whether what was found is reranked too, which takes seconds a question."""

    id: str
    question: JudgedQuestion
    reranked: bool


@dataclass(frozen=True, kw_only=True)
class Retrieval(Benchmark[RetrievalCase]):
    """Scores BM25, the vectors, their fusion and its reranking on the half of a collection that nothing is fitted on.

    ``open`` reads the collection of a run; ``depth`` chunks are searched. ``size`` limits the questions, ``reranked``
    those that are reranked, unless the run is full.
    """

    open: Callable[[Run], Collection]
    metrics: tuple[str, ...]
    depth: int
    size: int
    reranked: int

    def load(self, run: Run) -> CaseSet[RetrievalCase]:
        """Read the questions of the half that is scored."""
        collection = self.open(run).part("score")
        kept = run.sample(collection.questions, self.size)
        reranked = {each.id for each in run.sample(kept, self.reranked)}
        cases = tuple(RetrievalCase(id=each.id, question=each, reranked=each.id in reranked) for each in kept)
        notes = (
            collection.note,
            run.sample_note(len(kept), len(collection.questions), "questions"),
            f"{len(reranked)} of them reranked" if len(reranked) < len(kept) else "",
        )
        return CaseSet(cases=cases, note="; ".join(filter(None, notes)))

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[RetrievalCase], engine: Engine, run: Run) -> Opened[RetrievalCase]:
        """Put the collection into a library and yield what searches it for one question."""
        async with open_corpus(self.open(run), engine, run) as library:

            async def measure(case: RetrievalCase) -> Outcome:
                return await self._measure(case, engine, library)

            yield measure

    async def _measure(self, case: RetrievalCase, engine: Engine, library: CorpusLibrary) -> Outcome:
        question = case.question
        values: dict[str, Any] = {"group": question.group}
        trace = {"relevant": ", ".join(sorted(question.relevant))}
        if question.last_turn:
            values["alone"] = STANDALONE if question.last_turn == question.text else NOT_STANDALONE
        last = ""
        for form, wording in (await wordings(question, engine)).items():
            trace[form or "question"] = wording
            rerank = case.reranked and form in ("", OURS)
            rankings = await _rankings(wording, engine, library, self.depth, rerank=rerank)
            for system, ranked in rankings.items():
                last = f"{system}, {form}" if form else system
                values[last] = ranking_values(ranked, question.relevant, self.metrics)
                trace[f"found by {last}"] = ", ".join(ranked[:5])
        main = values[self.about.metric_system]
        return Outcome(id=case.id, values=values, loss=1.0 - main[self.about.metric], trace=trace)

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score every system and form over all questions, and recall over those that stand alone and do not."""
        scores = system_scores(outcomes, self.metrics, run.seed)
        for subset in (STANDALONE, NOT_STANDALONE):
            chosen = [each for each in outcomes if each.values.get("alone") == subset]
            scores += system_scores(chosen, RECALLS, run.seed, subset=subset, systems=_hybrid_forms())
        return Scores(scores=scores)


async def wordings(question: JudgedQuestion, engine: Engine) -> Mapping[str, str]:
    """Return the wordings in which ``question`` is searched, by form; one, "", where it is no turn of a conversation.

    Our rewrite reads as many turns of history as the bot does.
    """
    if not question.last_turn:
        return {"": question.text}
    history = question.history[-engine.judges.policy.history_turns :]
    ours = await engine.judges.question_rewriter.rewrite(question.last_turn, history)
    return {LAST_TURN: question.last_turn, OURS: ours.text, GOLD: question.text}


async def _rankings(
    wording: str, engine: Engine, library: CorpusLibrary, depth: int, *, rerank: bool
) -> Mapping[str, Sequence[str]]:
    (vector,) = await engine.embedder.embed_queries([wording])
    by_words = [hit.chunk_id for hit in await library.lexical.search(wording, depth)]
    by_meaning = [hit.chunk_id for hit in await library.dense.search(vector, depth)]
    passages = await library.searcher.search([wording], depth)
    found = {"BM25": by_words, "dense": by_meaning, "hybrid": [each.chunk.id for each in passages]}
    if rerank:
        ranked = await engine.judges.passage_reranker.rerank(wording, passages[:_RERANKED])
        found["hybrid+reranking"] = [each.chunk.id for each in (*ranked.passages, *passages[_RERANKED:])]
    return {system: list(dict.fromkeys(library.unit_of[chunk_id] for chunk_id in ids)) for system, ids in found.items()}


def ranking_values(ranked: Sequence[str], relevant: frozenset[str], metrics: Sequence[str]) -> Mapping[str, float]:
    """Return the ``metrics`` ("Recall@5", "nDCG@10", "MRR") of one ranking of different units."""
    values = {}
    for metric in metrics:
        name, _, depth = metric.partition("@")
        if name == "MRR":
            values[metric] = reciprocal_rank(ranked, relevant, int(depth) if depth else None)
        else:
            values[metric] = {"Recall": recall_at, "nDCG": ndcg_at}[name](ranked, relevant, int(depth))
    return values


def system_scores(
    outcomes: Sequence[Outcome],
    metrics: Sequence[str],
    seed: int,
    *,
    subset: str = "",
    systems: Sequence[str] | None = None,
) -> tuple[Score, ...]:
    """Score the mean of each of ``metrics`` for each system that the outcomes have values of; intervals draw groups.

    An outcome's values hold one mapping, metric → value, under the name of each system, and its "group".
    """
    names = list(
        dict.fromkeys(name for each in outcomes for name, value in each.values.items() if isinstance(value, Mapping))
    )
    scores = []
    for name in names if systems is None else [each for each in systems if each in names]:
        having = [each for each in outcomes if name in each.values]
        groups = [str(each.values["group"]) for each in having]
        for metric in metrics:
            values = [float(each.values[name][metric]) for each in having]
            scores.append(mean_score(metric, values, seed=seed, system=name, subset=subset, groups=groups))
    return tuple(scores)


def _hybrid_forms() -> tuple[str, ...]:
    return tuple(f"hybrid, {form}" for form in (LAST_TURN, OURS, GOLD))


def _of_turns(domain: str, others: int | None, reranked: int) -> Retrieval:
    return Retrieval(
        name=f"mtrag-retrieval-{domain}",
        open=lambda run: load_mtrag(run.data, domain, others=None if run.full else others, seed=run.seed),
        metrics=_OF_TURNS,
        depth=_DEPTH_OF_TURNS,
        size=100,
        reranked=reranked,
    )


def _awsdocs() -> Retrieval:
    return Retrieval(
        name="awsdocs-retrieval",
        open=lambda run: load_awsdocs(run.data, others=None if run.full else _OTHERS_OF_AWSDOCS, seed=run.seed),
        metrics=_OF_DOCUMENTS,
        depth=_DEPTH_OF_DOCUMENTS,
        size=100,
        reranked=12,
    )


def _eda() -> Retrieval:
    return Retrieval(
        name="eda-retrieval",
        open=lambda run: load_eda(run.data),
        metrics=_OF_DOCUMENTS,
        depth=_DEPTH_OF_DOCUMENTS,
        size=200,
        reranked=40,
    )


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of retrieval."""
    return (_of_turns("govt", None, 20), _of_turns("cloud", OTHERS_OF_CLOUD, 0), _awsdocs(), _eda())
