"""Do questions with an added definition find the right passages? Only the dictionary spells the abbreviation out.

"What is SMS?" is asked once for each sense, and the asker has picked that sense. The passages use the abbreviation, but
all text that spells it out is removed, so only the dictionary contains the senses. Search should find the passages that
use the abbreviation in the picked sense. The question contains no words from the passages.
"""

from collections.abc import Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from agent.services import Services
from contracts.question import AugmentedQuestion, SensePick
from contracts.text import Span
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened, about
from golden_lab.benchmarks.corpus_library import CorpusLibrary, open_corpus
from golden_lab.benchmarks.disambiguation import read_term, services_of_terms
from golden_lab.benchmarks.scores import gain_score, ranking_values, system_scores
from golden_lab.datasets.corpora import Collection, CollectionPassage
from golden_lab.datasets.uses import Use, document_uses
from golden_lab.engine import Engine
from golden_lab.results import Outcome, Score
from golden_lab.run import Run

AS_ASKED, AUGMENTED, IN_PLACE = ("question as asked", "augmented question", "long form in its place")
GAIN = "nDCG@10 over the question as asked"
_METRICS = ("nDCG@5", "nDCG@10", "MRR", "Recall@10")
_DEPTH = 50
_OPENING = "What is "


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseQuestion:
    """A question about ``term`` in the sense ``gold``, one of ``senses``; ``relevant`` passages use that sense."""

    id: str
    text: str
    place: Span
    term: str
    senses: tuple[str, ...]
    gold: str
    relevant: frozenset[str]
    group: str


def load(run: Run) -> CaseSet[SenseQuestion]:
    """Make a question for each sense that occurs in a passage of the scored half."""
    uses = document_uses(run.data, "score")
    cases = sense_questions(uses)
    note = f"{len(cases)} senses of {len({each.group for each in cases})} abbreviations, {len(uses):,} passages"
    return CaseSet(cases=cases, note=note)


def sense_questions(uses: Sequence[Use]) -> tuple[SenseQuestion, ...]:
    """Return a question for each sense of each abbreviation in ``uses``, in their order."""
    found: dict[tuple[str, str, str], list[Use]] = {}
    for use in uses:
        found.setdefault((use.collection, use.term, use.gold), []).append(use)
    return tuple(
        SenseQuestion(
            id=f"{collection}-{term}-{gold}",
            text=f"{_OPENING}{term}?",
            place=Span(len(_OPENING), len(_OPENING) + len(term)),
            term=term,
            senses=of_sense[0].senses,
            gold=gold,
            relevant=frozenset(use.id for use in of_sense),
            group=f"{collection}: {term}",
        )
        for (collection, term, gold), of_sense in found.items()
    )


def passages_of(uses: Sequence[Use]) -> Collection:
    """Return the texts of ``uses``, each as a document with one passage."""
    return Collection(
        name="jargon-ambiguous",
        passages=tuple(
            CollectionPassage(id=use.id, unit=use.id, document=use.id, title="", text=use.text) for use in uses
        ),
        questions=(),
        note="",
        set_name="jargon_ambiguous",
    )


@asynccontextmanager
async def prepare(cases: CaseSet[SenseQuestion], engine: Engine, run: Run) -> Opened[SenseQuestion]:
    """Put the passages into a library and the senses into a dictionary; yield the function that asks one question."""
    services = services_of_terms(engine, [(each.term, name) for each in load(run).cases for name in each.senses])
    async with open_corpus(passages_of(document_uses(run.data, "score")), engine, run) as library:

        async def measure(case: SenseQuestion) -> Outcome:
            return await _measure(case, services, library)

        yield measure


async def augmented(case: SenseQuestion, services: Services) -> AugmentedQuestion:
    """Look up the term with the asker's pick as the bot does, and augment the question with the result."""
    pick = SensePick(term=case.term, extended_name=case.gold)
    readings = await read_term(case.text, case.place, case.term, services, picks=(pick,))
    return await services.question_augmenter.augment(case.text, "", readings)


async def _measure(case: SenseQuestion, services: Services, library: CorpusLibrary) -> Outcome:
    in_place = case.text[: case.place.start] + case.gold + case.text[case.place.end :]
    wordings = {AS_ASKED: case.text, AUGMENTED: (await augmented(case, services)).text, IN_PLACE: in_place}
    values, trace = ({}, {"sense picked": case.gold, "other senses": "; ".join(set(case.senses) - {case.gold})})
    for system, wording in wordings.items():
        # As in the bot, search receives the words that are jargon.
        jargon = [case.term] if case.term in wording else []
        ranked = library.units(await library.searcher.search([wording], _DEPTH, jargon=jargon))
        values[system] = ranking_values(ranked, case.relevant, _METRICS)
        trace[system] = wording
        trace[f"found by {system}"] = ", ".join(
            f"{each} ({'right' if each in case.relevant else 'wrong'})" for each in ranked[:5]
        )
    trace["right ones"] = str(len(case.relevant))
    loss = 1.0 - values[AUGMENTED]["nDCG@10"]
    return Outcome(id=case.id, values={**values, "group": case.group}, loss=loss, trace=trace)


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score each wording, and the gain of two of them over the question as asked; intervals resample abbreviations."""
    gains = [
        gain_score(GAIN, outcomes, "nDCG@10", system, AS_ASKED, seed, shown=system) for system in (AUGMENTED, IN_PLACE)
    ]
    return [*system_scores(outcomes, _METRICS, seed), *gains]


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the question-augmentation benchmark."""
    return (Benchmark(about=about("augmentation-documents"), load=load, prepare=prepare, score=score),)
