"""The overview as HTML: figures, plots, and each plot's values as a table."""

from collections.abc import Callable, Sequence
from datetime import date
from urllib.parse import urlencode

from contracts.overview import Overview
from ui.html import Safe, element, link
from ui.overview.plots import Bar, Column, Piece, bars, columns, table, ticks_of
from ui.overview.spans import CHOICES, Chosen, Span, spans_of
from ui.words import Words

OUTCOMES = ("answered", "declined", "unknown_term", "clarify")
_CERTAINTIES = 10
PathOf = Callable[[str], str]


def render_overview(overview: Overview, chosen: Chosen, words: Words, *, path: PathOf, keeps: bool) -> Safe:
    """Render the whole page. ``path`` makes an address for the browser; ``keeps``: questions are kept at all."""
    head = element("div", element("h1", words("overview.title")), element("p", words("overview.lead"), class_="lead"))
    spans = spans_of(overview.days, chosen.first, chosen.last)
    if not any(each.asked for each in spans):
        nothing = element("p", words("overview.nothing" if keeps else "overview.not_kept"), class_="card")
        return element("div", head, _toolbar(chosen, words), nothing, class_="overview")
    pair = element("div", _times(spans, words), _certainty(overview, words), class_="pair")
    ranks = element("div", _terms(overview, words), _documents(overview, words), class_="pair")
    return element("div", head, _toolbar(chosen, words), _figures(spans, words), _outcomes(spans, words, path), pair,
                   _steps(overview, words), ranks, _faces(overview, words), class_="overview")  # fmt: skip


def _toolbar(chosen: Chosen, words: Words) -> Safe:
    buttons = [
        element("button", words.count("overview.last_days", days), type="button", data_action="range", data_days=days,
                data_key=f"range-{days}", aria_pressed="true" if chosen.days == days else "false")
        for days in CHOICES
    ]  # fmt: skip
    choice = element("div", *buttons, class_="ranges", role="group", aria_label=words("overview.days"))
    own = element(
        "div",
        _date(words("overview.from"), "first_day", chosen.first),
        _date(words("overview.to"), "last_day", chosen.last),
        element("button", words("overview.show"), type="button", data_action="days", data_submit=True, data_key="days"),
        class_="own-days", data_form=True, role="group", aria_label=words("overview.own_days"),
    )  # fmt: skip
    return element("div", choice, own, class_="toolbar")


def _date(label: str, name: str, value: date) -> Safe:
    return element("label", label, element("input", type="date", name=name, value=str(value), required=True))


def _figures(spans: Sequence[Span], words: Words) -> Safe:
    asked = sum(each.asked for each in spans)
    shares = [(words(f"overview.outcome.{name}"), sum(each.count(name) for each in spans)) for name in OUTCOMES]
    figures = [(words("overview.asked"), words.number(asked), "")]
    figures += [(name, words.number(count), words.percent(count / asked)) for name, count in shares]
    up, down = (sum(each.count(name) for each in spans) for name in ("thumbs_up", "thumbs_down"))
    figures.append((words("overview.thumbs"), f"{words.number(up)} / {words.number(down)}", words("overview.up_down")))
    degraded = sum(each.count("degraded") for each in spans)
    if degraded:
        figures.append((words("overview.degraded"), words.number(degraded), words.percent(degraded / asked)))
    cells = [
        element(
            "div", element("dt", name), element("dd", element("strong", value), element("span", more) if more else None)
        )
        for name, value, more in figures
    ]
    return element("dl", *cells, class_="figures")


def _outcomes(spans: Sequence[Span], words: Words, path: PathOf) -> Safe:
    shown, rows = [], []
    for span in spans:
        counts = [(name, span.count(name)) for name in OUTCOMES]
        told = ", ".join(
            f"{words.number(count)} {words(f'overview.outcome.{name}')}" for name, count in counts if count
        )
        day = _days_said(span, words)
        leads = path("/review?" + urlencode({"first_day": str(span.first), "last_day": str(span.last)}))
        pieces = tuple(Piece(value=count, kind=name) for name, count in counts)
        said = words("overview.day_said", day=day, asked=words.number(span.asked), told=told)
        shown.append(Column(pieces=pieces, said=said if span.asked else day, path=leads if span.asked else ""))
        if span.asked:
            rows.append([link(day, leads), words.number(span.asked), *(words.number(count) for _, count in counts)])
    ticks = [(at, words.number(at)) for at in ticks_of(max(each.asked for each in spans), whole=True)]
    names = [words(f"overview.outcome.{name}") for name in OUTCOMES]
    plot = columns(shown, ticks, _ends(spans, words))
    return _section(words("overview.by_day"), words("overview.by_day_more"), words,
                    _legend([*zip(OUTCOMES, names, strict=True)]), plot,
                    head=(words("overview.day"), words("overview.asked"), *names), rows=rows)  # fmt: skip


def _times(spans: Sequence[Span], words: Words) -> Safe:
    shown, rows = [], []
    for span in spans:
        day = _days_said(span, words)
        median, late = words.seconds(span.median_s * 1_000), words.seconds(span.p95_s * 1_000)
        said = words("overview.time_said", day=day, median=median, p95=late) if span.asked else day
        pieces = (Piece(value=span.p95_s, kind="p95"), Piece(value=span.median_s, kind="median"))
        shown.append(Column(pieces=pieces, said=said))
        if span.asked:
            rows.append([day, median, late])
    ticks = [(at, words.seconds(at * 1_000)) for at in ticks_of(max(each.p95_s for each in spans))]
    names = (words("overview.median"), words("overview.p95"))
    return _section(words("overview.times"), words("overview.times_more"), words,
                    _legend([("median", names[0]), ("p95", names[1])]),
                    columns(shown, ticks, _ends(spans, words), stacked=False),
                    head=(words("overview.day"), *names), rows=rows)  # fmt: skip


