"""Does a definition worked into a question bring the right passages? Abbreviations that only a dictionary spells out.

"What is SMS?" is asked once for each of its senses, and the asker has picked the sense. The passages use the
abbreviation, and what spells it out is taken out of them, so that the sense comes from the dictionary or not at all:
found are to be those that use it in the sense picked. The question holds nothing of any passage.
"""

from collections.abc import Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from agent.services import Services
from contracts.jargon import Mention, Sense
from contracts.provenance import Provenance
from contracts.question import Asker, AugmentedQuestion, SensePick
from contracts.text import Span
from contracts.verdicts import ContextVerdict, IdentifiedJargon
from evaluation.results import Outcome, Score, Scores
from evaluation.scores import mean_score
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened
from golden_lab.benchmarks.library import CorpusLibrary, open_corpus
from golden_lab.benchmarks.retrieval import ranking_values, system_scores
from golden_lab.datasets.corpora import Collection, CollectionPassage
from golden_lab.datasets.uses import Use, document_uses
from golden_lab.empty_library import EmptyLexicalIndex, EmptySearcher
from golden_lab.engine import Engine
from golden_lab.run import Run
from tools.jargon.memory import InMemoryJargonDictionary

AS_ASKED, AUGMENTED, IN_PLACE = "question as asked", "augmented question", "long form in its place"
GAIN = "nDCG@10 over the question as asked"
_METRICS = ("nDCG@5", "nDCG@10", "MRR", "Recall@10")
_DEPTH = 50
_GIVEN = Provenance(implementation="given")


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseQuestion:
    """A question for ``term`` in the sense ``gold`` of its ``senses``; ``relevant`` passages use it in that sense."""

    id: str
    text: str
    place: Span
    term: str
    senses: tuple[str, ...]
    gold: str
    relevant: frozenset[str]
    group: str


@dataclass(frozen=True, kw_only=True)
class Augmentation(Benchmark[SenseQuestion]):
    """Scores what hybrid search brings for the question as it was asked, augmented, and with the long form in it."""

    def load(self, run: Run) -> CaseSet[SenseQuestion]:
        """Make a question for each sense that a passage of the half that is scored uses."""
        uses = document_uses(run.data, "score")
        cases = sense_questions(uses)
        note = f"{len(cases)} senses of {len({each.group for each in cases})} abbreviations, {len(uses):,} passages"
        return CaseSet(cases=cases, note=note)

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[SenseQuestion], engine: Engine, run: Run) -> Opened[SenseQuestion]:
        """Put the passages into a library, the senses into a dictionary, and yield what asks one question."""
        senses = {(each.term, name): None for each in self.load(run).cases for name in each.senses}
        dictionary = InMemoryJargonDictionary(
            [Sense(id=at, term=term, extended_name=name) for at, (term, name) in enumerate(senses, start=1)]
        )
        services = engine.services_over(EmptySearcher(), EmptyLexicalIndex(), dictionary)
        async with open_corpus(passages_of(document_uses(run.data, "score")), engine, run) as library:

            async def measure(case: SenseQuestion) -> Outcome:
                return await _measure(case, services, library)

            yield measure

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score each wording, and what two of them find over the question as asked; intervals draw abbreviations."""
        gains = tuple(_gain(outcomes, system, run.seed) for system in (AUGMENTED, IN_PLACE))
        return Scores(scores=(*system_scores(outcomes, _METRICS, run.seed), *gains))


def sense_questions(uses: Sequence[Use]) -> tuple[SenseQuestion, ...]:
    """Return a question for each sense of each abbreviation in ``uses``, in their order."""
    found: dict[tuple[str, str, str], list[Use]] = {}
    for use in uses:
        found.setdefault((use.collection, use.term, use.gold), []).append(use)
    return tuple(
        SenseQuestion(
            id=f"{collection}-{term}-{gold}",
            text=f"What is {term}?",
            place=Span(len("What is "), len("What is ") + len(term)),
            term=term,
            senses=of_sense[0].senses,
            gold=gold,
            relevant=frozenset(use.id for use in of_sense),
            group=f"{collection}: {term}",
        )
        for (collection, term, gold), of_sense in found.items()
    )


def passages_of(uses: Sequence[Use]) -> Collection:
    """Return the texts of ``uses``, each a passage and a document of its own."""
    return Collection(
        name="jargon-ambiguous",
        passages=tuple(
            CollectionPassage(id=use.id, unit=use.id, document=use.id, title="", text=use.text) for use in uses
        ),
        questions=(),
        note="",
        set_name="jargon_ambiguous",
    )


async def augmented(case: SenseQuestion, services: Services) -> AugmentedQuestion:
    """Run the reading step of the graph on the question with the asker's pick, and augment it with what was read."""
    from agent.steps.question import look_up_jargon

    mention = Mention(text=case.term, span=case.place, term=case.term, known=True)
    jargon = IdentifiedJargon(mentions=(mention,), provenance=_GIVEN)
    contexts = ContextVerdict(contexts=(), none_of_these=1.0, provenance=_GIVEN)
    picks = (SensePick(term=case.term, extended_name=case.gold),)
    readings = await look_up_jargon(case.text, jargon, contexts, Asker(), picks, services)
    return await services.question_augmenter.augment(case.text, "", readings)


async def _measure(case: SenseQuestion, services: Services, library: CorpusLibrary) -> Outcome:
    in_place = case.text[: case.place.start] + case.gold + case.text[case.place.end :]
    wordings = {AS_ASKED: case.text, AUGMENTED: (await augmented(case, services)).text, IN_PLACE: in_place}
    values, trace = {}, {"sense picked": case.gold, "other senses": "; ".join(set(case.senses) - {case.gold})}
    for system, wording in wordings.items():
        # As in the bot, the search knows which words of the wording are jargon.
        jargon = [case.term] if case.term in wording else []
        passages = await library.searcher.search([wording], _DEPTH, jargon=jargon)
        ranked = list(dict.fromkeys(library.unit_of[each.chunk.id] for each in passages))
        values[system] = ranking_values(ranked, case.relevant, _METRICS)
        trace[system] = wording
        trace[f"found by {system}"] = ", ".join(
            f"{each} ({'right' if each in case.relevant else 'wrong'})" for each in ranked[:5]
        )
    trace["right ones"] = str(len(case.relevant))
    loss = 1.0 - values[AUGMENTED]["nDCG@10"]
    return Outcome(id=case.id, values={**values, "group": case.group}, loss=loss, trace=trace)


def _gain(outcomes: Sequence[Outcome], system: str, seed: int) -> Score:
    gains = [each.values[system]["nDCG@10"] - each.values[AS_ASKED]["nDCG@10"] for each in outcomes]
    return mean_score(GAIN, gains, seed=seed, system=system, groups=[str(each.values["group"]) for each in outcomes])


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of question augmentation."""
    return (Augmentation(name="augmentation-documents"),)
