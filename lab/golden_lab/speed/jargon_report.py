"""The speed of reading jargon as a table for people and as plain values for machines."""

from typing import Any

from golden_lab.speed.jargon import BASELINE_TERMS, JargonSpeed, SizeMeasure
from golden_lab.speed.jargon_questions import KINDS
from golden_lab.speed.tables import table
from golden_lab.speed.timing import Timing, ratio

_STAGES = ("identification", "senses", "look-up", "reading")
_KIND_NAMES = {
    "": "all questions",
    "known": "known terms",
    "misspelt": "misspelt terms",
    "unknown": "unknown terms",
    "none": "no terms",
}


def render_speed(speed: JargonSpeed) -> str:
    """Return tables: what was loaded, each stage per question beside the smallest dictionary, the plain baseline."""
    load = "" if speed.load_average is None else f", load {speed.load_average:.1f}"
    lines = [
        f"jargon at revision {speed.revision}, seed {speed.seed}; {speed.machine}{load}",
        f"{speed.questions} questions, {speed.rounds} rounds after a warm-up, a fresh process for each size",
        "",
        *table(["", *(f"{size.terms:,} terms" for size in speed.sizes)], _load_rows(speed)),
        "",
        "per question: median / 95th percentile in ms, and × the smallest dictionary's median, by the yardstick",
        *table(["", *(f"{size.terms:,} terms" for size in speed.sizes)], _stage_rows(speed)),
        "look-up: identification and senses; reading: that, drafts, near spellings of the unknown, choice of the sense",
        *_baseline_lines(speed),
    ]
    for target in speed.targets():
        lines.append(
            f"{'met' if target.met else 'MISSED':<7} {target.name}: {target.value:.2f}, below {target.limit:g}"
        )
    return "\n".join(lines)


def speed_as_json(speed: JargonSpeed) -> dict[str, Any]:
    """Return plain JSON values: milliseconds, seconds and MB as the names say; ratios are None where there are none."""
    return {
        "bench": "jargon",
        "revision": speed.revision,
        "machine": speed.machine,
        "load_average": speed.load_average,
        "seed": speed.seed,
        "questions": speed.questions,
        "rounds": speed.rounds,
        "targets": [
            {"name": each.name, "limit": each.limit, "value": each.value, "met": each.met} for each in speed.targets()
        ],
        "sizes": [_size_as_json(speed, size) for size in speed.sizes],
    }


def _size_as_json(speed: JargonSpeed, size: SizeMeasure) -> dict[str, Any]:
    process = size.process
    return {
        "terms": size.terms,
        "senses": size.senses,
        "spellings": process.spellings,
        "import_s": size.import_s,
        "database_mb": size.database_mb,
        "load_s": process.load_s,
        "reload_s": process.reload_s,
        "before_mb": process.before_mb,
        "added_mb": process.added_mb,
        "peak_mb": process.peak_mb,
        "baseline_load_s": process.baseline_load_s,
        "found": process.found,
        "found_or_offered": process.found_or_offered,
        "yardstick": _timing_as_json(process.yardstick),
        "stages": [
            {
                "stage": each.stage,
                "kind": each.kind or "all",
                **_timing_as_json(each.timing),
                "to_smallest": speed.to_smallest(size, each.stage, each.kind),
                "baseline_to_this": _baseline_ratio(size, each.stage, each.kind),
            }
            for each in process.stages
        ],
    }


def _timing_as_json(timing: Timing) -> dict[str, Any]:
    return {
        "calls": timing.calls,
        "median_ms": timing.median_ms,
        "p95_ms": timing.p95_ms,
        "spread": timing.spread,
    }


def _baseline_ratio(size: SizeMeasure, stage: str, kind: str) -> float | None:
    ours, theirs = size.stage(stage, kind), size.stage("baseline", kind)
    return ratio(theirs.timing, ours.timing) if ours and theirs and stage != "baseline" else None


def _load_rows(speed: JargonSpeed) -> list[list[str]]:
    sizes = speed.sizes
    rows = [
        ["senses", *(f"{each.senses:,}" for each in sizes)],
        ["spellings", *(f"{each.process.spellings:,}" for each in sizes)],
        ["import into SQLite", *(f"{each.import_s:.2f} s" for each in sizes)],
        ["database", *(f"{each.database_mb:.1f} MB" for each in sizes)],
        ["first load of the vocabulary", *(f"{each.process.load_s:.2f} s" for each in sizes)],
        ["load after one edit", *(f"{each.process.reload_s * 1000:.1f} ms" for each in sizes)],
        ["memory added by the first load", *(f"{each.process.added_mb:.1f} MB" for each in sizes)],
        ["process with no terms", *(f"{each.process.before_mb:.1f} MB" for each in sizes)],
        ["process at its peak", *(f"{each.process.peak_mb:.1f} MB" for each in sizes)],
        ["yardstick, median (spread)", *(_with_spread(each.process.yardstick) for each in sizes)],
    ]
    for kind in KINDS:
        name = "nothing found, no terms" if kind == "none" else f"all found, {_KIND_NAMES[kind]}"
        rows.append([name, *(f"{each.process.found[kind]:.0%}" for each in sizes)])
        if kind == "misspelt":
            rows.append(["all found or offered", *(f"{each.process.found_or_offered:.0%}" for each in sizes)])
    return rows


def _stage_rows(speed: JargonSpeed) -> list[list[str]]:
    rows = []
    for stage in _STAGES:
        for kind in _KIND_NAMES:
            if all(size.stage(stage, kind) is None for size in speed.sizes):
                continue
            label = stage if not kind else f"  {_KIND_NAMES[kind]}"
            rows.append([label, *(_stage_cell(speed, size, stage, kind) for size in speed.sizes)])
    return rows


def _stage_cell(speed: JargonSpeed, size: SizeMeasure, stage: str, kind: str) -> str:
    found, times = size.stage(stage, kind), speed.to_smallest(size, stage, kind)
    if found is None:
        return "–"
    text = f"{found.timing.median_ms:.2f} / {found.timing.p95_ms:.2f}"
    return text if size is speed.sizes[0] or times is None else f"{text}  ×{times:.2f}"


def _baseline_lines(speed: JargonSpeed) -> list[str]:
    sizes = [size for size in speed.sizes if size.stage("baseline")]
    if not sizes:
        return [f"  no baseline: it is measured for dictionaries of up to {BASELINE_TERMS:,} terms"]
    rows = []
    for kind in _KIND_NAMES:
        cells = [_baseline_cell(size, kind) for size in sizes]
        if any(cells):
            rows.append([_KIND_NAMES[kind], *(cell or "–" for cell in cells)])
    rows.append(["to compile", *(f"{size.process.baseline_load_s or 0.0:.2f} s" for size in sizes)])
    return [
        "",
        "baseline, one regular expression of all spellings (no misspellings, no unknown terms): median in ms, and × of",
        "identification's in the same process",
        *table(["", *(f"{size.terms:,} terms" for size in sizes)], rows),
    ]


def _baseline_cell(size: SizeMeasure, kind: str) -> str:
    found, times = size.stage("baseline", kind), _baseline_ratio(size, "identification", kind)
    if found is None or times is None:
        return ""
    return f"{found.timing.median_ms:.2f}  ×{times:.2f}"


def _with_spread(timing: Timing) -> str:
    return f"{timing.median_ms:.2f} ms ({timing.spread:.0%})"
