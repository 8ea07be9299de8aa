"""Which meaning does an abbreviation have in a text? The bot's lookup step, with dictionaries from public data sets.

The jargon lookup step (``agent.steps.question.look_up_jargon``) is run unchanged, on a dictionary without
contexts and a library of other texts that use the abbreviation; the data set gives the abbreviation's position. It is
compared with the same step on an empty library and with three simple rules. If the bot would ask for clarification, its
most plausible reading is scored; ``decided`` is the share of cases in which it does not ask.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agent.services import Services
from contracts.jargon import Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.question import Asker, SensePick
from contracts.text import Span
from contracts.verdicts import ContextVerdict, IdentifiedJargon
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened, Prepare, about
from golden_lab.benchmarks.scores import Rows, groups_of, of_subset, subsets_of, system_scores, values_of
from golden_lab.datasets.uses import Use, balanced, document_uses, sdu21_uses, sdu22_uses, whole_terms
from golden_lab.empty_library import EmptyLexicalIndex, EmptySearcher
from golden_lab.engine import Engine
from golden_lab.intervals import f1_of
from golden_lab.memory_dictionary import InMemoryJargonDictionary
from golden_lab.results import Outcome, Score
from golden_lab.run import Run
from golden_lab.scores import mean_score, statistic_score
from golden_lab.usage_library import UsageLibrary
from tools.embedding.base import Embedder
from tools.language import content_stems, fold

NO_DOCUMENTS, MOST_FREQUENT = "without documents", "most frequent sense"
WORD_OVERLAP, COSINE = "word overlap", "cosine"
_SYSTEMS = ("", NO_DOCUMENTS, MOST_FREQUENT, WORD_OVERLAP, COSINE)
_GIVEN = Provenance(implementation="given")
_SPELLING = "accuracy up to spelling"

Read = Callable[[Path], Sequence[Use]]


def drawn(read: Read, size: int, draw: Callable[[Sequence[Use], int, int], tuple[Use, ...]], run: Run) -> CaseSet[Use]:
    """Read the uses, and use ``draw`` to choose about ``size`` of them unless the run is full."""
    uses = read(run.data)
    kept = tuple(uses) if run.full else draw(uses, size, run.seed)
    note = run.sample_note(len(kept), len(uses), "uses")
    terms = len({(use.collection, use.term) for use in kept})
    return CaseSet(cases=kept, note=f"{note}: {terms:,} abbreviations" if note else "")


def over_documents(documents: Read | None) -> Prepare[Use]:
    """Return a ``prepare`` function that makes one dictionary per collection.

    ``documents`` reads the uses whose texts form the library. For each scored use, the document that it comes from and
    near-duplicates of its text are hidden.
    """

    @asynccontextmanager
    async def prepare(cases: CaseSet[Use], engine: Engine, run: Run) -> Opened[Use]:
        alone = _services(engine, cases.cases, None)
        terms = {(use.collection, use.term) for use in cases.cases}
        beside = [] if documents is None else documents(run.data)
        beside = [use for use in beside if (use.collection, use.term) in terms]
        library = await UsageLibrary.of(beside, engine.embedder) if beside else None
        whole = _services(engine, cases.cases, library) if library else alone

        async def measure(use: Use) -> Outcome:
            groups = None if library is None else library.others(use)
            reading = await _read(use, whole[use.collection], groups)
            unaided = reading if library is None else await _read(use, alone[use.collection])
            rules = {
                NO_DOCUMENTS: _best_of(unaided),
                MOST_FREQUENT: use.most_frequent,
                WORD_OVERLAP: by_words(use),
                COSINE: await by_cosine(use, engine.embedder),
            }
            return _outcome(use, reading, rules)

        yield measure

    return prepare


def _services(engine: Engine, uses: Sequence[Use], library: UsageLibrary | None) -> dict[str, Services]:
    """Return, for each collection, services with a dictionary of its senses."""
    return {
        name: services_of_terms(
            engine, [(use.term, sense) for use in uses if use.collection == name for sense in use.senses], library
        )
        for name in {use.collection for use in uses}
    }


def services_of_terms(
    engine: Engine, named: Iterable[tuple[str, str]], library: UsageLibrary | None = None
) -> Services:
    """Return services of ``engine`` with a dictionary of (term, extended name) pairs and with ``library``, if any."""
    senses = [
        Sense(id=at, term=term, extended_name=name) for at, (term, name) in enumerate(dict.fromkeys(named), start=1)
    ]
    dictionary = InMemoryJargonDictionary(senses)
    if library is None:
        return engine.services_over(EmptySearcher(), EmptyLexicalIndex(), dictionary)
    return engine.services_over(library.searcher(), library.lexical(), dictionary)


async def read_term(
    text: str,
    place: Span,
    term: str,
    services: Services,
    *,
    asker: Asker | None = None,
    picks: Sequence[SensePick] = (),
) -> tuple[Reading, ...]:
    """Run the bot's lookup step on ``text``, with ``term`` at ``place``, for ``asker`` with their ``picks``."""
    from agent.steps.question import look_up_jargon

    mention = Mention(text=text[place.start : place.end], span=place, term=term, known=True)
    jargon = IdentifiedJargon(mentions=(mention,), provenance=_GIVEN)
    contexts = ContextVerdict(contexts=(), none_of_these=1.0, provenance=_GIVEN)
    return await look_up_jargon(text, jargon, contexts, asker or Asker(), tuple(picks), services)


