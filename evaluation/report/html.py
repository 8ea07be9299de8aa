"""The report as one HTML file that opens without a network: style and plots are in it, and nothing is fetched."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from evaluation.report.cells import duration, rows_of
from evaluation.report.differences import Difference
from evaluation.report.tables import changes_table, figure_element, scores_table, summary_table
from evaluation.report.values import BenchmarkResult, Report


def to_html(report: Report, changes: Sequence[Difference] | None = None, before: Report | None = None) -> str:
    """Write the report; ``changes`` are the differences to the report ``before``, None where there is none."""
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    title = f"Golden Retriever: the bench, {report.engine} engine, {report.revision}"
    body = [*_navigation(report, changes is not None), "<main>", *_header(report), *_overview(report)]
    body += _failures(report)
    if changes is not None:
        body += _changes(changes, before)
    for result in report.benchmarks:
        body += _section(result, changes)
    body.append(
        "<footer>Intervals are 95 %. A published figure stands beside the score of the same metric; where its data or "
        "setting is not ours, the same cell says so.</footer></main>"
    )
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{style}</style></head>",
            '<body><div class="page">',
            *body,
            "</div></body></html>\n",
        ]
    )


def _navigation(report: Report, with_changes: bool) -> Iterator[str]:
    yield '<nav aria-label="Contents"><h2>Contents</h2><ul><li><a href="#overview">Overview</a></li>'
    if report.failures:
        yield '<li><a href="#failures">Not measured</a></li>'
    if with_changes:
        yield '<li><a href="#changes">Since the last report</a></li>'
    by_intrinsic = sorted(report.benchmarks, key=lambda each: _first_place(report, each.about.intrinsic))
    for intrinsic, results in groupby(by_intrinsic, key=lambda each: each.about.intrinsic):
        yield f'<li><span class="group">{escape(intrinsic.replace("_", " "))}</span><ul>'
        for each in results:
            yield f'<li><a href="#{_anchor(each)}">{escape(each.about.name)}</a></li>'
        yield "</ul></li>"
    yield "</ul></nav>"


def _first_place(report: Report, intrinsic: str) -> int:
    return next(at for at, each in enumerate(report.benchmarks) if each.about.intrinsic == intrinsic)


def _header(report: Report) -> Iterator[str]:
    facts = {
        "engine": report.engine,
        "model": report.model,
        "revision": report.revision,
        "seed": str(report.seed),
        "cases": "all" if report.full else "samples",
        "begun": report.begun.replace("T", " ").replace("+00:00", " UTC"),
        "machine": report.machine,
        "time": duration(report.seconds),
    }
    yield "<header><h1>What the bench measured</h1>"
    chips = (f"<li>{escape(name)} <b>{escape(value)}</b></li>" for name, value in facts.items())
    yield f'<ul class="facts">{"".join(chips)}</ul></header>'


def _overview(report: Report) -> Iterator[str]:
    yield '<section id="overview"><h2>Overview</h2>'
    yield summary_table([(each, _anchor(each)) for each in report.benchmarks])
    yield (
        '<p class="legend"><span class="ours">●</span> our score with its 95 % interval, on a line from 0 to 1 '
        '<span class="theirs">○</span> published figures</p></section>'
    )


def _failures(report: Report) -> Iterator[str]:
    if report.failures:
        yield '<section id="failures" class="failed"><h2>Not measured</h2><dl>'
        for name, reason in report.failures.items():
            yield f"<dt>{escape(name)}</dt><dd>{escape(reason)}</dd>"
        yield "</dl></section>"


def _changes(changes: Sequence[Difference], before: Report | None) -> Iterator[str]:
    moved = [each for each in changes if each.verdict in ("better", "worse")]
    apart = [each for each in changes if each.verdict == "not compared"]
    yield '<section id="changes"><h2>Since the last report</h2>'
    if before is not None:
        yield (
            f'<p class="about">Compared with revision {escape(before.revision)}, {escape(before.engine)} engine '
            f"({escape(before.model)}), begun {escape(before.begun)}, seed {before.seed}.</p>"
        )
    compared = len(changes) - len(apart)
    others = f"; {len(apart):,} were measured on other cases and are not compared" if apart else ""
    yield f"<p>{len(moved):,} of {compared:,} scores changed by more than chance{others}.</p>"
    if moved:
        yield changes_table(moved)
    if len(moved) < len(changes):
        yield f"<details><summary>All {len(changes):,} scores that both reports have</summary>"
        yield f"{changes_table(changes)}</details>"
    yield "</section>"


def _section(result: BenchmarkResult, changes: Sequence[Difference] | None) -> Iterator[str]:
    about = result.about
    failed = result.status == "failed"
    yield f'<section id="{_anchor(result)}"{" class=failed" if failed else ""}><h2>{escape(about.name)}</h2>'
    yield f'<p class="subtitle">{escape(about.title)}</p>'
    facts = [f"{about.intrinsic.replace('_', ' ')}", f"source: {about.source}", f"licence: {about.licence}"]
    facts.append(f"split: {about.split}")
    if not failed:
        facts.append(
            f"{result.cases:,} cases in {duration(result.seconds)}, {duration(result.median_case_s)} a case "
            f"(median; 95 % below {duration(result.p95_case_s)})"
        )
    yield f'<p class="about">{escape(" · ".join(facts))}</p>'
    if failed:
        yield f'<p class="note">Not measured: {escape(result.reason)}</p></section>'
        return
    if result.note:
        yield f'<p class="note">{escape(result.note)}</p>'
    yield scores_table(rows_of(about, result.scores, changes or ()), with_changes=changes is not None)
    for figure in result.figures:
        yield figure_element(figure)
    yield from _worst(result)
    yield "</section>"


def _worst(result: BenchmarkResult) -> Iterator[str]:
    if not result.worst:
        return
    yield f"<details><summary>The worst of {result.cases:,} cases</summary>"
    for case in result.worst:
        yield f"<details><summary>{escape(case.id)} · loss {case.loss:.2f}</summary>"
        if case.trace:
            rows = (f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in case.trace.items())
            yield f"<dl>{''.join(rows)}</dl>"
        else:
            yield '<p class="about">This report goes without the texts of the data sets.</p>'
        yield "</details>"
    yield "</details>"


def _anchor(result: BenchmarkResult) -> str:
    return "b-" + "".join(each if each.isascii() and each.isalnum() else "-" for each in result.about.name)
