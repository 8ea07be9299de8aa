"""Ingestion speed on generated documents: single parts compared with the engines that they use, and whole runs."""

import asyncio
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from wordfreq import top_n_list

from contracts.errors import InvalidInput, Unavailable
from golden_lab.speed.common import conditions, heading
from golden_lab.tables import text_table
from ingestion.limits import IngestionLimits
from ingestion.pictures import render_page
from ingestion.readers import reader_for
from tools.cores import usable_cores
from tools.embedding.onnx import OnnxEmbedder
from tools.embedding.onnx_graph import cached_graph
from tools.embedding.weights import MAX_TOKENS, find_default_model, read_revision
from tools.ocr.tesseract import TesseractOcr

# The target: at least 85% of the speed of each engine alone.
TARGET_RATIO = 0.85
SCAN_DPI = 200
_PARAGRAPHS_A_PAGE = 5
# The fastest settings for the bare model: on two cores, larger batches take 10% longer.
_BATCH_TEXTS, _BATCH_TOKENS = 32, 512
_TIMEOUT_S = 3_600.0


def measure_ingest(
    *,
    pages: int,
    scans: int,
    seed: int,
    rounds: int,
    workers: int,
    cache_folder: Path,
    whole: bool = True,
    on_step: Callable[[str], None] = lambda step: None,
) -> dict[str, Any]:
    """Measure ingestion on about ``pages`` born-digital pages and ``scans`` scanned ones, generated from ``seed``.

    Each part and its engine (pdfplumber's text extraction, Tesseract, the embedding model) take turns in this process,
    ``rounds`` times after a warm-up. With ``whole``, ``golden ingest`` then ingests all documents, with one worker and
    with ``workers``. Returns plain values; their names contain the units.

    Raises:
        InvalidInput: ``pages``, ``rounds`` or ``workers`` is below 1.
        Unavailable: Tesseract or the embedding model is missing, or ``golden ingest`` fails.
    """
    if min(rounds, workers, pages) < 1 or scans < 0:
        raise InvalidInput("specify at least one round, one page and one worker", field="pages")
    result = conditions("ingest", seed=seed, pages=pages, scans=scans, rounds=rounds, workers=workers)
    with tempfile.TemporaryDirectory(prefix="golden-bench-") as name:
        folder = Path(name)
        on_step(f"making {pages} pages and {scans} scans")
        documents = folder / "documents"
        documents.mkdir()
        path = documents / "manual.pdf"
        make_document(path, pages=pages, seed=seed)
        on_step("reading born-digital pages, and pdfplumber's text alone")
        found = [_take_turns("born-digital", "pages", lambda: _read(path), lambda: _plain_text(path), rounds)]
        if scans:
            images = make_scans(path, scans, documents, seed=seed)
            on_step("reading scanned pages, and tesseract alone")
            pdfs, ocr = sorted(documents.glob("scan-*.pdf")), TesseractOcr(language="eng")
            found.append(
                _take_turns(
                    "OCR", "pages", lambda: sum(_read(each, ocr) for each in pdfs), lambda: _tesseract(images), rounds
                )
            )
        on_step("passages, and the embedding model alone")
        found.append(_embedding(path, cache_folder, rounds))
        result["comparisons"] = found
        result["whole"] = []
        for count in dict.fromkeys((1, workers)) if whole else ():
            on_step(f"golden ingest, {count} worker{'s' if count > 1 else ''}")
            result["whole"].append(_ingest(documents, folder / f"bot-{count}", count, pages + scans))
    return result


def make_document(path: Path, *, pages: int, seed: int) -> None:
    """Write a born-digital PDF with a heading, prose, a list and a ruled table per page; ``seed`` sets the text."""
    from reportlab.lib import colors
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import ListFlowable, PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table

    draw, styles = random.Random(seed), getSampleStyleSheet()
    words = [word for word in top_n_list("en", 8_000) if word.isalpha() and word.isascii() and len(word) > 1]
    weights = [1.0 / (rank + 3.0) for rank in range(len(words))]  # Zipf's law

    def sentence() -> str:
        return " ".join(draw.choices(words, weights, k=draw.randint(6, 24))).capitalize() + "."

    story: list[Any] = []
    for number in range(1, pages + 1):
        story.append(Paragraph(f"{number} {' '.join(draw.sample(words[1_000:], 3)).title()}", styles["Heading2"]))
        story += [
            Paragraph(" ".join(sentence() for _ in range(draw.randint(2, 5))), styles["BodyText"])
            for _ in range(_PARAGRAPHS_A_PAGE)
        ]
        story.append(ListFlowable([Paragraph(sentence(), styles["BodyText"]) for _ in range(3)], bulletType="bullet"))
        rows = [draw.sample(words[1_000:], 4), *([f"{draw.uniform(0, 500):.1f} ms"] * 4 for _ in range(5))]
        story += [Spacer(1, 8), Table(rows, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black)]), PageBreak()]
    SimpleDocTemplate(str(path), invariant=1).build(story)


def make_scans(source: Path, count: int, folder: Path, *, seed: int) -> list[Path]:
    """Write the first pages of a PDF as grey scans with grain and specks, each page as a PDF and as a PNG."""
    noise = np.random.default_rng(seed)
    images = []
    for page in range(1, count + 1):
        clean = np.asarray(render_page(source, page, dpi=SCAN_DPI, grey=True).image, dtype=np.float32)
        grainy = np.clip(clean * 0.94 + 8.0, 0, 255) + noise.normal(0.0, 10.0, clean.shape)
        grainy[noise.random(clean.shape) < 15 / 1e6] = 60.0
        image = Image.fromarray(np.clip(grainy, 0, 255).astype(np.uint8))
        image.save(folder / f"scan-{page}.pdf", format="PDF", resolution=SCAN_DPI, quality=80)
        images.append(folder.parent / f"scan-{page}.png")
        image.save(images[-1])
    return images


