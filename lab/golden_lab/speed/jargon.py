"""The speed of reading jargon, by the size of the dictionary: made, imported, and measured in a fresh process each."""

import asyncio
import gc
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput
from contracts.jargon import Lookup, Mention, Sense
from contracts.provenance import Provenance
from contracts.verdicts import ContextProbability, ContextVerdict
from database.connection import open_database
from database.migrating import migrate
from golden_lab.speed.common import conditions, heading, resident_mb, table, time_calls, times
from golden_lab.speed.made_jargon import KINDS, SpeedQuestion, import_dictionary, make_questions, make_senses
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from jargon_db.folding import fold
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from tools.jargon.choosing import choose_sense
from tools.jargon.memory import InMemoryJargonDictionary
from tools.jargon.sql import SqlJargonDictionary

# What is promised, and for a dictionary of how many terms.
TARGET_TERMS = 100_000
_TARGETS = (("look-up, median in ms", 5.0), ("process, peak in MB", 300.0), ("load after one edit, in ms", 100.0))
# As many as the bot suggests.
_SUGGESTIONS = 5
_EDITS = 5
_STAGES = ("identification", "look-up", "reading")


def measure_jargon(
    sizes: Sequence[int],
    *,
    questions: int,
    seed: int,
    rounds: int = 5,
    on_step: Callable[[str], None] = lambda step: None,
) -> dict[str, Any]:
    """Measure dictionaries of ``sizes`` terms with the same questions, each in a fresh process.

    ``questions`` are about terms of the smallest dictionary, with which the larger ones of the seed begin; each is
    asked ``rounds`` times. ``on_step`` is told what is done next. Returns plain values: milliseconds, seconds and MB as
    the names say; "to_smallest" is a ratio of medians.

    Raises:
        InvalidInput: no sizes, one below 1, too few questions or no round.
    """
    ordered = sorted(set(sizes))
    if not ordered or rounds < 1:
        raise InvalidInput("name at least one size, and one round", field="terms")
    result = conditions("jargon", seed=seed, questions=questions, rounds=rounds, sizes=[], targets=[])
    by_size = {size: make_senses(size, seed=seed) for size in ordered}
    asked = make_questions(by_size[ordered[0]], by_size[ordered[-1]], count=questions, seed=seed)
    with tempfile.TemporaryDirectory(prefix="golden-bench-") as folder:
        for size in ordered:
            on_step(f"{size:,} terms: importing")
            database = Path(folder) / str(size) / "golden.db"
            database.parent.mkdir()
            import_s = _import(by_size[size], database)
            on_step(f"{size:,} terms: measuring")
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                measured = pool.submit(measure_process, database, asked, rounds).result()
            about = {"terms": size, "senses": len(by_size[size]), "import_s": import_s}
            result["sizes"].append({**about, "database_mb": database.stat().st_size / 1e6, **measured})
    first = {(each["stage"], each["kind"]): each for each in result["sizes"][0]["stages"]}
    for size in result["sizes"]:
        for each in size["stages"]:
            each["to_smallest"] = each["median_ms"] / first[each["stage"], each["kind"]]["median_ms"]
        if size["terms"] >= TARGET_TERMS:
            result["targets"] += _targets(size)
    return result


