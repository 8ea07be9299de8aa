"""The report of an experiment, as Markdown, as one page and as JSON."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

import evaluation.report
from evaluation.intervals import Interval
from evaluation.report.cells import number, signed
from evaluation.report.files import write_texts
from evaluation.report.html import figure_element
from evaluation.report.markdown import escape as escape_markdown
from evaluation.results import Figure
from golden_lab.experiments.analysing import FEWEST_CASES, MANY_CASES, ArmDifference, ArmFigure
from golden_lab.experiments.claims import ROUGE
from golden_lab.experiments.form import METRICS, Experiment
from golden_lab.experiments.judging import ANSWERED
from golden_lab.experiments.judging import METRICS as GRADES
from golden_lab.experiments.running import ExperimentReport
from golden_lab.judge.agreement import AgreementReport
from golden_lab.triples.metrics import METRIC_TITLES

_WITH_INTERVAL = re.compile(r"(\S+) (\(\S+ to \S+\))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Cells as text; ``heads`` name the columns."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a report. ``notes`` stand below the tables."""

    title: str
    words: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()


def as_markdown(title: str, subtitle: str, sections: Sequence[Section]) -> str:
    """Write a report in Markdown; plots are left to the page."""
    lines = [f"# {escape_markdown(title)}", "", escape_markdown(subtitle), ""]
    for section in sections:
        lines += [f"## {escape_markdown(section.title)}", ""]
        for words in section.words:
            lines += [escape_markdown(words), ""]
        for table in section.tables:
            lines += [*_markdown_table(table), ""]
        lines += [*(f"- {escape_markdown(note)}" for note in section.notes), *([""] if section.notes else [])]
    return "\n".join(lines).rstrip() + "\n"


def as_page(title: str, subtitle: str, sections: Sequence[Section]) -> str:
    """Write a report as one HTML file with its style and plots in it."""
    style = Path(str(evaluation.report.__file__)).with_name("page.css").read_text(encoding="utf-8")
    links = "".join(f'<li><a href="#s{at}">{escape(each.title)}</a></li>' for at, each in enumerate(sections))
    body = "\n".join("".join(_section(section, at)) for at, section in enumerate(sections))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>\n{style}</style></head><body>"
        f'<div class="page"><nav aria-label="Contents"><h2>Contents</h2><ul>{links}</ul></nav><main>'
        f'<header><h1>{escape(title)}</h1><p class="subtitle">{escape(subtitle)}</p></header>\n{body}\n'
        "</main></div></body></html>\n"
    )


def _cell(text: str) -> str:
    """Write a cell; an interval behind a number stays on one line."""
    found = _WITH_INTERVAL.fullmatch(text)
    if found is None:
        return f"<td>{escape(text)}</td>"
    return f'<td>{escape(found[1])} <span class="range">{escape(found[2])}</span></td>'


def _markdown_table(table: Table) -> Iterator[str]:
    yield f"| {' | '.join(map(escape_markdown, table.heads))} |"
    yield f"|{'---|' * len(table.heads)}"
    for row in table.rows:
        yield f"| {' | '.join(map(escape_markdown, row))} |"


def _section(section: Section, at: int) -> Iterator[str]:
    yield f'<section id="s{at}"><h2>{escape(section.title)}</h2>'
    for words in section.words:
        yield f'<p class="about">{escape(words)}</p>'
    for table in section.tables:
        heads = "".join(f"<th>{escape(head)}</th>" for head in table.heads)
        rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
        yield f'<div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    for note in section.notes:
        yield f'<p class="note">{escape(note)}</p>'
    for figure in section.figures:
        yield figure_element(figure)
    yield "</section>"


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
    title, subtitle, sections = _parts(report)
    texts = {
        ".json": json.dumps(report_as_json(report), ensure_ascii=False, indent=1) + "\n",
        ".md": as_markdown(title, subtitle, sections),
        ".html": as_page(title, subtitle, sections),
    }
    return write_texts(texts, folder, "report")


def report_as_json(report: ExperimentReport) -> dict[str, Any]:
    """Return the report as values of JSON; the plots are left out."""
    content = asdict(report)
    content["experiment"] = report.experiment.model_dump(mode="json")
    del content["findings"]["plots"]
    return content


def report_as_markdown(report: ExperimentReport) -> str:
    """Return the report as text."""
    return as_markdown(*_parts(report))


