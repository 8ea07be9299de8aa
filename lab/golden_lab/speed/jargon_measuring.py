"""What a process does that reads questions with a dictionary: measured in one that has done nothing else."""

import asyncio
import gc
import re
import statistics
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.jargon import Lookup, Mention, Sense
from contracts.provenance import Provenance
from contracts.verdicts import ContextProbability, ContextVerdict
from database.connection import open_database
from golden_lab.speed.jargon_questions import KINDS, QuestionKind, SpeedQuestion
from golden_lab.speed.memory import peak_resident_mb, resident_mb
from golden_lab.speed.timing import Timing, summarise, time_side_by_side, yardstick
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from jargon_db.folding import fold
from jargon_db.store import JargonStore
from tools.jargon.choosing import choose_sense
from tools.jargon.memory import InMemoryJargonDictionary
from tools.jargon.sql import SqlJargonDictionary

# As many as the bot suggests.
_SUGGESTIONS = 5
_EDITS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTiming:
    """A stage on the questions of a kind ("" for all): "identification", "senses", "look-up" (the two), "reading" (the
    look-up, drafts, near spellings of what nobody knows, choice of the sense) or "baseline".
    """

    stage: str
    kind: QuestionKind | str
    timing: Timing


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessMeasure:
    """One process over one dictionary. Times in seconds and memory in MB, as their names say.

    ``added_mb`` is what the vocabulary and its index added to ``before_mb`` (the same process with an empty
    dictionary); ``peak_mb`` is the most the whole process had, up to the baseline where there is one. ``found`` holds
    by kind the share of questions in which every term was found, and told to be known or unknown as it is; of the kind
    "none", the share in which nothing was found. ``found_or_offered`` is the share of questions with misspelt terms in
    which every term was found or is among the spellings offered for an unknown one. ``yardstick`` is a fixed piece of
    work, timed beside every question.
    ``load_s`` is what the first question waits for the vocabulary, ``reload_s`` what the next question waits after one
    edit, the median of some. ``baseline_load_s``, the making of the baseline's expression, is None without a baseline.
    """

    spellings: int
    load_s: float
    reload_s: float
    before_mb: float
    added_mb: float
    peak_mb: float
    yardstick: Timing
    stages: tuple[StageTiming, ...]
    found: dict[str, float]
    found_or_offered: float
    baseline_load_s: float | None


def measure_process(
    database: Path, questions: Sequence[SpeedQuestion], *, rounds: int, with_baseline: bool
) -> ProcessMeasure:
    """Load the dictionary in ``database`` and answer what it knows of ``questions``, ``rounds`` times after a warm-up.

    ``with_baseline`` also times one regular expression of all spellings, on the same questions in turn.
    """
    return asyncio.run(_measure(database, questions, rounds, with_baseline))


async def _measure(
    database: Path, questions: Sequence[SpeedQuestion], rounds: int, with_baseline: bool
) -> ProcessMeasure:
    # The word lists of English are there whatever the dictionary: they are loaded before anything counts.
    await EmbeddedJargonIdentifier(InMemoryJargonDictionary(())).identify("Which VCCQ does the xyzqw need at NIRE?")
    engine = open_database(f"sqlite:///{database}")
    try:
        dictionary = SqlJargonDictionary(JargonStore(engine))
        await dictionary.version()
        gc.collect()
        before = resident_mb()
        started = time.perf_counter()
        identifier = EmbeddedJargonIdentifier(dictionary)
        await identifier.identify(".")
        load_s = time.perf_counter() - started
        gc.collect()
        added = resident_mb() - before
        spellings = list((await dictionary.vocabulary()).terms)
        reader = _Reader(identifier, dictionary, [each.name for each in await dictionary.contexts()])
        mentions = {each.text: await reader.identify(each.text) for each in questions}
        unlisted = {mention.term for found in mentions.values() for mention in found if not mention.known}
        offered = {term: await dictionary.near_spellings(term, _SUGGESTIONS) for term in unlisted}
        for each in questions:
            await reader.read(each.text)
        peak = peak_resident_mb()
        calls = _calls(reader, mentions)
        baseline_load_s = None
        if with_baseline:
            started = time.perf_counter()
            calls["baseline"] = baseline(spellings)
            baseline_load_s = time.perf_counter() - started
        times = await time_side_by_side(calls, [each.text for each in questions], rounds=rounds)
        reload_s = await _reload_s(JargonStore(engine), identifier)
    finally:
        engine.dispose()
    stages = _stages(times, questions, {text for text, found in mentions.items() if found})
    return ProcessMeasure(
        spellings=len(spellings),
        load_s=load_s,
        reload_s=reload_s,
        before_mb=before,
        added_mb=added,
        # The baseline's expression is no part of the product: with it, the peak is that of the first readings.
        peak_mb=peak if with_baseline else peak_resident_mb(),
        yardstick=summarise(times["yardstick"]),
        stages=stages,
        found={kind: _share_found(kind, questions, mentions) for kind in KINDS},
        found_or_offered=_share_offered(questions, mentions, offered),
        baseline_load_s=baseline_load_s,
    )