def _targets(size: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what is promised; the median of a look-up is that of the slowest kind of questions."""
    slowest = max(each["median_ms"] for each in size["stages"] if each["stage"] == "look-up")
    values = (slowest, size["peak_mb"], size["reload_s"] * 1_000)
    return [
        {"name": f"{name}, {size['terms']:,} terms", "limit": limit, "value": value, "met": value < limit}
        for (name, limit), value in zip(_TARGETS, values, strict=True)
    ]


def _import(senses: Sequence[Sense], database: Path) -> float:
    engine = open_database(f"sqlite:///{database}")
    try:
        migrate(engine, DICTIONARY)
        started = time.perf_counter()
        import_dictionary(JargonStore(engine), senses, database.parent)
        return time.perf_counter() - started
    finally:
        engine.dispose()


def measure_process(database: Path, questions: Sequence[SpeedQuestion], rounds: int) -> dict[str, Any]:
    """Load the dictionary in ``database`` and read ``questions`` with it, ``rounds`` times after a warm-up.

    "load_s" is what the first question waits for the vocabulary, "reload_s" what the next one waits after an edit.
    "found" holds by kind the share of questions in which every term was found, and told to be known or unknown as it
    is; of the kind "none", the share in which nothing was found.
    """
    return asyncio.run(_measure(database, questions, rounds))


async def _measure(database: Path, questions: Sequence[SpeedQuestion], rounds: int) -> dict[str, Any]:
    # The word lists of English are there whatever the dictionary: they are loaded before anything counts.
    await EmbeddedJargonIdentifier(InMemoryJargonDictionary(())).identify("Which VCCQ does the xyzqw need at NIRE?")
    engine = open_database(f"sqlite:///{database}")
    try:
        dictionary = SqlJargonDictionary(JargonStore(engine))
        gc.collect()
        before = resident_mb()
        identifier = EmbeddedJargonIdentifier(dictionary)
        load_s = await _seconds(identifier)
        gc.collect()
        added = resident_mb() - before
        share = 1.0 / (len(await dictionary.contexts()) + 1)
        contexts = ContextVerdict(
            contexts=tuple(
                ContextProbability(name=each.name, probability=share) for each in await dictionary.contexts()
            ),
            none_of_these=share,
            provenance=Provenance(implementation="even"),
        )

        async def identification(question: str) -> tuple[Mention, ...]:
            return (await identifier.identify(question)).mentions

        async def look_up(question: str) -> None:
            terms = list(dict.fromkeys(each.term for each in await identification(question)))
            if terms:
                await dictionary.senses(terms)

        async def reading(question: str) -> None:
            await _read(question, await identification(question), dictionary, contexts)

        stages = []
        for name, call in zip(_STAGES, (identification, look_up, reading), strict=True):
            for kind in KINDS:
                texts = [each.text for each in questions if each.kind == kind]
                stages.append({"stage": name, "kind": kind, **times(await time_calls(call, texts, rounds))})
        mentions = {each.text: await identification(each.text) for each in questions}
        peak = resident_mb("VmHWM")
        reload_s = await _reload_s(JargonStore(engine), identifier)
        spellings = len((await dictionary.vocabulary()).terms)
    finally:
        engine.dispose()
    return {
        "spellings": spellings,
        "load_s": load_s,
        "reload_s": reload_s,
        "before_mb": before,
        "added_mb": added,
        "peak_mb": peak,
        "found": {kind: _share_found([each for each in questions if each.kind == kind], mentions) for kind in KINDS},
        "stages": stages,
    }


async def _read(
    question: str, mentions: Sequence[Mention], dictionary: SqlJargonDictionary, contexts: ContextVerdict
) -> None:
    """Read a question as the bot's graph does, without documents and without a judgement of the context."""
    terms = list(dict.fromkeys(each.term for each in mentions))
    if not terms:
        return
    senses = await dictionary.senses(terms)
    unknown = [term for term in terms if not senses.get(term)]
    drafts = await dictionary.drafts(unknown) if unknown else {}
    for mention in mentions:
        found = tuple(senses.get(mention.term, ()))
        if found:
            lookup = Lookup(mention=mention, senses=found)
        else:
            near = () if drafts.get(mention.term) else await dictionary.near_spellings(mention.term, _SUGGESTIONS)
            lookup = Lookup(mention=mention, suggestions=near)
        choose_sense(lookup, contexts, {}, question=question)


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


def _share_found(questions: Sequence[SpeedQuestion], mentions: dict[str, tuple[Mention, ...]]) -> float:
    right = 0
    for question in questions:
        found = mentions[question.text]
        if question.kind == "none":
            right += not found
        else:
            terms = {fold(mention.term) for mention in found if mention.known == (question.kind != "unknown")}
            right += {fold(term) for term in question.wanted} <= terms
    return right / len(questions)


def render_jargon(result: dict[str, Any]) -> str:
    """Return tables: what was loaded, and each stage per question beside the smallest dictionary."""
    sizes = result["sizes"]
    heads = ["", *(f"{size['terms']:,} terms" for size in sizes)]
    rows = [
        ["import into SQLite", *(f"{each['import_s']:.2f} s" for each in sizes)],
        ["database", *(f"{each['database_mb']:.1f} MB" for each in sizes)],
        ["first load of the vocabulary", *(f"{each['load_s']:.2f} s" for each in sizes)],
        ["load after one edit", *(f"{each['reload_s'] * 1_000:.1f} ms" for each in sizes)],
        ["memory added by the first load", *(f"{each['added_mb']:.1f} MB" for each in sizes)],
        ["process at its peak", *(f"{each['peak_mb']:.1f} MB" for each in sizes)],
        *([f"all found, {kind} terms", *(f"{each['found'][kind]:.0%}" for each in sizes)] for kind in KINDS),
    ]
    stages = [
        [f"{first['stage']}, {first['kind']} terms", *(_stage_cell(size["stages"][at]) for size in sizes)]
        for at, first in enumerate(sizes[0]["stages"])
    ]
    return "\n".join(
        [
            heading(result),
            f"{result['questions']} questions, {result['rounds']} rounds after a warm-up, seed {result['seed']}",
            "",
            *table(heads, rows),
            "",
            "per question: median / 95th percentile in ms, and × the smallest dictionary's median",
            *table(heads, stages),
            "look-up: identification and senses; reading: that, drafts, near spellings, choice of the sense",
            *(
                f"{'met' if each['met'] else 'MISSED':<7} {each['name']}: {each['value']:.2f}, below {each['limit']:g}"
                for each in result["targets"]
            ),
        ]
    )


def _stage_cell(stage: dict[str, Any]) -> str:
    return f"{stage['median_ms']:.2f} / {stage['p95_ms']:.2f}  ×{stage['to_smallest']:.2f}"