def _parts(report: ExperimentReport) -> tuple[str, str, tuple[Section, ...]]:
    experiment = report.experiment
    return f"Experiment: {experiment.name}", experiment.description, tuple(_sections(report))


def _sections(report: ExperimentReport) -> Iterator[Section]:
    yield _about(report)
    if report.findings.hypotheses:
        yield _hypotheses(report)
    for condition in report.conditions:
        yield _figures(report, condition)
    if report.findings.differences:
        yield _differences(report)
    if report.experiment.scorer == "trifex":
        yield _knowledge(report)
    yield _answers(report)
    yield _scorer(report)


def _about(report: ExperimentReport) -> Section:
    asked = "" if report.asked_revision == report.revision else f" (answers asked at {report.asked_revision})"
    experiment = report.experiment
    greedy = "greedy" if not experiment.temperature else f"temperature {experiment.temperature:g}"
    return Section(
        title="What was run",
        words=(
            f"After {experiment.source}.",
            f"Revision {report.revision}{asked}, begun {report.begun}, {report.machine}.",
            f"{report.questions:,} questions, {report.cases:,} cases of {report.cases_file} (SHA-256 "
            f"{report.cases_sha256[:16]}…). Answers: {greedy}, seeds {', '.join(map(str, experiment.seeds))}. "
            f"Scored by {report.findings.scorer}. Intervals are 95 %, by bootstrap over cases, seed {report.seed}.",
        ),
        notes=tuple(f"{note[0].upper()}{note[1:]}." for note in report.notes),
    )


def _hypotheses(report: ExperimentReport) -> Section:
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
    heads = ("hypothesis", "condition", "metric", "difference (95 %)", "p (Holm)", "n", "verdict")
    notes = ["Supported: better, at a corrected p below 0.05. Not shown is not refuted: no difference was found."]
    if any(FEWEST_CASES <= each.tested.n < MANY_CASES for each in report.findings.hypotheses):
        notes.append(f"Fewer than {MANY_CASES} cases: intervals by bootstrap are rather too narrow then. Ask more.")
    return Section(title="Hypotheses", tables=(_without_empty(heads, rows),), notes=tuple(notes))


def _figures(report: ExperimentReport, condition: str) -> Section:
    experiment, found = report.experiment, report.findings
    metrics = (*METRICS["trifex"], *ROUGE) if experiment.scorer == "trifex" else (*GRADES, ANSWERED)
    by_place = {(each.arm, each.metric): each for each in found.figures if each.condition == condition}
    rows = []
    for arm in experiment.arms:
        cells = [by_place[arm.name, metric] for metric in metrics]
        rows.append((arm.label, *(_figure(each) for each in cells), f"{cells[0].n:,}"))
    ours = Table(heads=("arm", *(_TITLES.get(each, each) for each in metrics), "n"), rows=tuple(rows))
    theirs = _published(experiment, condition, metrics)
    few = any(0 < each.n < FEWEST_CASES for each in by_place.values())
    notes = [f"Fewer than {FEWEST_CASES} cases: too few for an interval, and none is shown."] if few else []
    if theirs is not None:
        notes.append(f"The second table is published, on other data: {experiment.published_on}.")
    title = "Grades, 1 to 5" if experiment.scorer == "judge" else "Claims"
    return Section(
        title=f"{title}: {condition}" if condition else title,
        tables=(ours, theirs) if theirs is not None else (ours,),
        notes=tuple(notes),
        figures=found.plots if condition == report.conditions[-1] else (),
    )


def _published(experiment: Experiment, condition: str, metrics: Sequence[str]) -> Table | None:
    known = {arm.name: arm.label for arm in experiment.arms}
    shown = [metric for metric in metrics if any(metric in each.values for each in experiment.published)]
    rows = [
        (known.get(each.arm, each.arm), each.by, *(number(each.values[m]) if m in each.values else "–" for m in shown))
        for each in experiment.published
        if each.condition == condition
    ]
    heads = ("published", "scored by", *(_TITLES.get(each, each) for each in shown))
    return Table(heads=heads, rows=tuple(rows)) if rows else None


def _differences(report: ExperimentReport) -> Section:
    rows = [
        (
            _pair(report.experiment, each.first, each.second, "−"),
            each.condition,
            _TITLES.get(each.metric, each.metric),
            *_difference_cells(each),
        )
        for each in report.findings.differences
    ]
    heads = ("", "condition", "metric", "difference (95 %)", "p (Holm)", "n")
    words = ("Paired by case, over the cases that both arms have. p is corrected for all differences in that metric.",)
    return Section(title="Differences", words=words, tables=(_without_empty(heads, rows),))


