"""The report of an experiment, as Markdown, as one page made of it, and as JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any

import evaluation.report
from evaluation.intervals import Interval
from evaluation.report.cells import number, signed
from evaluation.report.files import write_texts
from evaluation.report.html import figure_element
from evaluation.report.markdown import escape as escape_markdown
from golden_lab.experiments.analysing import FEWEST_CASES, MANY_CASES, ArmDifference, ArmFigure
from golden_lab.experiments.claims import ROUGE
from golden_lab.experiments.form import METRICS, Experiment
from golden_lab.experiments.judging import ANSWERED
from golden_lab.experiments.judging import METRICS as GRADES
from golden_lab.experiments.running import ExperimentReport
from golden_lab.judge.agreement import AgreementReport
from golden_lab.triples.metrics import METRIC_TITLES

_MOST_FAILURES = 20
_TITLES: Mapping[str, str] = {
    **METRIC_TITLES, "rouge_1": "ROUGE-1 (F1)", "rouge_l": "ROUGE-L (F1)", "f1": "F1 ref", "precision": "Prec ref",
    "recall": "Rec ref", "self_knowledge": "SK", "parametric_knowledge_precision": "PKP", "parametric_rate": "PR",
    "context_utilisation": "CU", "user_utilisation": "UU",
}  # fmt: skip
# What TRIFEX, section 4.2, reports of the five fine-tuned models.
_PUBLISHED_DECOMPOSITION = (
    "Published (TRIFEX, section 4.2): 75 % from log PR, 19 % from log PKP; CV 0.239, 0.058, 0.209."
)


def write_experiment(report: ExperimentReport, folder: Path) -> tuple[Path, ...]:
    """Write report.json, report.md and report.html into ``folder``, and return their paths."""
    texts = {
        ".json": json.dumps(report_as_json(report), ensure_ascii=False, indent=1) + "\n",
        ".md": report_as_markdown(report),
        ".html": _page(report),
    }
    return write_texts(texts, folder, "report")


def report_as_json(report: ExperimentReport) -> dict[str, Any]:
    """Return the report as values of JSON; the plots are left out."""
    content = asdict(report)
    content["experiment"] = report.experiment.model_dump(mode="json")
    del content["findings"]["plots"]
    return content


def report_as_markdown(report: ExperimentReport) -> str:
    """Return the report as text; plots are left to the page."""
    return "\n".join(_lines(report)).rstrip() + "\n"


def _page(report: ExperimentReport) -> str:
    """Return the Markdown as one HTML file with its style, and the plots behind it."""
    from markdown_it import MarkdownIt

    style = Path(str(evaluation.report.__file__)).with_name("page.css").read_text(encoding="utf-8")
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(report_as_markdown(report))
    plots = "\n".join(map(figure_element, report.findings.plots))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(report.experiment.name)}</title><style>\n{style}</style></head>"
        f"<body><main>\n{body}\n{plots}</main></body></html>\n"
    )


def _lines(report: ExperimentReport) -> Iterator[str]:
    yield from (f"# Experiment: {report.experiment.name}", "", escape_markdown(report.experiment.description), "")
    yield from _about(report)
    if report.findings.hypotheses:
        yield from _hypotheses(report)
    for condition in report.conditions:
        yield from _figures(report, condition)
    if report.findings.differences:
        yield from _differences(report)
    if report.experiment.scorer == "trifex":
        yield from _knowledge(report)
    yield from _answers(report)
    yield from _scorer(report)


def _section(title: str, *words: str) -> Iterator[str]:
    yield from (f"## {escape_markdown(title)}", "")
    for each in words:
        yield from (escape_markdown(each), "")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(map(escape_markdown, heads))} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(map(escape_markdown, row))} |"
    yield ""


def _notes(notes: Sequence[str]) -> Iterator[str]:
    yield from (f"- {escape_markdown(note)}" for note in notes)
    if notes:
        yield ""


def _about(report: ExperimentReport) -> Iterator[str]:
    asked = "" if report.asked_revision == report.revision else f" (answers asked at {report.asked_revision})"
    experiment = report.experiment
    greedy = "greedy" if not experiment.temperature else f"temperature {experiment.temperature:g}"
    yield from _section(
        "What was run",
        f"After {experiment.source}.",
        f"Revision {report.revision}{asked}, begun {report.begun}, {report.machine}.",
        f"{report.questions:,} questions, {report.cases:,} cases of {report.cases_file} (SHA-256 "
        f"{report.cases_sha256[:16]}…). Answers: {greedy}, seeds {', '.join(map(str, experiment.seeds))}. "
        f"Scored by {report.findings.scorer}. Intervals are 95 %, by bootstrap over cases, seed {report.seed}.",
    )
    yield from _notes([f"{note[0].upper()}{note[1:]}." for note in report.notes])


def _hypotheses(report: ExperimentReport) -> Iterator[str]:
    rows = [
        (
            f"{_pair(report.experiment, each.better, each.worse, 'over')}: {each.because}",
            each.condition,
            _TITLES.get(each.metric, each.metric),
            *_difference_cells(each.tested),
            each.verdict,
        )
        for each in report.findings.hypotheses
    ]
    yield from _section("Hypotheses")
    heads = ("hypothesis", "condition", "metric", "difference (95 %)", "p (Holm)", "n", "verdict")
    yield from _table(*_without_empty(heads, rows))
    notes = ["Supported: better, at a corrected p below 0.05. Not shown is not refuted: no difference was found."]
    if any(FEWEST_CASES <= each.tested.n < MANY_CASES for each in report.findings.hypotheses):
        notes.append(f"Fewer than {MANY_CASES} cases: intervals by bootstrap are rather too narrow then. Ask more.")
    yield from _notes(notes)


def _figures(report: ExperimentReport, condition: str) -> Iterator[str]:
    experiment, found = report.experiment, report.findings
    metrics = (*METRICS["trifex"], *ROUGE) if experiment.scorer == "trifex" else (*GRADES, ANSWERED)
    by_place = {(each.arm, each.metric): each for each in found.figures if each.condition == condition}
    rows = []
    for arm in experiment.arms:
        cells = [by_place[arm.name, metric] for metric in metrics]
        rows.append((arm.label, *(_figure(each) for each in cells), f"{cells[0].n:,}"))
    title = "Grades, 1 to 5" if experiment.scorer == "judge" else "Claims"
    yield from _section(f"{title}: {condition}" if condition else title)
    yield from _table(("arm", *(_TITLES.get(each, each) for each in metrics), "n"), rows)
    few = any(0 < each.n < FEWEST_CASES for each in by_place.values())
    notes = [f"Fewer than {FEWEST_CASES} cases: too few for an interval, and none is shown."] if few else []
    published = [each for each in experiment.published if each.condition == condition]
    if published:
        known = {arm.name: arm.label for arm in experiment.arms}
        shown = [metric for metric in metrics if any(metric in each.values for each in experiment.published)]
        theirs = [
            (known.get(each.arm, each.arm), each.by, *(_number_or_dash(each.values.get(metric)) for metric in shown))
            for each in published
        ]
        yield from _table(("published", "scored by", *(_TITLES.get(each, each) for each in shown)), theirs)
        notes.append(f"The second table is published, on other data: {experiment.published_on}.")
    yield from _notes(notes)


def _differences(report: ExperimentReport) -> Iterator[str]:
    rows = [
        (
            _pair(report.experiment, each.first, each.second, "−"),
            each.condition,
            _TITLES.get(each.metric, each.metric),
            *_difference_cells(each),
        )
        for each in report.findings.differences
    ]
    yield from _section(
        "Differences",
        "Paired by case, over the cases that both arms have. p is corrected for all differences in that metric.",
    )
    yield from _table(*_without_empty(("", "condition", "metric", "difference (95 %)", "p (Holm)", "n"), rows))


def _knowledge(report: ExperimentReport) -> Iterator[str]:
    found = report.findings.decomposition
    words = f"No decomposition: {report.findings.not_decomposed}."
    if found is not None:
        words = (
            f"Variance of log SK over conditions, {found.systems} arms: {found.rate_share:.0%} from log PR, "
            f"{found.precision_share:.0%} from log PKP, {found.covariance_share:.0%} from their covariance. "
            f"Coefficients of variation: SK {found.self_knowledge_variation:.3f}, PKP {found.precision_variation:.3f}, "
            f"PR {found.rate_variation:.3f}."
        )
    claims = [f"{each.system} / {each.condition} / {each.id}: {each.claim}" for each in report.findings.unsupported]
    yield from _section(
        "What moves self-knowledge",
        words,
        _PUBLISHED_DECOMPOSITION,
        "Claims that no source supports, of the answers with most of them:",
    )
    yield from _notes(claims or ["none"])


def _answers(report: ExperimentReport) -> Iterator[str]:
    heads = ("arm", "model", "context", "asked", "answered", "declined", "empty", "cut", "failed", "not scored", "ms")
    rows = []
    for each in report.counts:
        arm = report.experiment.arm(each.arm)
        context = f"{arm.context}, {arm.passages}" if arm.searches else arm.context
        counts = (each.asked, each.answered, each.declined, each.empty, each.cut, each.failed, each.not_scored)
        rows.append((arm.label, each.model, context, *(f"{one:,}" for one in counts), f"{each.median_ms:.0f}"))
    yield from _section(
        "Answers", "What failed or was not scored counts in no figure of that arm; the same command tries it again."
    )
    yield from _table(heads, rows)
    some = report.failures[:_MOST_FAILURES]
    failures = [f"{each.arm} / {each.case}, not {_STAGES[each.stage]}: {each.reason}" for each in some]
    more = len(report.failures) - len(some)
    yield from _notes([*failures, *([f"{more:,} more in report.json"] if more else [])])


_STAGES = {"asked": "answered", "scored": "scored"}


def _scorer(report: ExperimentReport) -> Iterator[str]:
    found = report.findings
    if report.experiment.scorer == "trifex":
        yield from _section(
            "The scorer",
            f"{found.scorer}. Claims that it misses or attributes wrongly move every figure here; golden-lab all "
            "--only 'triple*' measures how often it does.",
        )
        return
    yield from _section("The judge", f"The judge: {found.scorer}, {found.calibration}.")
    if found.agreement is None:
        yield "It was not held against people on such answers: give a scored gold set with --gold for that."
    else:
        yield from _agreement(found.agreement)


def _agreement(report: AgreementReport) -> Iterator[str]:
    rows = [
        (row.criterion, f"{row.n:,}", *map(_interval, (row.spearman, row.kendall, row.within_one, row.bias)))
        for row in report.rows
    ]
    yield from _table(("against people", "n", "Spearman", "Kendall", "within a point", "judge − person"), rows)


def _without_empty(
    heads: Sequence[str], rows: Sequence[tuple[str, ...]]
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Leave out the columns in which nothing stands."""
    kept = [at for at in range(len(heads)) if any(row[at] for row in rows)]
    return tuple(heads[at] for at in kept), [tuple(row[at] for at in kept) for row in rows]


def _pair(experiment: Experiment, first: str, second: str, word: str) -> str:
    return f"{experiment.arm(first).label} {word} {experiment.arm(second).label}"


def _figure(figure: ArmFigure) -> str:
    if figure.value is None:
        return "n/a"
    return number(figure.value) if figure.interval is None else _interval(figure.interval)


def _number_or_dash(value: float | None) -> str:
    return "–" if value is None else number(value)


def _interval(found: Interval | None) -> str:
    return "n/a" if found is None else f"{number(found.value)} ({number(found.low)} to {number(found.high)})"


def _difference_cells(each: ArmDifference) -> tuple[str, str, str]:
    found = each.difference
    if found is None:
        few = each.n < FEWEST_CASES
        return (f"too few cases for one ({each.n})" if few else "n/a", "", f"{each.n:,}")
    p = "" if each.adjusted_p is None else f"{each.adjusted_p:.3g}"
    return f"{signed(found.difference)} ({signed(found.low)} to {signed(found.high)})", p, f"{each.n:,}"