def _read(path: Path, ocr: TesseractOcr | None = None) -> int:
    return len(tuple(reader_for(path).read(path, IngestionLimits(), ocr)))


def _plain_text(path: Path) -> int:
    import pdfplumber

    with pdfplumber.open(path) as pdf:
        for page in pdf.pages:
            page.extract_text()
            page.close()
        return len(pdf.pages)


def _tesseract(images: Sequence[Path]) -> int:
    for image in images:
        command = ["tesseract", str(image), "stdout", "-l", "eng", "tsv"]
        try:
            subprocess.run(command, env={**os.environ, "OMP_THREAD_LIMIT": "1"}, capture_output=True, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            raise Unavailable(f"Tesseract could not read a page ({error}); check that it is installed") from error
    return len(images)


def _embedding(path: Path, cache_folder: Path, rounds: int) -> dict[str, Any]:
    """Embed a document's blocks through the embedder and, longest first, through its bare model in ONNX Runtime."""
    pages = reader_for(path).read(path, IngestionLimits(), None)
    texts = [block.text for page in pages for block in page.blocks]
    embedder = OnnxEmbedder(find_default_model(), cache_folder)
    bare = _bare_model(cache_folder)
    return _take_turns(
        "passages", "texts", lambda: len(asyncio.run(embedder.embed_documents(texts))), lambda: bare(texts), rounds
    )


def _bare_model(cache_folder: Path) -> Callable[[Sequence[str]], int]:
    """Return a function that embeds texts of similar length with the bare ONNX model, and returns their number."""
    import onnxruntime
    from tokenizers import Tokenizer

    folder = find_default_model()
    options: Any = onnxruntime.SessionOptions()
    options.intra_op_num_threads = usable_cores()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    graph = cached_graph(folder, cache_folder, read_revision(folder))
    session: Any = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.enable_padding()

    def embed(texts: Sequence[str]) -> int:
        ordered = sorted(texts, key=len, reverse=True)
        start = 0
        while start < len(ordered):
            width = len(tokenizer.encode(ordered[start]).ids)
            batch = tokenizer.encode_batch(ordered[start : start + max(1, min(_BATCH_TEXTS, _BATCH_TOKENS // width))])
            tokens = np.array([each.ids for each in batch], dtype=np.int32)
            mask = np.array([each.attention_mask for each in batch], dtype=np.int32)
            session.run(["sentence"], {"input_ids": tokens, "attention_mask": mask})
            start += len(batch)
        return len(texts)

    return embed


def _take_turns(name: str, unit: str, ours: Callable[[], int], bare: Callable[[], int], rounds: int) -> dict[str, Any]:
    """Run the two alternately, ``rounds`` times after a warm-up; the ratio is the median of the rounds' ratios."""
    speeds: list[tuple[float, float]] = []
    for number in range(rounds + 1):
        pair = []
        for run in (ours, bare):
            started = time.perf_counter()
            done = run()
            pair.append(done / (time.perf_counter() - started))
        if number:
            speeds.append((pair[0], pair[1]))
    ratios = [one / other for one, other in speeds]
    return {
        "name": name,
        "unit": unit,
        "ours_per_s": statistics.median(one for one, _ in speeds),
        "bare_per_s": statistics.median(other for _, other in speeds),
        "ratio": statistics.median(ratios),
        "ratios": ratios,
    }


def _ingest(documents: Path, data: Path, workers: int, pages: int) -> dict[str, Any]:
    """Run ``golden ingest`` in a fresh process that ignores this machine's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GOLDEN_")}
    environment = {**kept, "GOLDEN_DATA_DIR": str(data), "GOLDEN_WORKERS": str(workers)}
    command = [sys.executable, "-m", "golden_retriever", "ingest", str(documents)]
    started = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    seconds = time.perf_counter() - started
    if done.returncode:
        raise Unavailable(f"golden ingest failed ({done.returncode}): {done.stderr.strip()[-500:]}")
    largest_kb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return {
        "workers": workers,
        "seconds": seconds,
        "pages_per_s": pages / seconds,
        "largest_process_mb": largest_kb * 1024 / 1e6,
    }


def render_ingest(result: dict[str, Any]) -> str:
    """Return two tables: the comparisons with their ratios, and the whole runs with their memory use."""
    rows = [
        [
            f"{each['name']}, {each['unit']} a second",
            f"{each['ours_per_s']:.2f}",
            f"{each['bare_per_s']:.2f}",
            f"{each['ratio']:.2f} ({min(each['ratios']):.2f} to {max(each['ratios']):.2f})",
        ]
        for each in result["comparisons"]
    ]
    lines = [
        heading(result),
        f"{result['pages']} pages, {result['scans']} scans; the target is a ratio of at least {TARGET_RATIO:g}",
        "",
        *text_table([["", "ours", "bare engine", "ratio (spread)"], *rows]),
    ]
    if result["whole"]:
        cells = [
            [
                f"{run['workers']} workers",
                f"{run['seconds']:.1f}",
                f"{run['pages_per_s']:.2f}",
                f"{run['largest_process_mb']:.0f}",
            ]
            for run in result["whole"]
        ]
        lines += ["", *text_table([["golden ingest", "seconds", "pages a second", "peak MB, largest process"], *cells])]
    return "\n".join(lines)
