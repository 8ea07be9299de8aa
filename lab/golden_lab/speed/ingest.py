"""The speed of ingestion, beside the engines that it rests on: made documents, read and embedded in turns."""

import importlib.util
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.errors import InvalidInput, Unavailable
from evaluation.revision import machine, revision
from golden_lab.speed.ingest_bare import BareModel
from golden_lab.speed.ingest_documents import make_document, make_scans, write_scans
from golden_lab.speed.ingest_engines import Embedding, Reading, Recognition, Turn, Workers
from golden_lab.speed.process_tree import TreeMemory, run_watched
from tools.cores import usable_cores
from tools.embedding.onnx import OnnxEmbedder
from tools.embedding.openvino import OpenVinoRuntime
from tools.embedding.weights import find_default_model
from tools.ocr import OcrEngine

# What is promised: within 15 % of each engine by itself.
TARGET_RATIO = 0.85
# The comparison on OpenVINO, made where it is installed.
FASTEST_PATH = "fastest path"

_WHOLE_TIMEOUT_S = 3_600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide:
    """Ours and a bare engine, round by round; ``unit`` is what both count. ``target`` None promises nothing."""

    name: str
    unit: str
    ours: tuple[Turn, ...]
    bare: tuple[Turn, ...]
    target: float | None = TARGET_RATIO

    @property
    def ratios(self) -> tuple[float, ...]:
        """How many times as much as the bare engine ours does in a second, round by round."""
        return tuple(
            (ours.done / ours.wall_s) / (bare.done / bare.wall_s)
            for ours, bare in zip(self.ours, self.bare, strict=True)
        )

    @property
    def ratio(self) -> float:
        """The median of ``ratios``."""
        return statistics.median(self.ratios)

    @property
    def cpu_ratio(self) -> float:
        """The same by seconds of the processor: what else the machine does counts little there."""
        both = zip(self.ours, self.bare, strict=True)
        return statistics.median((ours.done / ours.cpu_s) / (bare.done / bare.cpu_s) for ours, bare in both)

    @property
    def met(self) -> bool | None:
        """Whether the ratio reaches the target; None without one."""
        return None if self.target is None else self.ratio >= self.target

    def per_s(self, turns: Sequence[Turn]) -> float:
        """Return the median speed of ``turns``, in units a second."""
        return statistics.median(turn.done / turn.wall_s for turn in turns)


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeRun:
    """One ``golden ingest`` of all documents in a fresh process; ``seconds`` from its start to its end.

    ``phases`` are the sums over the documents, in seconds; several documents are in one phase at a time. ``memory`` is
    None where the system does not tell.
    """

    workers: int
    pages: int
    seconds: float
    phases: tuple[tuple[str, float], ...]
    memory: TreeMemory | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestSpeed:
    """All comparisons and whole runs, with what they were measured on."""

    revision: str
    machine: str
    load_average: float | None
    seed: int
    pages: int
    scans: int
    rounds: int
    workers: int
    comparisons: tuple[SideBySide, ...]
    whole: tuple[WholeRun, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestBench:
    """What is needed of the product: how to run ``golden ingest`` and where the model's graph is kept.

    ``command`` is followed by the folder of documents, ``environment`` names no setting of the product's own.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    cache_folder: Path
    ocr: OcrEngine
    language: str


@dataclass(frozen=True, slots=True)
class _Made:
    """Where the made documents lie: PDFs, scans as PDFs of a page each, and the same scans as plain images."""

    documents: tuple[Path, ...]
    scans: tuple[Path, ...]
    images: tuple[Path, ...]


def measure_ingest(
    bench: IngestBench,
    *,
    pages: int,
    scans: int,
    seed: int,
    rounds: int,
    workers: int,
    whole: bool = True,
    on_step: Callable[[str], None] = lambda step: None,
) -> IngestSpeed:
    """Measure ingestion on ``pages`` born-digital pages and ``scans`` scanned ones, made by ``seed``.

    Ours and each bare engine take turns, ``rounds`` times after a warm-up, on ``workers`` processes that stay. With
    ``whole``, the command line ingests it all afterwards, with one worker and with all. ``on_step`` is told what is
    done next.

    Raises:
        InvalidInput: fewer pages or scans than workers, or no round.
        Unavailable: Tesseract or the embedding model is not there.
    """
    if min(rounds, workers) < 1 or pages < workers or scans < 0:
        raise InvalidInput("ask for one round at least, and for a page a worker", field="pages")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    with tempfile.TemporaryDirectory(prefix="golden-bench-") as name:
        folder = Path(name)
        on_step(f"making {pages} pages and {scans} scans")
        made = _make(folder, pages=pages, scans=scans, seed=seed, workers=workers)
        comparisons = _compare(bench, made, folder, rounds=rounds, workers=workers, on_step=on_step)
        runs = []
        for count in dict.fromkeys((1, workers)) if whole else ():
            on_step(f"golden ingest, {count} worker{'s' if count > 1 else ''}")
            runs.append(_ingest(bench, folder, count))
    return IngestSpeed(
        revision=revision(),
        machine=machine(),
        load_average=load,
        seed=seed,
        pages=pages,
        scans=scans,
        rounds=rounds,
        workers=workers,
        comparisons=comparisons,
        whole=tuple(runs),
    )


def _make(folder: Path, *, pages: int, scans: int, seed: int, workers: int) -> _Made:
    """Make two documents a worker, of like length, and the scans, drawn from the pages of a document of their own."""
    (folder / "documents").mkdir()
    count = min(2 * workers, pages)
    documents = []
    for number in range(count):
        path = folder / "documents" / f"manual-{number}.pdf"
        make_document(path, pages=pages // count + (number < pages % count), seed=seed * 1_000 + number)
        documents.append(path)
    paths, images = [], []
    if scans:
        printed = folder / "printed.pdf"
        make_document(printed, pages=scans, seed=seed * 1_000 + 999)
        for number, scan in enumerate(make_scans(printed, range(1, scans + 1), seed=seed)):
            path = folder / "documents" / f"scan-{number}.pdf"
            image = folder / f"scan-{number}.pgm"
            write_scans(path, [scan])[0].save(image)
            paths.append(path)
            images.append(image)
    return _Made(tuple(documents), tuple(paths), tuple(images))


def _compare(
    bench: IngestBench, made: _Made, folder: Path, *, rounds: int, workers: int, on_step: Callable[[str], None]
) -> tuple[SideBySide, ...]:
    found = []
    with Workers(workers) as pool:
        on_step("reading born-digital pages, and pdfplumber's text alone")
        reading = Reading(pool, made.documents)
        found.append(_take_turns("born-digital", "pages", reading.ours, reading.bare, rounds))
        if made.scans:
            on_step("reading scanned pages, and tesseract alone")
            scanned = Recognition(pool, made.scans, made.images, bench.ocr, bench.language)
            found.append(_take_turns("OCR", "pages", scanned.ours, scanned.bare, rounds))
    embedder = OnnxEmbedder(find_default_model(), bench.cache_folder)
    model = BareModel(bench.cache_folder, threads=usable_cores())
    runs = [("passages", TARGET_RATIO, embedder, model), ("with summaries", None, embedder, model)]
    if importlib.util.find_spec("openvino") is not None:
        fast = OnnxEmbedder(find_default_model(), bench.cache_folder, runtime=OpenVinoRuntime())
        fast_model = BareModel(bench.cache_folder, threads=usable_cores(), runtime="openvino")
        runs.insert(1, (FASTEST_PATH, TARGET_RATIO, fast, fast_model))
    for name, target, ours, bare in runs:
        on_step(f"chunks, {name}, and the embedding model alone")
        summaries = name == "with summaries"
        embedding = Embedding(folder / f"{name}.db", reading.pages, ours, bare, summaries=summaries)
        try:
            found.append(_take_turns(name, "chunks", embedding.ours, embedding.bare, rounds, target=target))
        finally:
            embedding.close()
    return tuple(found)


def _take_turns(
    name: str,
    unit: str,
    ours: Callable[[], Turn],
    bare: Callable[[], Turn],
    rounds: int,
    *,
    target: float | None = TARGET_RATIO,
) -> SideBySide:
    """Run both ``rounds`` times after a warm-up, now the one first and now the other."""
    ours()
    bare()
    of_ours, of_bare = [], []
    for number in range(rounds):
        if number % 2:
            of_bare.append(bare())
            of_ours.append(ours())
        else:
            of_ours.append(ours())
            of_bare.append(bare())
    return SideBySide(name=name, unit=unit, ours=tuple(of_ours), bare=tuple(of_bare), target=target)


def _ingest(bench: IngestBench, folder: Path, workers: int) -> WholeRun:
    data = folder / f"bot-{workers}"
    environment = {**bench.environment, "GOLDEN_DATA_DIR": str(data), "GOLDEN_WORKERS": str(workers)}
    started = time.perf_counter()
    printed, memory = run_watched(
        (*bench.command, str(folder / "documents")), environment, folder, timeout_s=_WHOLE_TIMEOUT_S
    )
    seconds = time.perf_counter() - started
    events = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    files = [each for each in events if each["event"] == "file"]
    failed = [each for each in files if each["status"] != "ingested"]
    if failed or not files:
        reason = failed[0]["reason"] if failed else "it told of no file"
        raise Unavailable(f"golden ingest did not take up the made documents: {reason}")
    phases: dict[str, float] = {}
    for file in files:
        for phase, taken in file["phases"].items():
            phases[phase] = phases.get(phase, 0.0) + taken
    return WholeRun(
        workers=workers,
        pages=sum(file["pages"] for file in files),
        seconds=seconds,
        phases=tuple(phases.items()),
        memory=memory,
    )
