"""The report of an experiment, as Markdown and as JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from golden_lab.experiments.figures import FEWEST_CASES, ArmDifference, ArmFigure
from golden_lab.experiments.run import ExperimentReport
from golden_lab.intervals import Interval
from golden_lab.report.files import write_texts
from golden_lab.report.markdown import escape, number, signed, table
from golden_lab.triples.report import decomposition_text

_MOST_FAILURES = 20
_TITLES: Mapping[str, str] = {
    "rouge_1": "ROUGE-1 (F1)", "rouge_l": "ROUGE-L (F1)", "f1": "F1 ref", "precision": "Prec ref",
    "recall": "Rec ref", "self_knowledge": "SK", "parametric_knowledge_precision": "PKP", "parametric_rate": "PR",
    "context_utilisation": "CU", "user_utilisation": "UU",
}  # fmt: skip
# The results of TRIFEX, section 4.2, for the five fine-tuned models.
_PUBLISHED_DECOMPOSITION = (
    "Published (TRIFEX, section 4.2): 75 % from log PR, 19 % from log PKP; CV 0.239, 0.058, 0.209."
)


def write_experiment(report: ExperimentReport, folder: Path) -> tuple[Path, ...]:
    """Write report.json and report.md into ``folder``, and return their paths."""
    content = asdict(report) | {"experiment": report.experiment.model_dump(mode="json")}
    texts = {".json": json.dumps(content, ensure_ascii=False, indent=1) + "\n", ".md": report_as_markdown(report)}
    return write_texts(texts, folder, "report")


def report_as_markdown(report: ExperimentReport) -> str:
    """Return the report as text."""
    return "\n".join(_lines(report)).rstrip() + "\n"


def _lines(report: ExperimentReport) -> Iterator[str]:
    experiment = report.experiment
    yield from (f"# Experiment: {experiment.name}", "", escape(experiment.description), "")
    yield from _section(
        "What was run",
        f"After {experiment.source}.",
        f"Revision {report.revision}, begun {report.begun}, {report.machine}.",
        f"{report.questions:,} questions, {report.cases:,} cases of {report.cases_file} (SHA-256 "
        f"{report.cases_sha256[:16]}…). Answers are greedy. Scored by {report.scorer}. Intervals are 95 %, by "
        f"bootstrap over cases, seed {report.seed}; with fewer than {FEWEST_CASES} cases none is shown.",
    )
    yield from _list(report.notes)
    for condition in report.conditions:
        yield from _figures(report, condition)
    if report.differences:
        yield from _differences(report)
    if experiment.scorer == "trifex":
        yield from _knowledge(report)
    yield from _answers(report)


def _section(title: str, *words: str) -> Iterator[str]:
    yield from (f"## {escape(title)}", "")
    for each in words:
        yield from (escape(each), "")


def _list(notes: Sequence[str]) -> Iterator[str]:
    yield from (f"- {escape(note)}" for note in notes)
    if notes:
        yield ""


def _figures(report: ExperimentReport, condition: str) -> Iterator[str]:
    experiment = report.experiment
    by_arm: dict[str, list[ArmFigure]] = {}
    for figure in report.figures:
        if figure.condition == condition:
            by_arm.setdefault(figure.arm, []).append(figure)
    metrics = [each.metric for each in next(iter(by_arm.values()))]
    rows = [(experiment.arm(arm).label, *map(_figure, found), f"{found[0].n:,}") for arm, found in by_arm.items()]
    title = "Grades, 1 to 5" if experiment.scorer == "judge" else "Claims"
    yield from _section(f"{title}: {condition}" if condition else title)
    yield from (*table(("arm", *(_TITLES.get(each, each) for each in metrics), "n"), rows), "")
    published = [each for each in experiment.published if each.condition == condition]
    if published:
        labels = {arm.name: arm.label for arm in experiment.arms}
        shown = [metric for metric in metrics if any(metric in each.values for each in published)]
        theirs = [
            (labels.get(each.arm, each.arm), each.by, *(_number(each.values.get(metric)) for metric in shown))
            for each in published
        ]
        yield from (escape(f"Published, on other data: {experiment.published_on}."), "")
        yield from (*table(("published", "scored by", *(_TITLES.get(each, each) for each in shown)), theirs), "")


def _differences(report: ExperimentReport) -> Iterator[str]:
    label = {arm.name: arm.label for arm in report.experiment.arms}
    rows = [
        (
            f"{label[each.first]} − {label[each.second]}",
            each.condition,
            _TITLES.get(each.metric, each.metric),
            _difference(each),
            "" if each.adjusted_p is None else f"{each.adjusted_p:.3g}",
            f"{each.n:,}",
        )
        for each in report.differences
    ]
    yield from _section(
        "Differences",
        "Paired by case, over the cases that both arms have. p is corrected for all differences in that metric.",
    )
    yield from (*table(("arms", "condition", "metric", "difference (95 %)", "p (Holm)", "n"), rows), "")


def _knowledge(report: ExperimentReport) -> Iterator[str]:
    words = decomposition_text(report.decomposition, report.not_decomposed)
    claims = [f"{each.system} / {each.condition} / {each.id}: {each.claim}" for each in report.unsupported]
    yield from _section("What moves self-knowledge", words, _PUBLISHED_DECOMPOSITION, "Claims that no source supports:")
    yield from _list(claims or ["none"])


def _answers(report: ExperimentReport) -> Iterator[str]:
    heads = (
        "arm", "model", "context", "asked", "answered", "declined", "empty", "cut", "repeat themselves", "failed",
        "not scored", "ms",
    )  # fmt: skip
    rows = []
    for each in report.counts:
        arm = report.experiment.arm(each.arm)
        context = f"{arm.context}, {arm.passages}" if arm.context == "retrieved" else arm.context
        ends = [f"{one} ({one / each.asked:.0%})" for one in (each.cut, each.repeating)]
        counts = (each.asked, each.answered, each.declined, each.empty)
        counted = (*(f"{one:,}" for one in counts), *ends, f"{each.failed:,}", f"{each.not_scored:,}")
        rows.append((arm.label, each.model, context, *counted, f"{each.median_ms:.0f}"))
    yield from _section(
        "Answers", "What failed or was not scored counts in no figure of that arm; the same command tries it again."
    )
    yield from (*table(heads, rows), "")
    some = report.failures[:_MOST_FAILURES]
    failures = [f"{each.arm} / {each.case}, not {each.stage}: {each.reason}" for each in some]
    more = len(report.failures) - len(some)
    yield from _list([*failures, *([f"{more:,} more in report.json"] if more else [])])


def _figure(figure: ArmFigure) -> str:
    return _number(figure.value) if figure.interval is None else _interval(figure.interval)


def _number(value: float | None) -> str:
    return "n/a" if value is None else number(value)


def _interval(found: Interval) -> str:
    return f"{number(found.value)} ({number(found.low)} to {number(found.high)})"


def _difference(each: ArmDifference) -> str:
    found = each.difference
    if found is None:
        return "too few cases" if each.n < FEWEST_CASES else "n/a"
    return f"{signed(found.difference)} ({signed(found.low)} to {signed(found.high)})"
