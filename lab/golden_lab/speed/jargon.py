"""Speed of jargon look-up by dictionary size; each dictionary is generated, imported and read in a fresh process."""

import asyncio
import random
import statistics
import string
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from contracts.errors import InvalidInput
from contracts.jargon import Sense
from database.connection import open_database
from database.migrations import migrate
from golden_lab.memory_dictionary import InMemoryJargonDictionary
from golden_lab.speed.common import conditions, heading, resident_mb
from golden_lab.tables import text_table
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from jargon_db.migrations import DICTIONARY
from jargon_db.normalization import fold
from jargon_db.store import JargonStore
from tools.jargon.sql import SqlJargonDictionary

# The limits below apply to a dictionary of this size.
TARGET_TERMS = 100_000
_TARGETS = (
    ("slowest look-up, median in ms", 5.0),
    ("process, peak in MB", 300.0),
)
_EDITS = 5

KINDS = ("known", "misspelt", "unknown", "none")
_TEMPLATES = (
    "Who is responsible for {} when the second shift is over?",
    "Why does the {} of the new board drop as soon as we switch it on?",
    "Which value should {} have before we begin with the test?",
)
_PLAIN = "How long may the test take before we have to stop the machine and call somebody?"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedQuestion:
    """A question of one of ``KINDS``; ``term`` is the known or unknown term that it contains, "" for none."""

    kind: str
    text: str
    term: str


def measure_jargon(
    sizes: Sequence[int],
    *,
    questions: int,
    seed: int,
    rounds: int = 5,
    on_step: Callable[[str], None] = lambda step: None,
) -> dict[str, Any]:
    """Measure one dictionary for each of ``sizes`` (in terms) with the same questions, each in a fresh process.

    The ``questions`` are about terms of the smallest dictionary, which the larger ones also contain; each is asked
    ``rounds`` times. ``on_step`` receives the name of each step. Returns plain values; their names contain the units.
    "to_smallest" is the ratio to the median of the smallest dictionary.

    Raises:
        InvalidInput: there are no sizes or rounds, a size is below 1, or there are fewer questions than kinds.
    """
    ordered = sorted(set(sizes))
    if not ordered or ordered[0] < 1 or rounds < 1 or questions < len(KINDS):
        raise InvalidInput(f"specify at least one size, one round and {len(KINDS)} questions", field="terms")
    senses = make_senses(ordered[-1], seed=seed)
    asked = make_questions(senses[: ordered[0]], senses, count=questions, seed=seed)
    result = conditions("jargon", seed=seed, questions=questions, rounds=rounds, sizes=[], targets=[])
    with tempfile.TemporaryDirectory(prefix="golden-bench-") as folder:
        for size in ordered:
            on_step(f"{size:,} terms")
            database = Path(folder) / f"{size}.db"
            import_s = _import(senses[:size], database)
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                measured = pool.submit(measure_process, database, asked, rounds).result()
            result["sizes"].append({"terms": size, "import_s": import_s, **measured})
    smallest = result["sizes"][0]["kinds"]
    for size in result["sizes"]:
        for kind, each in size["kinds"].items():
            each["to_smallest"] = each["median_ms"] / smallest[kind]["median_ms"]
        if size["terms"] >= TARGET_TERMS:
            slowest = max(each["median_ms"] for each in size["kinds"].values())
            result["targets"] += [
                {"name": f"{name}, {size['terms']:,} terms", "limit": limit, "value": value, "met": value < limit}
                for (name, limit), value in zip(_TARGETS, (slowest, size["peak_mb"]), strict=True)
            ]
    return result


def make_senses(terms: int, *, seed: int) -> tuple[Sense, ...]:
    """Make senses for ``terms`` different terms, two abbreviations for each two-word phrase.

    With the same seed, a larger dictionary begins with the terms of the smaller one.
    """
    return tuple(
        Sense(id=0, term=term, extended_name=f"Extended Name of {term}", description="A made term.")
        for term in islice(_spellings(random.Random(seed)), terms)
    )


