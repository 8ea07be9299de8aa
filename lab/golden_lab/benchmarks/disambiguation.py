"""Which of its meanings an abbreviation has in a text: the reading step of the bot, over dictionaries of public sets.

The step of the graph that looks jargon up (``agent.steps.question.look_up_jargon``) is run as it is, over a dictionary
without contexts and a library of other texts that use the abbreviation, with the abbreviation where the set says that
it stands. Beside it stand the same step over an empty library and three plain rules. Where the bot would ask back, its
more plausible reading is compared, and ``decided`` says how often it does not ask.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.services import Services
from contracts.jargon import Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.question import Asker
from contracts.verdicts import ContextVerdict, IdentifiedJargon
from evaluation.intervals import f1_of
from evaluation.results import Outcome, Score, Scores
from evaluation.scores import mean_score, statistic_score
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened
from golden_lab.datasets.uses import Use, balanced, document_uses, sdu21_uses, sdu22_uses, whole_terms
from golden_lab.empty_library import EmptyLexicalIndex, EmptySearcher
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.usage_library import UsageLibrary
from tools.embedding.base import Embedder
from tools.jargon.memory import InMemoryJargonDictionary
from tools.language import content_stems, fold

NO_DOCUMENTS, MOST_FREQUENT = "without documents", "most frequent sense"
WORD_OVERLAP, COSINE = "word overlap", "cosine"
_SYSTEMS = ("", NO_DOCUMENTS, MOST_FREQUENT, WORD_OVERLAP, COSINE)
_GIVEN = Provenance(implementation="given")
_SPELLING = "accuracy up to spelling"

Draw = Callable[[Sequence[Use], int, int], tuple[Use, ...]]


@dataclass(frozen=True, kw_only=True)
class Disambiguation(Benchmark[Use]):
    """Scores the choice of senses on the uses that ``read`` brings, ``size`` of them unless the run is full.

    ``documents`` brings the uses whose texts are the library. Of these the documents that a scored use is from, and
    those with nearly its text, are closed to its asker.
    """

    read: Callable[[Path], Sequence[Use]]
    size: int
    draw: Draw = balanced
    documents: Callable[[Path], Sequence[Use]] | None = None

    def load(self, run: Run) -> CaseSet[Use]:
        """Read the uses, and draw of them unless the run is full."""
        uses = self.read(run.data)
        kept = tuple(uses) if run.full else self.draw(uses, self.size, run.seed)
        note = run.sample_note(len(kept), len(uses), "uses")
        terms = len({(use.collection, use.term) for use in kept})
        return CaseSet(cases=kept, note=f"{note}: {terms:,} abbreviations" if note else "")

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[Use], engine: Engine, run: Run) -> Opened[Use]:
        """Make the judgements over one dictionary a collection, and yield what measures one use."""
        collections = {use.collection for use in cases.cases}
        alone = {name: _over(engine, cases.cases, name, None) for name in collections}
        beside = [] if self.documents is None else self.documents(run.data)
        terms = {(use.collection, use.term) for use in cases.cases}
        beside = [use for use in beside if (use.collection, use.term) in terms]
        library = await UsageLibrary.of(beside, engine.embedder) if beside else None
        whole = {name: _over(engine, cases.cases, name, library) for name in collections} if library else alone

        async def measure(use: Use) -> Outcome:
            groups = None if library is None else library.others(use)
            reading = await read_use(use, whole[use.collection], groups)
            unaided = reading if library is None else await read_use(use, alone[use.collection])
            rules = {
                NO_DOCUMENTS: _best_of(unaided),
                MOST_FREQUENT: use.most_frequent,
                WORD_OVERLAP: by_words(use),
                COSINE: await by_cosine(use, engine.embedder),
            }
            return _outcome(use, reading, rules)

        yield measure

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score each system on all uses and on each part of them, and how often the bot decides by itself."""
        parts = sorted({str(each.values["subset"]) for each in outcomes})
        found: list[Score] = []
        for part in ["", *parts] if len(parts) > 1 else parts:
            chosen = [each for each in outcomes if part in ("", each.values["subset"])]
            for system in _SYSTEMS:
                if system != NO_DOCUMENTS or self.documents is not None:
                    found += _system_scores(chosen, system, part, run.seed)
            decided = [each for each in chosen if each.values["decided"]]
            found += [_mean(chosen, "decided", "decided", "", part, run.seed)]
            found += [_mean(decided, "accuracy where decided", _SPELLING, "", part, run.seed)] if decided else []
        return Scores(scores=tuple(found))


def _system_scores(outcomes: Sequence[Outcome], system: str, part: str, seed: int) -> list[Score]:
    by_term: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for each in outcomes:
        by_term[_group(each)].append((each.values["gold"], _values(each, system)["predicted"]))
    sums = np.array([_sums(pairs) for pairs in by_term.values()])

    def balanced_accuracy(rows: NDArray[np.intp]) -> float:
        _, recall, senses = sums[rows].sum(axis=0).tolist()
        return float(recall / senses)

    def macro_f1(rows: NDArray[np.intp]) -> float:
        precision, recall, senses = sums[rows].sum(axis=0).tolist()
        return f1_of(precision / senses, recall / senses)

    found = [_mean(outcomes, "accuracy", "accuracy", system, part, seed)]
    if any(_values(each, system)["accuracy"] != _values(each, system)[_SPELLING] for each in outcomes):
        found.append(_mean(outcomes, _SPELLING, _SPELLING, system, part, seed))
    for metric, statistic in (("balanced accuracy", balanced_accuracy), ("macro-F1", macro_f1)):
        over_terms = statistic_score(metric, statistic, len(sums), seed=seed, system=system, subset=part)
        found.append(replace(over_terms, n=len(outcomes)))
    return found


