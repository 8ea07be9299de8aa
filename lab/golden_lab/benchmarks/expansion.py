"""Does wording a question in other ways find more? Recall with and without the query expander's wordings."""

from collections.abc import Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from evaluation.results import Outcome, Scores
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened
from golden_lab.benchmarks.library import CorpusLibrary, open_corpus
from golden_lab.benchmarks.retrieval import (
    GOLD,
    LAST_TURN,
    OTHERS_OF_CLOUD,
    OURS,
    ranking_values,
    system_scores,
    wordings,
)
from golden_lab.datasets.corpora import Collection, JudgedQuestion, load_mtrag
from golden_lab.engine import Engine
from golden_lab.run import Run

_DOMAINS = ("govt", "cloud")
_METRICS = ("Recall@20", "Recall@50", "Recall@100")
_DEPTH = 100
_EXPANDED = f"{OURS} and other wordings"
_GOLD_EXPANDED = f"{GOLD} and other wordings"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpandedCase:
    """A question of a turn of a conversation in ``domain``."""

    id: str
    domain: str
    question: JudgedQuestion


@dataclass(frozen=True, kw_only=True)
class Expansion(Benchmark[ExpandedCase]):
    """Scores the search for our rewrite alone against that for the rewrite with the expander's wordings beside it.

    ``size`` limits the questions of each domain unless the run is full.
    """

    size: int

    def load(self, run: Run) -> CaseSet[ExpandedCase]:
        """Read the turns of the half that is scored."""
        cases: list[ExpandedCase] = []
        notes = []
        for domain in _DOMAINS:
            collection = _collection(run, domain).part("score")
            kept = run.sample(collection.questions, self.size)
            cases += [ExpandedCase(id=each.id, domain=domain, question=each) for each in kept]
            sampled = run.sample_note(len(kept), len(collection.questions), "questions")
            notes.append(f"{domain}: {', '.join(filter(None, (collection.note, sampled)))}")
        return CaseSet(cases=tuple(cases), note="; ".join(notes))

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[ExpandedCase], engine: Engine, run: Run) -> Opened[ExpandedCase]:
        """Put both domains into libraries and yield what searches one question alone and expanded."""
        async with AsyncExitStack() as opened:
            libraries = {
                domain: await opened.enter_async_context(open_corpus(_collection(run, domain), engine, run))
                for domain in dict.fromkeys(case.domain for case in cases.cases)
            }

            async def measure(case: ExpandedCase) -> Outcome:
                return await _measure(case, engine, libraries[case.domain])

            yield measure

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score every way of asking over all questions and by domain; intervals draw conversations."""
        scores = system_scores(outcomes, _METRICS, run.seed)
        for domain in _DOMAINS:
            chosen = [each for each in outcomes if each.values["domain"] == domain]
            scores += system_scores(chosen, _METRICS, run.seed, subset=domain)
        return Scores(scores=scores)


async def _measure(case: ExpandedCase, engine: Engine, library: CorpusLibrary) -> Outcome:
    question = case.question
    forms = await wordings(question, engine)
    values: dict[str, Any] = {"group": question.group, "domain": case.domain}
    trace = {"relevant": ", ".join(sorted(question.relevant))}
    expandable = {OURS: _EXPANDED, GOLD: _GOLD_EXPANDED}
    for form in (LAST_TURN, OURS, GOLD):
        asked = forms[form]
        found = await library.searcher.search([asked], _DEPTH)
        values[form] = _recalls([library.unit_of[each.chunk.id] for each in found], question)
        trace[form] = asked
        if form in expandable:
            # No dictionary stands behind these sets: the augmented question is the question itself.
            augmented = await engine.judges.question_augmenter.augment(asked, "", ())
            seen = found[: engine.judges.policy.top_k]
            variants = (await engine.judges.query_expander.expand(augmented, seen)).variants
            more = await library.searcher.search([asked, *variants], _DEPTH)
            values[expandable[form]] = _recalls([library.unit_of[each.chunk.id] for each in more], question)
            trace[expandable[form]] = "\n".join(variants)
    return Outcome(id=case.id, values=values, loss=1.0 - values[_EXPANDED]["Recall@50"], trace=trace)


def _recalls(ranked: Sequence[str], question: JudgedQuestion) -> dict[str, float]:
    return dict(ranking_values(list(dict.fromkeys(ranked)), question.relevant, _METRICS))


def _collection(run: Run, domain: str) -> Collection:
    others = None if run.full or domain == "govt" else OTHERS_OF_CLOUD
    return load_mtrag(run.data, domain, others=others, seed=run.seed)


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of query expansion."""
    return (Expansion(name="expansion-mtrag", size=20),)
