"""Numbers and published figures as people read them: the same in every form of the report."""

from evaluation.report.comparison import ScoreChange
from evaluation.results import About, Published, Score

_VERDICTS = {"better": "better", "worse": "worse", "same": "within chance"}


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
    return f"{number(figure.value)} {source_text(figure)}"


def source_text(figure: Published) -> str:
    """Write whose figure it is: system, source and in what the setting is not ours."""
    differs = f"; differs: {figure.differs}" if figure.differs else ""
    return f"{figure.system} ({figure.source}{differs})"


def change_text(change: ScoreChange | None) -> str:
    """Write how a score changed since the other report."""
    if change is None:
        return "new"
    if change.verdict == "not compared":
        return f"not compared: {change.how}"
    reach = "" if change.low is None or change.high is None else f" ({signed(change.low)} to {signed(change.high)})"
    return f"{signed(change.change)}{reach} {_VERDICTS[change.verdict]}, {change.how}"


def duration(seconds: float) -> str:
    """Write seconds as people say them: "42 ms", "3.2 s", "3 min 20 s", "1 h 5 min"."""
    if seconds < 1:
        return f"{1_000 * seconds:.0f} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if minutes else f"{rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
