"""Storage and search by library size: one library grows, and a fresh process opens it at each size."""

import asyncio
import math
import shutil
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Self

import numpy as np
from sqlalchemy import text

from contracts.errors import InvalidInput
from contracts.question import Asker
from golden_lab.plots import INK, as_svg, canvas
from golden_lab.speed.common import conditions, heading, resident_mb
from golden_lab.speed.scale_library import StoredDocument, documents_without_end, draw_questions, read_libraries
from golden_lab.tables import markdown_table
from golden_retriever.settings import Settings, load_settings
from golden_retriever.wiring.application import open_application
from golden_retriever.wiring.indexes import (
    build_chroma_index,
    build_embedder,
    chroma_folder,
    open_library,
)
from library.lexical_search import rebuild_lexical_index
from library.store import LibraryStore
from tools.search.base import VectorIndex
from tools.search.exact import ExactVectorIndex
from tools.search.fallback import FallbackVectorIndex

INDEXES = ("exact", "chroma")
_TOP_K = 16

_ROWS = (
    ("store", "passages_per_s", "passages stored per second", 0),
    ("store", "passages_per_cpu_s", "passages stored per second of processor time", 0),
    ("store", "sql_mb", "SQL with lexical index, MB", 0),
    ("store", "lexical_rebuild_cpu_s", "lexical index, rebuilt from SQL, s of processor time", 1),
    ("index", "index_mb", "vector index on disk, MB", 0),
    ("index", "rebuild_cpu_s", "vector index, rebuilt from SQL, s of processor time", 1),
    ("index", "start_s", "fresh process to its first search, s", 1),
    ("index", "start_cpu_s", "the same, s of processor time", 1),
    ("index", "ready_cpu_s", "until the index itself answers, s of processor time", 1),
    ("index", "written_at_start_mb", "written until then, MB", 1),
    ("index", "search_median_ms", "search, median, ms", 0),
    ("index", "search_p95_ms", "search, p95, ms", 0),
    ("index", "search_cpu_median_ms", "search, median, ms of processor time", 0),
    ("index", "search_cpu_p95_ms", "search, p95, ms of processor time", 0),
    ("index", "question_cpu_median_ms", "whole question, median, ms of processor time", 0),
    ("index", "question_cpu_p95_ms", "whole question, p95, ms of processor time", 0),
    ("index", "peak_mb", "peak memory of the process, MB", 0),
    ("index", "removal_cpu_s", "removal of one document with its proof, s of processor time", 1),
    ("index", "search_after_removal_cpu_s", "first search after it, s of processor time", 1),
)


class _Timer:
    """Adds up the wall time of code blocks, and this process's CPU time, which other work hardly affects."""

    wall_s = cpu_s = 0.0

    def __enter__(self) -> Self:
        self.wall_s -= time.perf_counter()
        self.cpu_s -= time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall_s += time.perf_counter()
        self.cpu_s += time.process_time()