def _knowledge(report: ExperimentReport) -> Section:
    found = report.findings.decomposition
    words = [f"No decomposition: {report.findings.not_decomposed}."]
    if found is not None:
        words = [
            f"Variance of log SK over conditions, {found.systems} arms: {found.rate_share:.0%} from log PR, "
            f"{found.precision_share:.0%} from log PKP, {found.covariance_share:.0%} from their covariance. "
            f"Coefficients of variation: SK {found.self_knowledge_variation:.3f}, PKP {found.precision_variation:.3f}, "
            f"PR {found.rate_variation:.3f}."
        ]
    claims = [f"{each.system} / {each.condition} / {each.id}: {each.claim}" for each in report.findings.unsupported]
    return Section(
        title="What moves self-knowledge",
        words=(*words, _PUBLISHED_DECOMPOSITION, "Claims that no source supports, of the answers with most of them:"),
        notes=tuple(claims) or ("none",),
    )


def _answers(report: ExperimentReport) -> Section:
    heads = ("arm", "model", "context", "asked", "answered", "declined", "empty", "cut", "failed", "not scored", "ms")
    rows = []
    for each in report.counts:
        arm = report.experiment.arm(each.arm)
        context = f"{arm.context}, {arm.passages}" if arm.searches else arm.context
        counts = (each.asked, each.answered, each.declined, each.empty, each.cut, each.failed, each.not_scored)
        rows.append((arm.label, each.model, context, *(f"{one:,}" for one in counts), f"{each.median_ms:.0f}"))
    some = report.failures[:_MOST_FAILURES]
    failures = [f"{each.arm} / {each.case}, not {_STAGES[each.stage]}: {each.reason}" for each in some]
    more = len(report.failures) - len(some)
    return Section(
        title="Answers",
        words=("What failed or was not scored counts in no figure of that arm; the same command tries it again.",),
        tables=(Table(heads=heads, rows=tuple(rows)),),
        notes=(*failures, *((f"{more:,} more in report.json",) if more else ())),
    )


_STAGES = {"asked": "answered", "scored": "scored"}


def _scorer(report: ExperimentReport) -> Section:
    found = report.findings
    if report.experiment.scorer == "trifex":
        return Section(
            title="The scorer",
            words=(
                f"{found.scorer}. Claims that it misses or attributes wrongly move every figure here; golden-lab all "
                "--only 'triple*' measures how often it does.",
            ),
        )
    words = [f"The judge: {found.scorer}, {found.calibration}."]
    if found.agreement is None:
        words.append("It was not held against people on such answers: give a scored gold set with --gold for that.")
        return Section(title="The judge", words=tuple(words))
    return Section(title="The judge", words=tuple(words), tables=(_agreement(found.agreement),))


def _agreement(report: AgreementReport) -> Table:
    return Table(
        heads=("against people", "n", "Spearman", "Kendall", "within a point", "judge − person"),
        rows=tuple(
            (
                row.criterion,
                f"{row.n:,}",
                _interval(row.spearman),
                _interval(row.kendall),
                _interval(row.within_one),
                _interval(row.bias),
            )
            for row in report.rows
        ),
    )


def _without_empty(heads: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Table:
    """Return a table without the columns in which nothing stands."""
    kept = [at for at in range(len(heads)) if any(row[at] for row in rows)]
    return Table(heads=tuple(heads[at] for at in kept), rows=tuple(tuple(row[at] for at in kept) for row in rows))


def _pair(experiment: Experiment, first: str, second: str, word: str) -> str:
    return f"{experiment.arm(first).label} {word} {experiment.arm(second).label}"


def _figure(figure: ArmFigure) -> str:
    if figure.value is None:
        return "n/a"
    return number(figure.value) if figure.interval is None else _interval(figure.interval)


def _interval(found: Interval | None) -> str:
    return "n/a" if found is None else f"{number(found.value)} ({number(found.low)} to {number(found.high)})"


def _difference_cells(each: ArmDifference) -> tuple[str, str, str]:
    found = each.difference
    if found is None:
        few = each.n < FEWEST_CASES
        return (f"too few cases for one ({each.n})" if few else "n/a", "", f"{each.n:,}")
    p = "" if each.adjusted_p is None else f"{each.adjusted_p:.3g}"
    return f"{signed(found.difference)} ({signed(found.low)} to {signed(found.high)})", p, f"{each.n:,}"
