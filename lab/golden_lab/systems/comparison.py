"""Systems compared on the same questions: scores, and paired differences to the whole bot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.intervals import PairedDifference, paired_bootstrap
from evaluation.results import Score
from evaluation.scores import mean_score, rate_score
from golden_lab.statistics import holm
from golden_lab.systems.golden import WHOLE
from golden_lab.systems.measures import CITED, METRICS, REFUSED, RIGHT

# System → metric → number, for one case; a metric that does not apply is None or not there.
CaseNumbers = Mapping[str, Mapping[str, float | None]]

_SHARES = (RIGHT, CITED, REFUSED)
_ABLATION = "without "


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemDifference:
    """A system minus the whole bot in one metric, on the cases where both have a number.

    ``adjusted_p`` is Holm's p-value over the ablations, None for a system that is none.
    """

    system: str
    metric: str
    difference: PairedDifference
    adjusted_p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Each system's scores in the order of the systems, and each one's differences to the whole bot."""

    scores: tuple[Score, ...]
    differences: tuple[SystemDifference, ...]


def compare(cases: Sequence[CaseNumbers], *, seed: int, baseline: str = WHOLE) -> Comparison:
    """Score every system of ``cases`` and hold it against ``baseline`` by a paired bootstrap over the cases.

    The p-values of the ablations (systems whose name begins with "without") are corrected together by Holm, metric by
    metric. Without the baseline among the systems there are no differences.
    """
    systems = list(dict.fromkeys(system for case in cases for system in case))
    scores = [score for system in systems for metric in METRICS for score in _scores(cases, system, metric, seed)]
    others = [system for system in systems if system != baseline] if baseline in systems else []
    found = []
    for metric in METRICS:
        row = [_difference(cases, system, baseline, metric, seed) for system in others]
        found += _corrected([difference for difference in row if difference is not None])
    order = {system: place for place, system in enumerate(others)}
    return Comparison(scores=tuple(scores), differences=tuple(sorted(found, key=lambda each: order[each.system])))


def difference_scores(differences: Sequence[SystemDifference]) -> tuple[Score, ...]:
    """Return differences, and their corrected p-values where they have one, as rows of a table of scores."""
    rows = []
    for each in differences:
        found = each.difference
        rows.append(
            Score(
                metric=f"{each.metric}, difference to {WHOLE}",
                value=found.difference,
                low=found.low,
                high=found.high,
                n=found.n,
                system=each.system,
            )
        )
        if each.adjusted_p is not None:
            p = each.adjusted_p
            metric = f"{each.metric}, p of the difference (Holm)"
            rows.append(
                Score(metric=metric, value=p, low=p, high=p, n=found.n, system=each.system, higher_is_better=False)
            )
    return tuple(rows)


def _scores(cases: Sequence[CaseNumbers], system: str, metric: str, seed: int) -> tuple[Score, ...]:
    values = [value for case in cases if (value := case.get(system, {}).get(metric)) is not None]
    if not values:
        return ()
    if metric in _SHARES:
        return (rate_score(metric, [value == 1.0 for value in values], system=system),)
    return (mean_score(metric, values, seed=seed, system=system),)


def _difference(
    cases: Sequence[CaseNumbers], system: str, baseline: str, metric: str, seed: int
) -> SystemDifference | None:
    ours, theirs = [], []
    for case in cases:
        first, second = case.get(system, {}).get(metric), case.get(baseline, {}).get(metric)
        if first is not None and second is not None:
            ours.append(first)
            theirs.append(second)
    if not ours:
        return None
    difference = paired_bootstrap(ours, theirs, seed=seed)
    return SystemDifference(system=system, metric=metric, difference=difference, adjusted_p=None)


def _corrected(differences: Sequence[SystemDifference]) -> list[SystemDifference]:
    ablations = {each.system: each.difference.p_value for each in differences if each.system.startswith(_ABLATION)}
    adjusted = holm(ablations) if ablations else {}
    return [replace(each, adjusted_p=adjusted.get(each.system)) for each in differences]