def measure_scale(
    folders: Sequence[Path],
    sizes: Sequence[int],
    *,
    work: Path,
    indexes: Sequence[str] = INDEXES,
    database_url: str = "",
    chroma_url: str = "",
    questions: int = 30,
    seed: int = 0,
    on_step: Callable[[str], None] = lambda step: None,
) -> dict[str, Any]:
    """Grow one library in the folder ``work`` to each of ``sizes`` (in passages), and measure it at each size.

    Its text comes from the libraries in the data folders ``folders``, followed by altered copies; it is stored with the
    functions that ingestion uses. For each of ``indexes`` ("exact", "chroma") the index is built from SQL, and a fresh
    process opens the application, searches, asks ``questions`` and removes one document. ``database_url`` and
    ``chroma_url`` name empty servers that replace files in ``work``. Returns plain values; their names contain units.

    Raises:
        InvalidInput: there are no sizes or questions, or ``folders`` contain nothing to read.
    """
    if not sizes or min(*sizes, questions) < 1:
        raise InvalidInput("specify at least one size and one question", field="sizes")
    result = conditions("scale", seed=seed, questions=questions, rounds=1, sizes=[])
    settings = load_settings(data_dir=work, database_url=database_url, chroma_url=chroma_url)
    embedder = build_embedder(settings).name
    originals = read_libraries(folders, embedder)
    result["original_passages"] = sum(each.passages for each in originals)
    asked = draw_questions(originals, 2 * questions, seed=seed)
    waiting = documents_without_end(originals, seed=seed)
    with open_library(settings) as store:
        for size in sorted(set(sizes)):
            on_step(f"{size:,} passages: storing")
            added, storing, last = _store(store, waiting, size - store.count_passages(), embedder)
            on_step(f"{size:,} passages: rebuilding the lexical index")
            with _Timer() as rebuilding:
                rebuild_lexical_index(store.engine)
            measured: dict[str, Any] = {
                "passages": store.count_passages(),
                "documents": store.counts()[0],
                "store": {
                    "passages_per_s": added / (storing.wall_s or 1.0),
                    "passages_per_cpu_s": added / (storing.cpu_s or 1.0),
                    "sql_mb": _sql_mb(store, work),
                    "lexical_rebuild_cpu_s": rebuilding.cpu_s,
                },
                "indexes": {},
            }
            for index, document_id in zip(indexes, last, strict=False):
                on_step(f"{size:,} passages: {index}, built and opened")
                kept = settings.model_copy(update={"dense_index": index})
                measured["indexes"][index] = _measure_index(kept, store, embedder, asked, document_id)
            result["sizes"].append(measured)
    return result


def _store(
    store: LibraryStore, waiting: Iterator[StoredDocument], passages: int, embedder: str
) -> tuple[int, _Timer, list[str]]:
    """Store at least ``passages`` passages; return their number, the time taken, and the ids of the last documents."""
    timer, added = _Timer(), 0
    ids: list[str] = []
    while added < passages:
        each = next(waiting)
        with timer:
            store.replace_document(each.document, each.chunks, each.vectors, embedder=embedder)
        added += each.passages
        ids.append(each.document.id)
    return added, timer, ids[: -len(INDEXES) - 1 : -1]


def _measure_index(
    settings: Settings, store: LibraryStore, embedder: str, questions: Sequence[str], document_id: str
) -> dict[str, Any]:
    folder, index = chroma_folder(settings), _open_index(settings, store, embedder)
    shutil.rmtree(folder, ignore_errors=True)

    async def build() -> None:
        await index.synchronise()
        await index.close()

    with _Timer() as building:
        asyncio.run(build())
    values = settings.model_dump(include={"data_dir", "database_url", "chroma_url", "dense_index"})
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        measured = pool.submit(measure_process, values, questions, document_id, time.time()).result()
    return {"rebuild_cpu_s": building.cpu_s, "index_mb": _megabytes(folder), **measured}


def _open_index(settings: Settings, store: LibraryStore, embedder: str) -> VectorIndex:
    if settings.dense_index == "exact":
        return ExactVectorIndex(store, embedder)
    return build_chroma_index(settings, store, embedder)


def measure_process(
    values: dict[str, Any], questions: Sequence[str], document_id: str, started: float
) -> dict[str, float]:
    """Open and use the application with the settings ``values``; ``started`` is when this process was started.

    It searches for the first half of ``questions``, asks the second half, and removes the document at the end.
    """
    return asyncio.run(_measure(load_settings(**values), questions, document_id, started))