def _certainty(overview: Overview, words: Words) -> Safe | None:
    counts = overview.certainty[:_CERTAINTIES]
    if not any(counts):
        return None
    bounds = [(at / _CERTAINTIES, (at + 1) / _CERTAINTIES) for at in range(len(counts))]
    names = [words("overview.certain_said", least=words.percent(low), most=words.percent(high)) for low, high in bounds]
    kinds = ["unsure" if high <= 0.5 else "sure" for _, high in bounds]
    shown = [
        Column(pieces=(Piece(value=count, kind=kind),), said=f"{name}: {words.number(count)}")
        for count, name, kind in zip(counts, names, kinds, strict=True)
    ]
    ticks = [(at, words.number(at)) for at in ticks_of(max(counts), whole=True)]
    rows = [[name, words.number(count)] for name, count in zip(names, counts, strict=True)]
    return _section(words("overview.certainty"), words("overview.certainty_more"), words,
                    columns(shown, ticks, [words.percent(at) for at in (0, 0.5, 1)]),
                    head=(words("overview.certain"), words("overview.answers")), rows=rows)  # fmt: skip


def _steps(overview: Overview, words: Words) -> Safe | None:
    if not overview.steps:
        return None
    slowest = sorted(overview.steps, key=lambda each: -each.p95_s)
    named = [(_step_name(each.step, words), each) for each in slowest]
    told = [(words.seconds(each.median_s * 1_000), words.seconds(each.p95_s * 1_000)) for _, each in named]
    shown = [
        Bar(name=name, value=f"{median} · {late}",
            pieces=(Piece(value=each.median_s, kind="median"), Piece(value=each.p95_s - each.median_s, kind="p95")))
        for (name, each), (median, late) in zip(named, told, strict=True)
    ]  # fmt: skip
    rows = [
        [name, words.number(each.count), *both] for (name, each), both in zip(named, told, strict=True)
    ]  # fmt: skip
    names = (words("overview.median"), words("overview.p95"))
    return _section(words("overview.steps"), words("overview.steps_more"), words,
                    _legend([("median", names[0]), ("p95", names[1])]), bars(shown),
                    head=(words("overview.step"), words("overview.ran"), *names), rows=rows)  # fmt: skip


def _terms(overview: Overview, words: Words) -> Safe:
    shown = [
        Bar(name=each.term, value=words.number(each.count), pieces=(Piece(value=each.count, kind="unknown_term"),))
        for each in overview.terms
    ]
    return _ranking(words("overview.terms"), words("overview.terms_more"), words("overview.no_terms"), shown)


def _documents(overview: Overview, words: Words) -> Safe:
    shown = [
        Bar(name=each.name if each.there else words("overview.gone", name=each.name), value=words.number(each.count),
            pieces=(Piece(value=each.count, kind="answered"),))
        for each in overview.documents
    ]  # fmt: skip
    return _ranking(words("overview.documents"), words("overview.documents_more"), words("overview.no_documents"),
                    shown)  # fmt: skip


def _faces(overview: Overview, words: Words) -> Safe | None:
    if not overview.faces:
        return None
    shown = [
        Bar(name=words(f"overview.face.{name}") if words.knows(f"overview.face.{name}") else name or "–",
            value=words.number(count), pieces=(Piece(value=count, kind="asked"),))
        for name, count in sorted(overview.faces.items(), key=lambda each: -each[1])
    ]  # fmt: skip
    return _ranking(words("overview.faces"), words("overview.faces_more"), "", shown)


def _ranking(title: str, more: str, nothing: str, shown: Sequence[Bar]) -> Safe:
    content = bars(shown) if shown else element("p", nothing, class_="quiet")
    return element("section", element("h2", title), element("p", more, class_="quiet"), content, class_="card")


def _section(title: str, more: str, words: Words, *content: Safe, head: Sequence[str],
             rows: Sequence[Sequence[str]]) -> Safe:  # fmt: skip
    whole = table(title, head, rows, summary=words("overview.as_table"))
    return element("section", element("h2", title), element("p", more, class_="quiet"), *content, whole, class_="card")


def _legend(kinds: Sequence[tuple[str, str]]) -> Safe:
    shown = [element("li", element("span", class_=f"swatch {kind}", aria_hidden="true"), name) for kind, name in kinds]
    return element("ul", *shown, class_="legend")


def _ends(spans: Sequence[Span], words: Words) -> list[str]:
    """Return what stands below the first, the middle and the last column."""
    at = sorted({0, len(spans) // 2, len(spans) - 1}) if len(spans) > 2 else range(len(spans))
    return [spans[place].first.strftime(words("overview.axis_day")) for place in at]


def _days_said(span: Span, words: Words) -> str:
    first = span.first.strftime(words("format.day"))
    return first if span.first == span.last else f"{first} – {span.last.strftime(words('format.day'))}"


def _step_name(step: str, words: Words) -> str:
    name = f"overview.step_name.{step}"
    return words(name) if words.knows(name) else step.replace("_", " ")