def make_questions(
    known: Sequence[Sense], all_senses: Sequence[Sense], *, count: int, seed: int
) -> tuple[SpeedQuestion, ...]:
    """Make ``count`` questions of alternating kinds about ``known``; unknown terms are in none of ``all_senses``."""
    draw = random.Random(seed)
    taken = {fold(each.term) for each in all_senses}
    short = [each.term for each in known if each.term.isupper()]
    unknown = (term for term in _spellings(random.Random(-seed - 1)) if term.isupper() and fold(term) not in taken)
    questions = []
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        template = _TEMPLATES[number // len(KINDS) % len(_TEMPLATES)]
        if kind == "none":
            term, text = "", _PLAIN
        elif kind == "misspelt":
            term = draw.choice(short)
            text = template.format(f"{term[:-2]}{term[-1]}{term[-2]}")
        else:
            term = next(unknown) if kind == "unknown" else draw.choice(known).term
            text = template.format(term)
        questions.append(SpeedQuestion(kind=kind, text=text, term=term))
    return tuple(questions)


def _spellings(draw: random.Random) -> Iterator[str]:
    """Yield different terms endlessly: five-letter abbreviations and, as every third term, phrases of rare words."""
    from wordfreq import top_n_list

    words = [word for word in top_n_list("en", 20_000)[1_500:] if word.isascii() and word.isalpha() and len(word) > 3]
    taken: set[str] = set(top_n_list("en", 20_000))
    while True:
        phrase = len(taken) % 3 == 0
        term = " ".join(draw.sample(words, 2)) if phrase else "".join(draw.choices(string.ascii_uppercase, k=5))
        if fold(term) not in taken and term[-1] != term[-2]:
            taken.add(fold(term))
            yield term


def _import(senses: Sequence[Sense], database: Path) -> float:
    engine = open_database(f"sqlite:///{database}")
    try:
        migrate(engine, DICTIONARY)
        started = time.perf_counter()
        JargonStore(engine).put_all(senses)
        return time.perf_counter() - started
    finally:
        engine.dispose()


def measure_process(database: Path, questions: Sequence[SpeedQuestion], rounds: int) -> dict[str, Any]:
    """Load the dictionary in ``database`` and look up the terms of ``questions``, ``rounds`` times after a warm-up.

    "load_s" is how long the first question waits for the vocabulary, "reload_s" how long the next one waits after an
    edit. "found" is, for each kind, the share of questions whose term was found and correctly called known or unknown;
    for the kind "none", the share in which nothing was found.
    """
    return asyncio.run(_measure(database, questions, rounds))


async def _measure(database: Path, questions: Sequence[SpeedQuestion], rounds: int) -> dict[str, Any]:
    # The English word lists do not depend on the dictionary, so they are loaded before the measurement.
    await EmbeddedJargonIdentifier(InMemoryJargonDictionary(())).identify("Which VCCQ does the xyzqw need at NIRE?")
    engine = open_database(f"sqlite:///{database}")
    try:
        store = JargonStore(engine)
        dictionary = SqlJargonDictionary(store)
        identifier = EmbeddedJargonIdentifier(dictionary)
        load_s = await _seconds(identifier)
        kinds: dict[str, dict[str, float]] = {}
        for kind in KINDS:
            some = [each for each in questions if each.kind == kind]
            taken, right = [], 0
            for number in range(rounds + 1):
                for question in some:
                    started = time.perf_counter()
                    mentions = (await identifier.identify(question.text)).mentions
                    if mentions:
                        await dictionary.senses(list(dict.fromkeys(each.term for each in mentions)))
                    if number:
                        taken.append((time.perf_counter() - started) * 1_000)
                    else:
                        known = {fold(each.term): each.known for each in mentions}
                        right += known.get(fold(question.term)) == (kind != "unknown") if question.term else not known
            median, p95 = np.quantile(taken, (0.5, 0.95))
            kinds[kind] = {"median_ms": float(median), "p95_ms": float(p95), "found": right / len(some)}
        peak = resident_mb("VmHWM")
        waits = []
        for number in range(_EDITS):
            sense = store.add_sense(f"Bench Edit {number}", f"Term of the {number}th edit of a bench")
            waits.append(await _seconds(identifier) - await _seconds(identifier))
            store.remove_sense(sense.id)
            waits.append(await _seconds(identifier) - await _seconds(identifier))
    finally:
        engine.dispose()
    return {"load_s": load_s, "reload_s": statistics.median(waits), "peak_mb": peak, "kinds": kinds}


async def _seconds(identifier: EmbeddedJargonIdentifier) -> float:
    started = time.perf_counter()
    await identifier.identify(".")
    return time.perf_counter() - started


def render_jargon(result: dict[str, Any]) -> str:
    """Return a table of loading times and, for each kind of question, look-up times compared with the smallest size."""
    sizes = result["sizes"]
    rows = [
        ["import into SQLite", *(f"{each['import_s']:.2f} s" for each in sizes)],
        ["first load of the vocabulary", *(f"{each['load_s']:.2f} s" for each in sizes)],
        ["load after one edit", *(f"{each['reload_s'] * 1_000:.1f} ms" for each in sizes)],
        ["process at its peak", *(f"{each['peak_mb']:.1f} MB" for each in sizes)],
    ]
    for kind in KINDS:
        found = [each["kinds"][kind] for each in sizes]
        rows.append([f"found right, {kind} terms", *(f"{each['found']:.0%}" for each in found)])
        rows.append(
            [
                f"look-up, {kind} terms",
                *(f"{each['median_ms']:.2f} / {each['p95_ms']:.2f} ms  ×{each['to_smallest']:.2f}" for each in found),
            ]
        )
    return "\n".join(
        [
            heading(result),
            f"{result['questions']} questions; look-up: median / 95th percentile, × the smallest dictionary's median",
            "",
            *text_table([["", *(f"{size['terms']:,} terms" for size in sizes)], *rows]),
            *(
                f"{'met' if each['met'] else 'MISSED':<7} {each['name']}: {each['value']:.2f}, below {each['limit']:g}"
                for each in result["targets"]
            ),
        ]
    )
