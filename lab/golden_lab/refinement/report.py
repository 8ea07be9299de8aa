"""The report of a study of refinement, as JSON and Markdown."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from golden_lab.intervals import Interval
from golden_lab.refinement.analysis import ShapeResult, Study
from golden_lab.refinement.conditions import COMPARISONS, CONDITIONS
from golden_lab.refinement.metrics import LENGTH, METRICS
from golden_lab.statistics import PairedDifference
from golden_lab.tables import markdown_table


def write_study(study: Study, folder: Path) -> tuple[Path, Path]:
    """Write refinement.json and refinement.md into ``folder``, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    as_json, as_text = folder / "refinement.json", folder / "refinement.md"
    values = {"study": "refinement", "conditions": dict(CONDITIONS), **asdict(study)}
    as_json.write_text(json.dumps(values, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    as_text.write_text(to_markdown(study), encoding="utf-8")
    return as_json, as_text


def to_markdown(study: Study) -> str:
    """Return the study as Markdown."""
    lines = ["# What refinement after the draft is worth", ""]
    seeds = ", ".join(str(each) for each in study.plan.seeds)
    lines += [
        f"Writer: {study.model}, temperature {study.temperature:g}, seeds {seeds}. Revision {study.revision}, begun "
        f"{study.begun}, {study.machine}. D fires below the {study.plan.quantile:.0%} quantile of S3 over the first "
        f"drafts. Flagged for v2a, v2b and v2c: {study.flags}. Brackets hold 95 % intervals; questions are drawn, with "
        "all their seeds.",
        "",
        *(f"- {name}: {what}" for name, what in CONDITIONS.items()),
        "",
        *(f"Note: {note}." for note in study.notes),
    ]
    for shape in study.shapes:
        lines += ["", *_shape(shape, study)]
    return "\n".join(lines).rstrip() + "\n"


def _shape(result: ShapeResult, study: Study) -> Iterator[str]:
    yield f"## {result.shape}: {result.questions} questions, {result.answers} first drafts"
    yield ""
    present = [metric for metric in METRICS if any(metric in each.metrics for each in result.conditions)]
    yield from markdown_table(
        ["condition", *present, "written again", "replies", "characters"],
        [
            [
                each.condition,
                *(_interval(each.metrics.get(metric), metric) for metric in present),
                f"{each.fired:.0%}",
                f"{each.calls:.2f}",
                f"{each.characters:.2f}",
            ]
            for each in result.conditions
        ],
    )
    yield ""
    yield (
        "Replies and characters of replies by those of one first draft (A): what a question costs. Repeat themselves, "
        "cut: the share of texts with a reply that was ended where it repeated itself, or at its most tokens; as in "
        "the product, such a draft is no answer, and counts as empty."
    )
    yield ""
    yield from _differences(result, present)
    yield from _judged(result, study)
    yield from _quartiles(result)
    signals = "; ".join(f"{name} {_interval(found)}" for name, found in result.signals.items())
    yield f"Signals of the first drafts: {signals}. D's threshold: {result.threshold:.3f}."
    if result.faithfulness:
        areas = "; ".join(f"{name} {_interval(found)}" for name, found in result.faithfulness.items())
        yield ""
        yield f"ABPC, how faithful the attribution is (positive: it names the tokens that matter): {areas}."


def _differences(result: ShapeResult, metrics: Sequence[str]) -> Iterator[str]:
    found = {(each.first, each.second, each.metric): each.difference for each in result.differences}
    yield "### Differences"
    yield ""
    rows = [
        [f"{one} - {other}", *(_difference(found.get((one, other, metric)), metric) for metric in metrics)]
        for one, other in COMPARISONS
        if any((one, other, metric) in found for metric in metrics)
    ]
    yield from markdown_table(["", *metrics], rows)
    yield ""


def _judged(result: ShapeResult, study: Study) -> Iterator[str]:
    if not result.judged:
        return
    yield f"### Judged in pairs, blindly ({study.judge})"
    yield ""
    rows = [
        [
            f"{each.first} against {each.second}",
            f"{each.wins}",
            f"{each.ties}",
            f"{each.losses}",
            _difference(each.mean),
        ]
        for each in result.judged
    ]
    yield from markdown_table(["", "wins", "ties", "losses", "mean of 1, 0, -1"], rows)
    if result.inconsistent is not None:
        yield ""
        yield f"In {result.inconsistent:.0%} of the pairs the winner changed with the position: these are ties."
    yield ""


def _quartiles(result: ShapeResult) -> Iterator[str]:
    if not result.quartiles:
        return
    yield "### By S3 of the first draft: every draft written again, minus A"
    yield ""
    rows = [
        [
            f"Q{each.quartile}",
            f"{each.questions}",
            f"{each.lowest:.2f} to {each.highest:.2f}",
            _difference(each.judged),
            _difference(each.precision),
        ]
        for each in result.quartiles
    ]
    yield from markdown_table(["", "questions", "S3", "judged", "citation precision"], rows)
    yield ""
    yield "A gain that is largest in Q4 says that the trigger points the right way: low overlap is where it helps."
    yield ""


def _interval(found: Interval | None, metric: str = "") -> str:
    if found is None:
        return "–"
    digits = 0 if metric == LENGTH else 3
    return f"{found.value:.{digits}f} [{found.low:.{digits}f}, {found.high:.{digits}f}]"


def _difference(found: PairedDifference | None, metric: str = "") -> str:
    if found is None:
        return "–"
    digits = 0 if metric == LENGTH else 3
    return f"{found.difference:+.{digits}f} [{found.low:+.{digits}f}, {found.high:+.{digits}f}]"