async def _read(use: Use, services: Services, groups: frozenset[str] | None = None) -> Reading:
    return (await read_term(use.text, use.place, use.term, services, asker=Asker(groups=groups)))[0]


def by_words(use: Use) -> str:
    """Return the sense that shares the most stems with the text around the abbreviation; ties are broken at random."""
    around = use.text[: use.place.start] + use.text[use.place.end :]
    said = set(content_stems(around))
    shared = [len(said.intersection(content_stems(sense))) for sense in use.senses]
    best = [sense for sense, count in zip(use.senses, shared, strict=True) if count == max(shared)]
    return random.Random(use.id).choice(best)


async def by_cosine(use: Use, embedder: Embedder) -> str:
    """Return the sense whose name has the highest cosine similarity to the text."""
    (vector,) = await embedder.embed_queries([use.text])
    cosines = await embedder.embed_documents(use.senses) @ vector
    return use.senses[int(cosines.argmax())]


def same_name(first: str, second: str) -> bool:
    """Return whether two names differ only in letter case, hyphens and endings, by the dictionary's own rule."""
    return fold(first) == fold(second) or (content_stems(first) or None) == content_stems(second)


def _outcome(use: Use, reading: Reading, rules: Mapping[str, str]) -> Outcome:
    decided = reading.status == "chosen"
    name = _best_of(reading)
    return Outcome(
        id=use.id,
        values={
            "subset": use.subset,
            "group": f"{use.collection}: {use.term}",
            "gold": use.gold,
            **_held(name, use.gold),
            "decided": float(decided),
            **{system: _held(predicted, use.gold) for system, predicted in rules.items()},
        },
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
    """Return the name of the chosen sense or, if the bot would ask for clarification, of the most plausible sense."""
    chosen = reading.sense or next(iter(reading.alternatives), None)
    return chosen.extended_name if chosen is not None else ""


def _held(predicted: str, gold: str) -> dict[str, object]:
    return {"predicted": predicted, "accuracy": float(predicted == gold), _SPELLING: float(same_name(predicted, gold))}


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score each system on all uses and on each subset, and how often the bot decides without asking."""
    # With an empty library, the results are the same as without documents, so that row is left out.
    same = all(values_of(each, NO_DOCUMENTS)["predicted"] == each.values["predicted"] for each in outcomes)
    found: list[Score] = []
    for part in subsets_of(outcomes):
        chosen = of_subset(outcomes, part)
        for system in _SYSTEMS:
            if system != NO_DOCUMENTS or not same:
                found += _system_scores(chosen, system, part, seed)
        found += system_scores(chosen, ("decided",), seed, subset=part, systems=("",))
        decided = [each for each in chosen if each.values["decided"]]
        if decided:
            right = [each.values[_SPELLING] for each in decided]
            groups = groups_of(decided)
            found.append(mean_score("accuracy where decided", right, seed=seed, subset=part, groups=groups))
    return found


def _system_scores(outcomes: Sequence[Outcome], system: str, part: str, seed: int) -> list[Score]:
    by_term: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for each in outcomes:
        by_term[each.values["group"]].append((each.values["gold"], values_of(each, system)["predicted"]))
    sums = np.array([_sums(pairs) for pairs in by_term.values()])

    def balanced_accuracy(rows: Rows) -> float:
        _, recall, senses = sums[rows].sum(axis=0).tolist()
        return float(recall / senses)

    def macro_f1(rows: Rows) -> float:
        precision, recall, senses = sums[rows].sum(axis=0).tolist()
        return f1_of(precision / senses, recall / senses)

    differ = any(values_of(each, system)["accuracy"] != values_of(each, system)[_SPELLING] for each in outcomes)
    means = ("accuracy", _SPELLING) if differ else ("accuracy",)
    found = system_scores(outcomes, means, seed, subset=part, systems=(system,))
    for metric, statistic in (("balanced accuracy", balanced_accuracy), ("macro-F1", macro_f1)):
        over_terms = statistic_score(metric, statistic, len(sums), seed=seed, system=system, subset=part)
        found.append(replace(over_terms, n=len(outcomes)))
    return found


def _sums(pairs: Sequence[tuple[str, str]]) -> tuple[float, float, int]:
    """Sum the precision and recall of the gold senses in one term's (gold, predicted) pairs; also count the senses.

    A sense that is never predicted has precision 1. The averages over all senses are the macro-averages, and F1 is
    computed from these two averages.

    Source: the scorer of SDU@AAAI-21 shared task 2 (amirveyseh/AAAI-21-SDU-shared-task-2-AD, scorer.py), which treats
    equal expansions of two abbreviations as one.
    """
    right = Counter(gold for gold, predicted in pairs if gold == predicted)
    there = Counter(gold for gold, _ in pairs)
    said = Counter(predicted for _, predicted in pairs)
    precision = sum(right[sense] / said[sense] if said[sense] else 1.0 for sense in there)
    return precision, sum(right[sense] / there[sense] for sense in there), len(there)


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmarks of this module."""
    sentences, documents = (partial(sdu21_uses, part="score"), partial(document_uses, part="score"))
    sets = (
        ("disambiguation-sdu21", sentences, 1_500, whole_terms, partial(sdu21_uses, part="fit")),
        ("disambiguation-sdu22", partial(sdu22_uses, part="score"), 800, balanced, None),
        ("disambiguation-documents", documents, 1_000, balanced, documents),
    )
    return tuple(
        Benchmark(about=about(name), load=partial(drawn, read, size, draw), prepare=over_documents(beside), score=score)
        for name, read, size, draw, beside in sets
    )
