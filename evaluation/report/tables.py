"""The tables and plots of the HTML report."""

import base64
from collections.abc import Iterator, Sequence
from html import escape

from evaluation.benchmark import Figure, Published, Score
from evaluation.report.cells import (
    VERDICTS,
    Row,
    change_text,
    duration,
    interval,
    number,
    published_beside_main,
)
from evaluation.report.differences import Difference
from evaluation.report.values import BenchmarkResult

_STRIP_WIDTH = 132


def summary_table(results: Sequence[tuple[BenchmarkResult, str]]) -> str:
    """Write a row for each benchmark (with the anchor of its section): its main score and what is published."""
    heads = ("intrinsic", "benchmark", "metric", "score", "95 %", "cases", "published", "time")
    return _table(
        heads, (_summary_row(result, anchor) for result, anchor in results), numbers=("score", "cases", "time")
    )


def scores_table(rows: Sequence[Row], *, with_changes: bool) -> str:
    """Write a benchmark's scores, published figures in the same table, and their change where there is one."""
    with_subset, with_system = any(row.subset for row in rows), any(row.system for row in rows)
    with_published = any(row.published for row in rows)
    heads = ["metric"]
    heads += ["subset"] * with_subset + ["system"] * with_system + ["score", "95 %", "n"]
    heads += ["published"] * with_published + ["since the last report"] * with_changes

    def lines() -> Iterator[str]:
        for row in rows:
            cells = [_cell(row.metric)]
            cells += [_cell(row.subset)] * with_subset + [_cell(row.system)] * with_system
            cells += _score_cells(row.score, row.published)
            cells += [_published_cell(row.published)] * with_published
            cells += [_change_cell(row)] * with_changes
            yield f"<tr{' class=main' if row.is_main else ''}>{''.join(cells)}</tr>"

    return _table(heads, lines(), numbers=("score", "n"))


def changes_table(changes: Sequence[Difference]) -> str:
    """Write the scores that both reports have, before and now."""
    heads = ("benchmark", "score", "before", "now", "change")

    def lines() -> Iterator[str]:
        for each in changes:
            name = " ".join(filter(None, (each.metric, each.subset, each.system)))
            yield (
                f"<tr>{_cell(each.benchmark)}{_cell(name)}{_number(number(each.before))}{_number(number(each.now))}"
                f"<td>{_verdict(each)}</td></tr>"
            )

    return _table(heads, lines(), numbers=("before", "now"))


def figure_element(figure: Figure) -> str:
    """Write a plot as an image of its own inside the page: no script of it runs and none of its ids meets another."""
    source = base64.b64encode(figure.svg.encode()).decode("ascii")
    return (
        f'<figure><img title="{escape(figure.title)}" alt="{escape(figure.description)}" '
        f'src="data:image/svg+xml;base64,{source}"></figure>'
    )


def strip(score: Score, published: Sequence[Published]) -> str:
    """Draw a score of [0, 1] with its interval and the published figures on a line; nothing for other ranges."""
    if not (0 <= score.low <= score.high <= 1 and 0 <= score.value <= 1):
        return ""
    low, value, high = (_along(each) for each in (score.low, score.value, score.high))
    theirs = "".join(
        f'<circle class="theirs" cx="{_along(each.value):.1f}" cy="9" r="4"/>'
        for each in published
        if 0 <= each.value <= 1
    )
    label = escape(f"{number(score.value)}, 95 % from {interval(score)}")
    return (
        f'<svg class="strip" viewBox="0 0 {_STRIP_WIDTH} 18" role="img" aria-label="{label}">'
        f'<path class="axis" d="M{_along(0):.1f} 9H{_along(1):.1f}"/><path class="reach" d="M{low:.1f} 9H{high:.1f}"/>'
        f'{theirs}<circle class="value" cx="{value:.1f}" cy="9" r="4"/></svg>'
    )


def _along(value: float) -> float:
    return 6 + value * (_STRIP_WIDTH - 12)


def _summary_row(result: BenchmarkResult, anchor: str) -> str:
    about, main = result.about, result.main
    link = f'<td><a href="#{anchor}">{escape(about.name)}</a></td>'
    first = f"{_cell(about.intrinsic.replace('_', ' '))}{link}"
    if main is None:
        text = "not measured" if result.status == "failed" else "not scored"
        return f'<tr>{first}{_cell(about.metric)}<td class="worse" colspan="5">{text}</td></tr>'
    figures = published_beside_main(about)
    metric = " ".join(filter(None, (main.metric, main.subset, main.system)))
    return (
        f"<tr>{first}{_cell(metric)}<td class=number><b>{number(main.value)}</b></td>"
        f"{_interval_cell(main, figures)}"
        f"{_number(f'{main.n:,}')}{_published_cell(figures)}{_number(duration(result.seconds))}</tr>"
    )


def _score_cells(score: Score | None, published: Sequence[Published]) -> list[str]:
    if score is None:
        return ['<td class="number">–</td>', "<td></td>", "<td></td>"]
    down = "" if score.higher_is_better else ' <span class="range" title="lower is better">↓</span>'
    return [
        f'<td class="number">{number(score.value)}{down}</td>',
        _interval_cell(score, published),
        _number(f"{score.n:,}"),
    ]


def _interval_cell(score: Score, published: Sequence[Published]) -> str:
    return f'<td>{strip(score, published)}<span class="range">{interval(score)}</span></td>'


def _published_cell(figures: Sequence[Published]) -> str:
    return f'<td class="published">{"".join(map(_published, figures))}</td>'


def _published(figure: Published) -> str:
    differs = f' <span class="differs">differs: {escape(figure.differs)}</span>' if figure.differs else ""
    return (
        f"<span>{number(figure.value)} {escape(figure.system)} "
        f'<span class="source">{escape(figure.source)}</span>{differs}</span>'
    )


def _change_cell(row: Row) -> str:
    if row.score is None:
        return '<td class="change"></td>'
    return f'<td class="change">{"new" if row.change is None else _verdict(row.change)}</td>'


def _verdict(change: Difference) -> str:
    text = escape(change_text(change))
    if change.verdict == "not compared":
        return f'<span class="same">{text}</span>'
    arrow = {"better": "▲ ", "worse": "▼ "}.get(change.verdict, "")
    word = VERDICTS[change.verdict]
    return text.replace(word, f'<span class="{change.verdict}">{arrow}{word}</span>', 1)


def _cell(text: str) -> str:
    return f"<td>{escape(text)}</td>"


def _number(text: str) -> str:
    return f'<td class="number">{escape(text)}</td>'


def _table(heads: Sequence[str], rows: Iterator[str], *, numbers: Sequence[str] = ()) -> str:
    head = "".join(f"<th{' class=number' if each in numbers else ''}>{escape(each)}</th>" for each in heads)
    body = "\n".join(rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'