def _mean(outcomes: Sequence[Outcome], metric: str, value: str, system: str, part: str, seed: int) -> Score:
    values = [float(_values(each, system)[value]) for each in outcomes]
    return mean_score(metric, values, seed=seed, system=system, subset=part, groups=[_group(each) for each in outcomes])


def _values(outcome: Outcome, system: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = outcome.values[system] if system else outcome.values
    return found


def _group(outcome: Outcome) -> str:
    return f"{outcome.values['of']}: {outcome.values['term']}"


def _sums(pairs: Sequence[tuple[str, str]]) -> tuple[float, float, int]:
    """Return for (gold, predicted) pairs of one term the sums of precision and recall over its gold senses, and these.

    A sense that is never predicted has precision 1. Their averages over all senses are the macro-averages, and F1 is
    that of the two averages.

    Source: the scorer of SDU@AAAI-21 shared task 2 (amirveyseh/AAAI-21-SDU-shared-task-2-AD, scorer.py), which takes
    equal expansions of two abbreviations for one.
    """
    right = Counter(gold for gold, predicted in pairs if gold == predicted)
    there = Counter(gold for gold, _ in pairs)
    said = Counter(predicted for _, predicted in pairs)
    precision = sum(right[sense] / said[sense] if said[sense] else 1.0 for sense in there)
    return precision, sum(right[sense] / there[sense] for sense in there), len(there)


def _over(engine: Engine, uses: Sequence[Use], collection: str, library: UsageLibrary | None) -> Services:
    of_term = {use.term: use.senses for use in uses if use.collection == collection}
    named = [(term, sense) for term, senses in of_term.items() for sense in senses]
    senses = [Sense(id=number, term=term, extended_name=name) for number, (term, name) in enumerate(named, start=1)]
    dictionary = InMemoryJargonDictionary(senses)
    if library is None:
        return engine.services_over(EmptySearcher(), EmptyLexicalIndex(), dictionary)
    return engine.services_over(library.searcher(), library.lexical(), dictionary)


async def read_use(use: Use, services: Services, groups: frozenset[str] | None = None) -> Reading:
    """Run the reading step of the graph on ``use``, for an asker of ``groups``, and return how it was read."""
    from agent.steps.question import look_up_jargon

    mention = Mention(text=use.text[use.place.start : use.place.end], span=use.place, term=use.term, known=True)
    jargon = IdentifiedJargon(mentions=(mention,), provenance=_GIVEN)
    contexts = ContextVerdict(contexts=(), none_of_these=1.0, provenance=_GIVEN)
    readings = await look_up_jargon(use.text, jargon, contexts, Asker(groups=groups), (), services)
    return readings[0]


def by_words(use: Use) -> str:
    """Return the sense that shares the most stems with the text around the abbreviation; of equals one is drawn."""
    around = use.text[: use.place.start] + use.text[use.place.end :]
    said = set(content_stems(around))
    shared = [len(said.intersection(content_stems(sense))) for sense in use.senses]
    best = [sense for sense, count in zip(use.senses, shared, strict=True) if count == max(shared)]
    return random.Random(use.id).choice(best)


async def by_cosine(use: Use, embedder: Embedder) -> str:
    """Return the sense whose name is nearest to the text by the cosine of their embeddings."""
    (vector,) = await embedder.embed_queries([use.text])
    cosines = await embedder.embed_documents(use.senses) @ vector
    return use.senses[int(cosines.argmax())]


def same_name(first: str, second: str) -> bool:
    """Say whether two names differ in letter case, hyphens and endings only, as the dictionary's own rule has it."""
    return fold(first) == fold(second) or (content_stems(first) or None) == content_stems(second)


def _outcome(use: Use, reading: Reading, rules: Mapping[str, str]) -> Outcome:
    decided = reading.status == "chosen"
    name = _best_of(reading)
    values: dict[str, object] = {
        "subset": use.subset,
        "of": use.collection,
        "term": use.term,
        "gold": use.gold,
        **_held(name, use.gold),
    }
    values["decided"] = float(decided)
    values |= {system: _held(predicted, use.gold) for system, predicted in rules.items()}
    return Outcome(
        id=use.id,
        values=values,
        loss=0.0 if same_name(name, use.gold) else 1.0,
        trace={
            "text": use.text,
            "abbreviation": use.term,
            "expected": use.gold,
            "read as": name if decided else f"{name} (would ask back)",
            "because": reading.reason,
            "of": "; ".join(use.senses),
        },
    )


def _best_of(reading: Reading) -> str:
    """Return the name of the sense that was read, or of the most plausible one where the bot would ask back."""
    chosen = reading.sense or next(iter(reading.alternatives), None)
    return chosen.extended_name if chosen is not None else ""


def _held(predicted: str, gold: str) -> dict[str, object]:
    return {
        "predicted": predicted,
        "accuracy": float(predicted == gold),
        _SPELLING: float(same_name(predicted, gold)),
    }


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of this module."""
    return (
        Disambiguation(
            name="disambiguation-sdu21",
            read=partial(sdu21_uses, part="score"),
            size=1_500,
            draw=whole_terms,
            documents=partial(sdu21_uses, part="fit"),
        ),
        Disambiguation(name="disambiguation-sdu22", read=partial(sdu22_uses, part="score"), size=800),
        Disambiguation(
            name="disambiguation-documents",
            read=partial(document_uses, part="score"),
            size=1_000,
            documents=partial(document_uses, part="score"),
        ),
    )
