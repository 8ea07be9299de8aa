"""The speed of ingestion as a table for people and as plain values for machines."""

from dataclasses import asdict
from typing import Any

from golden_lab.speed.ingest import FASTEST_PATH, IngestSpeed, SideBySide, WholeRun
from golden_lab.speed.tables import table

_BARE = {
    "born-digital": "pdfplumber, text alone",
    "OCR": "tesseract by itself",
    "passages": "the embedding model by itself",
    FASTEST_PATH: "the embedding model by itself, on OpenVINO",
    "with summaries": "the embedding model by itself",
}
_NOTES = (
    "born-digital: all of it up to blocks; OCR: pages of a PDF; passages: split, mined, embedded, stored in SQL",
    "with summaries: each section summarised too, from the vectors of its sentences; nothing is promised for it",
)
# OpenVINO in bf16 over ONNX Runtime in fp32, passages a second at 128 and 256 tokens: 186 / 92 and 92 / 45.
# Source: measured on 2026-11-20 on 2 cores with AVX-512 and its bf16 extension, all-MiniLM-L6-v2; cosine .99998.
_OPENVINO_SPEED = 2.0


def render_ingest(speed: IngestSpeed) -> str:
    """Return tables: each comparison with its ratio and spread, and the whole runs with phases and memory."""
    load = "" if speed.load_average is None else f", load {speed.load_average:.1f}"
    rows = [_comparison_row(each) for each in speed.comparisons]
    lines = [
        f"ingestion at revision {speed.revision}, seed {speed.seed}; {speed.machine}{load}",
        f"{speed.pages} pages, {speed.scans} scans, {speed.rounds} rounds after a warm-up, {speed.workers} workers",
        "",
        *table(["a second", "ours", "bare", "ratio (spread)", "by CPU", "", "bare engine"], rows),
        *_NOTES,
        *_fastest_path(speed),
    ]
    if speed.whole:
        lines += ["", *table(["golden ingest", *(f"{run.workers} workers" for run in speed.whole)], _whole_rows(speed))]
        lines.append("phases: seconds summed over the documents, of which several are in work at once")
    for each in speed.comparisons:
        if each.target is not None:
            word = "met" if each.met else "MISSED"
            lines.append(f"{word:<7} {each.name}, {each.unit} a second: {each.ratio:.2f} ×, at least {each.target:g} ×")
    return "\n".join(lines)


def ingest_as_json(speed: IngestSpeed) -> dict[str, Any]:
    """Return plain JSON values; speeds are a second, memory in MB, times in seconds as the names say."""
    return {
        "bench": "ingest",
        "revision": speed.revision,
        "machine": speed.machine,
        "load_average": speed.load_average,
        "seed": speed.seed,
        "pages": speed.pages,
        "scans": speed.scans,
        "rounds": speed.rounds,
        "workers": speed.workers,
        "comparisons": [
            {
                "name": each.name,
                "unit": each.unit,
                "bare_engine": _BARE.get(each.name, ""),
                "ours_per_s": each.per_s(each.ours),
                "bare_per_s": each.per_s(each.bare),
                "ratio": each.ratio,
                "ratios": list(each.ratios),
                "cpu_ratio": each.cpu_ratio,
                "target": each.target,
                "met": each.met,
            }
            for each in speed.comparisons
        ],
        "whole": [
            {
                "workers": run.workers,
                "pages": run.pages,
                "seconds": run.seconds,
                "pages_per_s": run.pages / run.seconds,
                "phases_s": dict(run.phases),
                "memory": asdict(run.memory) if run.memory else None,
            }
            for run in speed.whole
        ],
    }


def _fastest_path(speed: IngestSpeed) -> list[str]:
    """Say how much OpenVINO gains on the passages; where it is not installed, by its speed measured elsewhere."""
    named = {each.name: each for each in speed.comparisons}
    passages, fast = named.get("passages"), named.get(FASTEST_PATH)
    if passages is None:
        return []
    if fast is not None:
        ours = fast.per_s(fast.ours) / passages.per_s(passages.ours)
        bare = fast.per_s(fast.bare) / passages.per_s(passages.bare)
        return [
            f"fastest path: passages with GOLDEN_EMBEDDING_RUNTIME=openvino, {ours:.2f} × as many; bare {bare:.2f} ×"
        ]
    share = passages.ratio / _OPENVINO_SPEED
    return [f"OpenVINO in bf16, not installed, was measured at {_OPENVINO_SPEED:g} × this model: {share:.2f} × of that"]


def _comparison_row(each: SideBySide) -> list[str]:
    verdict = "" if each.met is None else "meets" if each.met else "misses"
    return [
        f"{each.name}, {each.unit}",
        f"{each.per_s(each.ours):.2f}",
        f"{each.per_s(each.bare):.2f}",
        f"{each.ratio:.2f} ({min(each.ratios):.2f} to {max(each.ratios):.2f})",
        f"{each.cpu_ratio:.2f}",
        verdict,
        _BARE.get(each.name, ""),
    ]


def _whole_rows(speed: IngestSpeed) -> list[list[str]]:
    runs = speed.whole
    names = list(dict.fromkeys(name for run in runs for name, _ in run.phases))
    rows = [
        ["pages a second", *(f"{run.pages / run.seconds:.2f}" for run in runs)],
        ["seconds, start to end", *(f"{run.seconds:.1f}" for run in runs)],
        *([f"  {name}", *(f"{dict(run.phases).get(name, 0.0):.1f}" for run in runs)] for name in names),
    ]
    for label, field in (
        ("peak MB, parent", "parent_mb"),
        ("peak MB, largest worker", "largest_child_mb"),
        ("peak MB, all at once", "together_mb"),
    ):
        rows.append([label, *(_memory_cell(run, field) for run in runs)])
    return rows


def _memory_cell(run: WholeRun, field: str) -> str:
    return f"{getattr(run.memory, field):.0f}" if run.memory else "–"
