"""Does search find passages with the answer? BM25, dense, hybrid and reranked search on public collections."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened, about
from golden_lab.benchmarks.corpus_library import CorpusLibrary, awsdocs_of, mtrag_of, open_corpus
from golden_lab.benchmarks.scores import of_subset, ranking_values, system_scores
from golden_lab.datasets.corpora import Collection, JudgedQuestion, load_eda
from golden_lab.engine import Engine
from golden_lab.results import About, Outcome, Score
from golden_lab.run import Run

RECALLS = ("Recall@5", "Recall@10", "Recall@20")
STANDALONE = "standalone (proxy: people left it as it was)"
NOT_STANDALONE = "not standalone (proxy: people changed it)"
LAST_TURN, OURS, GOLD = "last turn", "our rewrite", "gold rewrite"
# How many candidates are reranked; the others keep the order of the search.
_RERANKED = 20
# How many chunks each search returns, enough for the deepest metric; more if documents are scored, because a document
# has several chunks.
_DEPTH_OF_TURNS, _DEPTH_OF_DOCUMENTS = 25, 50
_OF_TURNS = (*RECALLS, "nDCG@5", "nDCG@10", "MRR@20")
_OF_DOCUMENTS = ("Recall@1", "Recall@5", "Recall@10", "nDCG@5", "nDCG@10", "MRR@10")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalCase:
    """A judged question; if ``reranked``, its results are also reranked, which takes seconds per question."""

    id: str
    question: JudgedQuestion
    reranked: bool


@dataclass(frozen=True, kw_only=True)
class Searches:
    """The measurements on the scored half of a collection.

    ``open`` reads the collection; each search returns ``depth`` chunks. Unless the run is full, at most ``size``
    questions are measured, and at most ``reranked`` of them are reranked.
    """

    about: About
    open: Callable[[Run], Collection]
    size: int
    reranked: int
    metrics: tuple[str, ...] = _OF_DOCUMENTS
    depth: int = _DEPTH_OF_DOCUMENTS

    def load(self, run: Run) -> CaseSet[RetrievalCase]:
        """Read the questions of the scored half."""
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
        """Put the collection into a library, and yield the function that searches it for one question."""
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
        for form, wording in (await wordings(question, engine)).items():
            trace[form or "question"] = wording
            rerank = case.reranked and form in ("", OURS)
            rankings = await _rankings(wording, engine, library, self.depth, rerank=rerank)
            for system, ranked in rankings.items():
                name = f"{system}, {form}" if form else system
                values[name] = ranking_values(ranked, question.relevant, self.metrics)
                trace[f"found by {name}"] = ", ".join(ranked[:5])
        main = values[self.about.metric_system][self.about.metric]
        return Outcome(id=case.id, values=values, loss=1.0 - main, trace=trace)

    def score(self, outcomes: Sequence[Outcome], seed: int) -> list[Score]:
        """Score every system and wording, and the recall for questions that stand alone and for the others."""
        found = system_scores(outcomes, self.metrics, seed)
        hybrid = [f"hybrid, {form}" for form in (LAST_TURN, OURS, GOLD)]
        for subset in (STANDALONE, NOT_STANDALONE):
            chosen = of_subset(outcomes, subset, "alone")
            found += system_scores(chosen, RECALLS, seed, subset=subset, systems=hybrid)
        return found


async def wordings(question: JudgedQuestion, engine: Engine) -> Mapping[str, str]:
    """Return the wordings to search for, by form; the only form is "" if ``question`` is not a conversation turn.

    Our rewrite uses as many turns of history as the bot does.
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
    by_words = [hit.chunk_id for hit in await asyncio.to_thread(library.lexical.find, wording, depth)]
    by_meaning = [hit.chunk_id for hit in await asyncio.to_thread(library.dense.find, vector, depth)]
    passages = await library.searcher.search([wording], depth)
    found = {"BM25": by_words, "dense": by_meaning, "hybrid": [each.chunk.id for each in passages]}
    if rerank:
        ranked = await engine.judges.passage_reranker.rerank(wording, passages[:_RERANKED])
        found["hybrid+reranking"] = [each.chunk.id for each in (*ranked.passages, *passages[_RERANKED:])]
    return {system: list(dict.fromkeys(library.unit_of[chunk_id] for chunk_id in ids)) for system, ids in found.items()}


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of retrieval."""
    turns = partial(Searches, metrics=_OF_TURNS, depth=_DEPTH_OF_TURNS, size=100)
    measured = (
        turns(about=about("mtrag-retrieval-govt"), open=partial(mtrag_of, domain="govt"), reranked=20),
        turns(about=about("mtrag-retrieval-cloud"), open=partial(mtrag_of, domain="cloud"), reranked=0),
        Searches(about=about("awsdocs-retrieval"), open=awsdocs_of, size=100, reranked=12),
        Searches(about=about("eda-retrieval"), open=lambda run: load_eda(run.data), size=200, reranked=40),
    )
    return tuple(
        Benchmark(about=each.about, load=each.load, prepare=each.prepare, score=each.score) for each in measured
    )
