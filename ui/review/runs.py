"""Runs of the test cases: the score over time as a plot, and each run's cases, those that failed first."""

from collections.abc import Sequence
from itertools import pairwise

from contracts.case_runs import CaseResult, CaseRun, RunDetails
from contracts.records import Groups
from ui.html import Safe, element
from ui.words import Words


def render_runs(runs: Sequence[CaseRun], words: Words, *, groups: Groups, opened: RunDetails | None = None) -> Safe:
    """Render the plot of the runs (the newest first) over what ``groups`` may read, their list, and the open one."""
    head = element("p", words("review.runs_lead"), class_="lead")
    tools = element("div", element("button", words("review.run"), type="button", class_="primary", data_action="run",
                                   data_key="run",
                                   disabled=any(each.state == "running" for each in runs)), class_="row")  # fmt: skip
    if not runs:
        return element("div", head, tools, element("p", words("review.no_runs"), class_="card"))
    # Others' runs are over other cases: side by side with one's own they would say nothing.
    own = [each for each in reversed(runs) if each.score is not None and each.groups == groups]
    return element("div", head, tools, _opened(opened, words) if opened else None, _plot(own, words),
                   _table(runs, words))  # fmt: skip


def run_line(run: CaseRun, words: Words) -> str:
    """Write how far a run is, or how it went."""
    score = words.percent(run.score) if run.score is not None else "–"
    line = words("review.run_line", passed=words.number(run.passed), done=words.number(run.done), score=score)
    if run.done == run.cases:
        return line
    return f"{line} · {words('review.run_asked', done=words.number(run.done), cases=words.number(run.cases))}"


def _plot(runs: Sequence[CaseRun], words: Words) -> Safe | None:
    if not runs:
        return None
    changes = [(), *(new.measure.changed_since(old.measure) for old, new in pairwise(runs))]
    columns = [_column(run, changed, words) for run, changed in zip(runs, changes, strict=True)]
    ticks = element("span", *(element("span", words.percent(at / 100)) for at in (100, 50, 0)), class_="ticks",
                    aria_hidden="true")  # fmt: skip
    plot = element("div", ticks, element("ol", *columns, class_="score-columns"), class_="score-plot", tabindex=0,
                   role="group", aria_label=words("review.plot"))  # fmt: skip
    return element("section", element("h2", words("review.plot")), plot,
                   element("p", words("review.plot_key"), class_="quiet"), class_="card")  # fmt: skip


def _column(run: CaseRun, changed: Sequence[str], words: Words) -> Safe:
    score = run.score or 0.0
    told = [run_line(run, words)]
    if changed:
        told.append(words("review.since_before", what=", ".join(words(f"review.measure.{each}") for each in changed)))
    bar = element("span", element("span", class_="filled", style=f"height:{round(100 * score)}%"), class_="gauge")
    mark = element("span", "▲", class_="changed", aria_hidden="true") if changed else None
    return element(
        "li",
        element("button", bar, element("span", words.percent(score), class_="value"),
                element("span", words.day(run.started_at), class_="day"), mark,
                element("span", " " + ". ".join(told), class_="sr"), type="button", data_action="open_run",
                data_run=run.id, data_key=f"column-{run.id}", title=". ".join(told)),
    )  # fmt: skip


def _table(runs: Sequence[CaseRun], words: Words) -> Safe:
    names = ("started", "state", "score", "who", "engine", "version")
    head = element("tr", *(element("th", words(f"review.column.{each}"), scope="col") for each in names))
    rows = [
        element(
            "tr",
            element("td", element("button", words.moment(run.started_at), type="button", class_="plain",
                                  data_action="open_run", data_run=run.id, data_key=f"run-{run.id}")),
            element("td", words(f"review.run_state.{run.state}") if words.knows(f"review.run_state.{run.state}")
                    else run.state),
            element("td", run_line(run, words)),
            element("td", run.who),
            element("td", run.measure.engine),
            element("td", f"{run.measure.version} ({run.measure.revision})"),
        )
        for run in runs
    ]  # fmt: skip
    table = element("table", element("caption", words("review.all_runs"), class_="sr"), element("thead", head),
                    element("tbody", *rows))  # fmt: skip
    return element("section", element("h2", words("review.all_runs")),
                   element("div", table, class_="table-scroll", tabindex=0, role="group",
                           aria_label=words("review.all_runs")))  # fmt: skip


def _opened(run: RunDetails, words: Words) -> Safe:
    running = run.state == "running"
    state = words(f"review.run_state.{run.state}") if words.knows(f"review.run_state.{run.state}") else run.state
    parts: list[Safe | None] = [
        element("h2", words("review.run_of", moment=words.moment(run.started_at)), tabindex=-1, data_key="opened-run"),
        element("p", f"{state} · {run_line(run, words)}", role="status", data_key="run-state"),
        element("p", run.reason, class_="problem-text") if run.reason else None,
    ]
    if running:
        parts += [
            element("div", element("span", style=f"width:{round(100 * run.done / max(1, run.cases))}%"),
                    class_="progress-bar", aria_hidden="true"),
            element("button", words("review.stop_run"), type="button", data_action="stop_run", data_run=run.id,
                    disabled=run.stopping, data_key="stop-run"),
        ]  # fmt: skip
    failed = sum(not each.passed for each in run.results)
    if run.results:
        said = words.count("review.failed", failed) if failed else words("review.none_failed")
        parts.append(element("p", said, class_="quiet"))
        parts.append(element("ol", *(_result(each, words) for each in run.results), class_="results"))
    return element("section", *parts, class_="card opened", aria_busy="true" if running else None,
                   data_follow=run.id if running else None, data_key=f"opened-{run.id}")  # fmt: skip


def _result(result: CaseResult, words: Words) -> Safe:
    verdict = words("review.passed" if result.passed else "review.not_passed")
    if result.withheld:
        return element("li", element("span", verdict, class_=f"tag {'good' if result.passed else 'bad'}"), " ",
                       result.question, element("p", words(f"review.withheld.{result.withheld}"), class_="quiet"),
                       data_key=result.case_id)  # fmt: skip
    differs = [
        element("li", words(f"review.differs.{each}", expected=_expected(result, each, words)), dir="auto")
        for each in result.differs
        if words.knows(f"review.differs.{each}")
    ]
    details = element(
        "details",
        element("summary", words("review.answer_now")),
        element("p", result.error or result.answer, class_="plain-answer", dir="auto"),
        element("p", "; ".join((*result.citations, *result.readings)), class_="quiet", dir="auto"),
        data_key=f"answer-{result.case_id}",
    )
    return element(
        "li",
        element("p", element("span", verdict, class_=f"tag {'good' if result.passed else 'bad'}"), " ",
                element("strong", result.question, dir="auto"), " ",
                element("span", words.seconds(result.milliseconds), class_="quiet")),
        element("ul", *differs) if differs else None,
        details,
        data_key=result.case_id,
    )  # fmt: skip


def _expected(result: CaseResult, difference: str, words: Words) -> str:
    if difference == "outcome":
        old, new = (words(f"review.outcome.{each}") if words.knows(f"review.outcome.{each}") else each
                    for each in (result.expected, result.outcome))  # fmt: skip
        return words("review.instead", expected=old, got=new)
    return result.gold if difference == "wording" else result.error