async def _measure(settings: Settings, questions: Sequence[str], document_id: str, started: float) -> dict[str, float]:
    half = len(questions) // 2
    async with open_application(settings) as application:
        search = partial(application.services.searcher.search, top_k=_TOP_K)
        await search(["What is the default?"])
        found = {"start_s": time.time() - started, "start_cpu_s": time.process_time()}
        if isinstance(application.vector_index, FallbackVectorIndex):
            await application.vector_index.settled()
        found |= {"ready_cpu_s": time.process_time(), "written_at_start_mb": _written_mb()}
        taken = {
            "search": [await _timed(search([each])) for each in questions[:half]],
            "question": [
                await _timed(application.chatbot.ask(each, history=(), asker=Asker())) for each in questions[half:]
            ],
        }
        for name, timers in taken.items():
            for unit, seconds in (("", [each.wall_s for each in timers]), ("cpu_", [each.cpu_s for each in timers])):
                found[f"{name}_{unit}median_ms"] = 1_000 * statistics.median(seconds)
                found[f"{name}_{unit}p95_ms"] = 1_000 * float(np.quantile(seconds, 0.95))
        found["peak_mb"] = resident_mb("VmHWM")
        found["removal_cpu_s"] = (await _timed(application.remove_document(document_id))).cpu_s
        found["search_after_removal_cpu_s"] = (await _timed(search(["What is the default?"]))).cpu_s
    return found


async def _timed(work: Awaitable[object]) -> _Timer:
    with _Timer() as timer:
        await work
    return timer


def _megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def _written_mb() -> float:
    """Return what this process has written to the disk; 0 without /proc."""
    with suppress(OSError):
        lines = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
        return int(next(line for line in lines if line.startswith("write_bytes:")).split()[1]) / 1e6
    return 0.0


def _sql_mb(store: LibraryStore, work: Path) -> float:
    if store.engine.name == "postgresql":
        with store.engine.connect() as connection:
            return int(connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one()) / 1e6
    return sum(file.stat().st_size for file in work.glob("golden.db*")) / 1e6


def render_scale(result: dict[str, Any]) -> str:
    """Return the heading, and a Markdown table with a column for each size and index."""
    columns = [(size, index) for size in result["sizes"] for index in size["indexes"]]
    heads = ["", *(f"{size['passages']:,}, {index}" for size, index in columns)]
    rows = []
    for of, key, name, digits in _ROWS:
        values = [(size["store"] if of == "store" else size["indexes"][index])[key] for size, index in columns]
        rows.append([name, *(f"{value:,.{digits}f}" for value in values)])
    return "\n".join([heading(result), "", *markdown_table(heads, rows)])


def plot_scale(result: dict[str, Any]) -> str:
    """Return an SVG plot of how search, questions, start, memory, storing and rebuilding scale with library size."""
    panels = (
        ("index", "search_cpu_p95_ms", "search, p95, ms"),
        ("index", "question_cpu_p95_ms", "question, p95, ms"),
        ("index", "start_cpu_s", "start, s"),
        ("index", "peak_mb", "memory, MB"),
        ("index", "removal_cpu_s", "removal of a document, s"),
        ("index", "rebuild_cpu_s", "vector index rebuilt, s"),
        ("store", "lexical_rebuild_cpu_s", "lexical index rebuilt, s"),
        ("store", "passages_per_cpu_s", "passages stored per s"),
    )
    title = "Growth with the number of passages, in processor time"
    from matplotlib.ticker import NullFormatter

    with canvas(7.2, 9.6) as figure:
        for axes, (of, key, name) in zip(figure.subplots(4, 2).flat, panels, strict=True):
            axes.patch.set_alpha(0)
            for index, colour, style in zip(INDEXES, ("#3d84c6", "#c0703a"), ("o-", "s--"), strict=True):
                points = [
                    (size["passages"], (size["store"] if of == "store" else size["indexes"][index])[key])
                    for size in result["sizes"]
                    if index in size["indexes"]
                ]
                if points:
                    axes.plot(*zip(*points, strict=True), style, color=colour, linewidth=1.4, label=index)
            axes.set(xscale="log", title=name)
            _, most = axes.dataLim.intervaly
            least = axes.dataLim.minposy
            if most > 10 * least:
                axes.set(yscale="log", ylim=(10 ** math.floor(math.log10(least)), 10 ** math.ceil(math.log10(most))))
            else:
                axes.set_ylim(0, 1.1 * most)
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter("{x:,.9g}")
                axis.set_minor_formatter(NullFormatter())
            axes.grid(color=INK, alpha=0.25, linewidth=0.5)
        if len({index for size in result["sizes"] for index in size["indexes"]}) > 1:
            figure.axes[0].legend()
        return as_svg(figure, title)
