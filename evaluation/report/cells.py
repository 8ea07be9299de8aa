"""The rows of a benchmark's table, and numbers as people read them: the same in every form of the report."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.report.comparison import Difference
from evaluation.results import About, Published, Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a benchmark's table: our score or None, the published figures beside it, the change or None."""

    metric: str
    subset: str
    system: str
    score: Score | None
    published: tuple[Published, ...]
    change: Difference | None
    is_main: bool


def rows_of(about: About, scores: Sequence[Score], changes: Sequence[Difference] = ()) -> tuple[Row, ...]:
    """Return the rows: a score each, published figures beside the score they belong to, the others below."""
    placed: dict[int, list[Published]] = {}
    alone: list[Published] = []
    for figure in about.published:
        at = _place(about, scores, figure)
        if at is None:
            alone.append(figure)
        else:
            placed.setdefault(at, []).append(figure)
    by_row = {(each.metric, each.subset, each.system): each for each in changes if each.benchmark == about.name}
    ours = [
        Row(
            metric=score.metric,
            subset=score.subset,
            system=score.system,
            score=score,
            published=tuple(placed.get(at, ())),
            change=by_row.get(score.row),
            is_main=score.row == _main(about),
        )
        for at, score in enumerate(scores)
    ]
    theirs = [
        Row(
            metric=each.metric,
            subset=each.subset,
            system="",
            score=None,
            published=(each,),
            change=None,
            is_main=False,
        )
        for each in alone
    ]
    return (*ours, *theirs)


def published_beside_main(about: About) -> tuple[Published, ...]:
    """Return the published figures of the metric and subset that sum the benchmark up."""
    return tuple(each for each in about.published if (each.metric, each.subset) == (about.metric, about.metric_subset))


def number(value: float) -> str:
    """Write a number with three decimals, a large one with fewer."""
    size = abs(value)
    return f"{value:.3f}" if size < 10 else f"{value:.1f}" if size < 1_000 else f"{value:,.0f}"


def signed(value: float) -> str:
    """Write a change with its sign."""
    text = number(abs(value))
    return f"±{text}" if value == 0 else f"{'+' if value > 0 else '−'}{text}"


def interval(score: Score) -> str:
    """Write the 95 % interval."""
    return f"{number(score.low)} to {number(score.high)}"


def figure_text(figure: Published) -> str:
    """Write a published figure with its system, source and in what its setting is not ours."""
    differs = f"; differs: {figure.differs}" if figure.differs else ""
    return f"{number(figure.value)} {figure.system} ({figure.source}{differs})"


def change_text(change: Difference | None) -> str:
    """Write how a score changed since the other report."""
    if change is None:
        return "new"
    if change.verdict == "not compared":
        return f"not compared: {change.how}"
    reach = (
        f" ({signed(change.low)} to {signed(change.high)})"
        if change.low is not None and change.high is not None
        else ""
    )
    return f"{signed(change.change)}{reach} {VERDICTS[change.verdict]}, {change.how}"


VERDICTS = {"better": "better", "worse": "worse", "same": "within chance", "not compared": "not compared"}


def duration(seconds: float) -> str:
    """Write seconds as people say them: "42 ms", "3.2 s", "3 min 20 s", "1 h 5 min"."""
    if seconds < 1:
        return f"{1_000 * seconds:.0f} ms" if seconds >= 0.001 else "under 1 ms" if seconds > 0 else "0 s"
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _main(about: About) -> tuple[str, str, str]:
    return about.metric, about.metric_subset, about.metric_system


def _place(about: About, scores: Sequence[Score], figure: Published) -> int | None:
    fitting = [at for at, each in enumerate(scores) if (each.metric, each.subset) == (figure.metric, figure.subset)]
    same_system = [at for at in fitting if figure.system and scores[at].system == figure.system]
    summing_up = [at for at in fitting if scores[at].row == _main(about)]
    return next(iter([*same_system, *summing_up, *fitting]), None)
