"""Do other wordings of a question find more? Recall with and without the query expander's wordings."""

from collections.abc import Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened, about
from golden_lab.benchmarks.corpus_library import CorpusLibrary, mtrag_of, open_corpus
from golden_lab.benchmarks.retrieval import GOLD, LAST_TURN, OURS, wordings
from golden_lab.benchmarks.scores import of_subset, ranking_values, system_scores
from golden_lab.datasets.corpora import JudgedQuestion
from golden_lab.engine import Engine
from golden_lab.results import Outcome, Score
from golden_lab.run import Run

_DOMAINS = ("govt", "cloud")
_SIZE = 20
_METRICS = ("Recall@20", "Recall@50", "Recall@100")
_DEPTH = 100
_EXPANDED = {OURS: f"{OURS} and other wordings", GOLD: f"{GOLD} and other wordings"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpandedCase:
    """A question from a conversation in ``domain``."""

    id: str
    domain: str
    question: JudgedQuestion


def load(run: Run) -> CaseSet[ExpandedCase]:
    """Read the questions of the scored half; unless the run is full, only a sample of each domain."""
    cases: list[ExpandedCase] = []
    notes = []
    for domain in _DOMAINS:
        collection = mtrag_of(run, domain).part("score")
        kept = run.sample(collection.questions, _SIZE)
        cases += [ExpandedCase(id=each.id, domain=domain, question=each) for each in kept]
        sampled = run.sample_note(len(kept), len(collection.questions), "questions")
        notes.append(f"{domain}: {', '.join(filter(None, (collection.note, sampled)))}")
    return CaseSet(cases=tuple(cases), note="; ".join(notes))


@asynccontextmanager
async def prepare(cases: CaseSet[ExpandedCase], engine: Engine, run: Run) -> Opened[ExpandedCase]:
    """Put both domains into libraries, and yield the function that searches for one question, plain and expanded."""
    async with AsyncExitStack() as opened:
        libraries = {
            domain: await opened.enter_async_context(open_corpus(mtrag_of(run, domain), engine, run))
            for domain in dict.fromkeys(case.domain for case in cases.cases)
        }

        async def measure(case: ExpandedCase) -> Outcome:
            return await _measure(case, engine, libraries[case.domain])

        yield measure


async def _measure(case: ExpandedCase, engine: Engine, library: CorpusLibrary) -> Outcome:
    question, judges = case.question, engine.judges
    forms = await wordings(question, engine)
    values: dict[str, Any] = {"group": question.group, "domain": case.domain}
    trace = {"relevant": ", ".join(sorted(question.relevant))}
    for form in (LAST_TURN, OURS, GOLD):
        asked = forms[form]
        found = await library.searcher.search([asked], _DEPTH)
        values[form] = ranking_values(library.units(found), question.relevant, _METRICS)
        trace[form] = asked
        if form in _EXPANDED:
            # These data sets have no dictionary: the augmented question is the question itself.
            augmented = await judges.question_augmenter.augment(asked, "", ())
            variants = (await judges.query_expander.expand(augmented)).variants
            more = await library.searcher.search([asked, *variants], _DEPTH)
            values[_EXPANDED[form]] = ranking_values(library.units(more), question.relevant, _METRICS)
            trace[_EXPANDED[form]] = "\n".join(variants)
    return Outcome(id=case.id, values=values, loss=1.0 - values[_EXPANDED[OURS]]["Recall@50"], trace=trace)


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score every wording, overall and by domain; intervals resample conversations."""
    return [
        row
        for domain in ("", *_DOMAINS)
        for row in system_scores(of_subset(outcomes, domain, "domain"), _METRICS, seed, subset=domain)
    ]


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the query-expansion benchmark."""
    return (Benchmark(about=about("expansion-mtrag"), load=load, prepare=prepare, score=score),)