async def _reload_s(store: JargonStore, identifier: EmbeddedJargonIdentifier) -> float:
    """Return what a question waits longer after an edit than without one: the median of additions and removals."""
    waits = []
    for number in range(_EDITS):
        sense = store.add_sense(f"Bench Edit {number}", f"Term of the {number}th edit of a bench")
        waits.append(await _seconds(identifier) - await _seconds(identifier))
        store.remove_sense(sense.id)
        waits.append(await _seconds(identifier) - await _seconds(identifier))
    return statistics.median(waits)


async def _seconds(identifier: EmbeddedJargonIdentifier) -> float:
    started = time.perf_counter()
    await identifier.identify(".")
    return time.perf_counter() - started


def baseline(spellings: Iterable[str]) -> Callable[[str], Awaitable[list[str]]]:
    """Return what finds ``spellings`` in a question, in any letter case, by one regular expression of all of them.

    It knows no misspellings, no plurals and no unknown terms.
    """
    folded = sorted({fold(each) for each in spellings}, key=lambda each: (-len(each), each))
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, folded))})(?!\w)")

    async def find(question: str) -> list[str]:
        return pattern.findall(fold(question))

    return find


class _Reader:
    """Reads a question as the bot's graph does, without documents and without a judgement of the context.

    What is left out (vectors of sentences, the index of the documents) costs the same whatever the dictionary's size.
    """

    def __init__(
        self, identifier: EmbeddedJargonIdentifier, dictionary: SqlJargonDictionary, contexts: Sequence[str]
    ) -> None:
        self._identifier = identifier
        self._dictionary = dictionary
        share = 1.0 / (len(contexts) + 1)
        self._contexts = ContextVerdict(
            contexts=tuple(ContextProbability(name=name, probability=share) for name in contexts),
            none_of_these=share,
            provenance=Provenance(implementation="even"),
        )

    async def identify(self, question: str) -> tuple[Mention, ...]:
        return (await self._identifier.identify(question)).mentions

    async def senses(self, mentions: Sequence[Mention]) -> dict[str, tuple[Sense, ...]]:
        return dict(await self._dictionary.senses(_terms(mentions))) if mentions else {}

    async def read(self, question: str) -> int:
        mentions = await self.identify(question)
        if not mentions:
            return 0
        senses = await self.senses(mentions)
        await self._dictionary.drafts(_terms(mentions))
        chosen = 0
        for mention in {each.term: each for each in mentions}.values():
            lookup = Lookup(mention=mention, senses=senses.get(mention.term, ()))
            if not lookup.senses:
                near = await self._dictionary.near_spellings(mention.term, _SUGGESTIONS)
                lookup = Lookup(mention=mention, suggestions=near)
            chosen += choose_sense(lookup, self._contexts, {}, question=question).status == "chosen"
        return chosen


def _terms(mentions: Sequence[Mention]) -> list[str]:
    return list(dict.fromkeys(mention.term for mention in mentions))


def _calls(reader: _Reader, mentions: dict[str, tuple[Mention, ...]]) -> dict[str, Callable[[str], Awaitable[object]]]:
    async def senses(question: str) -> object:
        return await reader.senses(mentions[question])

    return {"yardstick": yardstick, "identification": reader.identify, "senses": senses, "reading": reader.read}


def _stages(
    times: dict[str, tuple[tuple[float, ...], ...]], questions: Sequence[SpeedQuestion], with_mentions: set[str]
) -> tuple[StageTiming, ...]:
    both = zip(times["identification"], times["senses"], strict=True)
    summed = tuple(tuple(a + b for a, b in zip(*each, strict=True)) for each in both)
    by_stage = {name: times[name] for name in ("identification", "senses")}
    by_stage |= {"look-up": summed, "reading": times["reading"]}
    by_stage |= {name: times[name] for name in ("baseline",) if name in times}
    stages = []
    for stage, rounds in by_stage.items():
        for kind in ("", *KINDS):
            places = [
                at
                for at, question in enumerate(questions)
                # A question without a term has no senses to be looked up: its time would flatter the median.
                if kind in ("", question.kind) and (stage != "senses" or question.text in with_mentions)
            ]
            if places:
                timing = summarise([[each[at] for at in places] for each in rounds])
                stages.append(StageTiming(stage=stage, kind=kind, timing=timing))
    return tuple(stages)


def _share_found(
    kind: QuestionKind, questions: Sequence[SpeedQuestion], mentions: dict[str, tuple[Mention, ...]]
) -> float:
    asked = [question for question in questions if question.kind == kind]
    right = 0
    for question in asked:
        found = mentions[question.text]
        if kind == "none":
            right += not found
        else:
            terms = {fold(mention.term) for mention in found if mention.known == (kind != "unknown")}
            right += {fold(term) for term in question.wanted} <= terms
    return right / len(asked)


def _share_offered(
    questions: Sequence[SpeedQuestion],
    mentions: dict[str, tuple[Mention, ...]],
    offered: dict[str, tuple[str, ...]],
) -> float:
    asked = [question for question in questions if question.kind == "misspelt"]
    right = 0
    for question in asked:
        found = mentions[question.text]
        terms = {fold(mention.term) for mention in found if mention.known}
        terms |= {fold(near) for mention in found if not mention.known for near in offered[mention.term]}
        right += {fold(term) for term in question.wanted} <= terms
    return right / len(asked)
