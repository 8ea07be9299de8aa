"""The report on an organisation's own cases: scores with intervals, and drops since an earlier report."""

import math
import textwrap
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ValidationError, computed_field

from contracts.case_runs import CaseResult
from contracts.errors import InvalidInput

# Which of these metrics a case has depends on its fields.
METRICS = ("right", "jargon", "context", "recall", "citation", "answer")
_NORMAL_97_5 = 1.959963984540054
# A drop in a score counts if the probability that such a drop occurs by chance is below this.
_CHANCE = 0.05
_SHOWN_CHARACTERS = 300


class CaseOutcome(CaseResult, frozen=True):
    """The result of a case of some ``kind``; ``hits`` contains, for each metric, whether the result was correct."""

    kind: str
    hits: dict[str, bool]


class CaseScore(BaseModel, frozen=True):
    """The share of cases that are correct in ``metric``, in [0, 1], with its 95% interval; ``kind`` "" means all."""

    metric: str
    kind: str
    value: float
    low: float
    high: float
    n: int


class CaseReport(BaseModel, frozen=True):
    """Results of the cases in file ``source``. ``begun`` is in ISO 8601, UTC; ``waiting`` counts undecided drafts."""

    source: str
    engine: str
    model: str
    revision: str
    machine: str
    begun: str
    seconds: float
    waiting: int
    outcomes: tuple[CaseOutcome, ...]

    def hits(self, metric: str, kind: str = "") -> dict[str, bool]:
        """Return, by case id, whether ``metric`` was correct, for the cases of ``kind`` ("": any) that have it."""
        of_kind = (each for each in self.outcomes if kind in ("", each.kind))
        return {each.case_id: each.hits[metric] for each in of_kind if metric in each.hits}

    @computed_field  # type: ignore[prop-decorator]
    @property
    def scores(self) -> tuple[CaseScore, ...]:
        """The score of each metric, and the scores of correct answers by kind."""
        kinds = sorted({each.kind for each in self.outcomes})
        rows = [(metric, "") for metric in METRICS] + [("right", kind) for kind in kinds if len(kinds) > 1]
        found = []
        for metric, kind in rows:
            if hits := list(self.hits(metric, kind).values()):
                low, high = wilson(sum(hits), len(hits))
                share = sum(hits) / len(hits)
                found.append(CaseScore(metric=metric, kind=kind, value=share, low=low, high=high, n=len(hits)))
        return tuple(found)


def wilson(successes: int, n: int) -> tuple[float, float]:
    """Return Wilson's 95% score interval of ``successes / n``; it is also valid near 0 and 1 and for a small ``n``.

    Source: Wilson 1927, Probable inference, the law of succession, and statistical inference, JASA 22.

    Raises:
        InvalidInput: ``n`` is below 1 or ``successes`` is not in [0, n].
    """
    if n < 1 or not 0 <= successes <= n:
        raise InvalidInput(f"a share of {successes} in {n} is impossible: 0 <= successes <= n and n >= 1", field="n")
    rate, square = successes / n, _NORMAL_97_5**2
    middle = (rate + square / (2 * n)) / (1 + square / n)
    reach = _NORMAL_97_5 / (1 + square / n) * math.sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    return max(0.0, middle - reach) if successes else 0.0, min(1.0, middle + reach) if successes < n else 1.0


def read_report(path: Path) -> CaseReport:
    """Read a report. Raises ``InvalidInput`` if the file does not exist or is not a report."""
    if not path.is_file():
        raise InvalidInput(f"{path} is not a file: give the JSON file from an earlier `golden eval cases`")
    try:
        return CaseReport.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise InvalidInput(f"{path} is not a report that this version can read: {error.errors()[0]['msg']}") from error


def report_text(report: CaseReport) -> Iterator[str]:
    """Yield the lines of the report: a table of scores, then each case with an incorrect result."""
    yield f"{report.source}, {report.engine} engine ({report.model}), {report.seconds:.0f} s"
    yield f"{'score':<24}{'value':>6}  {'95 %':<14}{'cases':>5}"
    for score in report.scores:
        name = f"{score.metric} {score.kind}".strip()
        interval = f"{score.low:.2f} to {score.high:.2f}"
        yield f"{name:<24}{score.value:>6.2f}  {interval:<14}{score.n:>5}"
    if report.waiting:
        yield f"drafts waiting for review: {report.waiting}"
    for each in report.outcomes:
        wrong = [metric for metric, hit in each.hits.items() if not hit]
        if wrong:
            yield f"\n{each.case_id} ({each.kind}) wrong in {', '.join(wrong)}: {each.question}"
            details = {
                "expected": f"{each.expected}: {each.gold}",
                "got": f"{each.outcome}: {each.answer}",
                "cited": "; ".join(each.citations) or "nothing",
                "readings": "; ".join(each.readings) or "none",
            }
            for name, text in details.items():
                yield textwrap.shorten(f"{name} {text}", _SHOWN_CHARACTERS, placeholder=" …", initial_indent="  ")


def find_falls(now: CaseReport, baseline: CaseReport) -> tuple[str, ...]:
    """Return a line for each metric that became worse by more than chance, or why the reports cannot be compared.

    A metric became worse if it lost significantly more cases than it gained (McNemar's mid-p test, one-sided).
    Source: Fagerland, Lydersen and Laake 2013, The McNemar test for binary matched-pairs data, BMC MRM 13.
    """
    if {each.case_id for each in now.outcomes} != {each.case_id for each in baseline.outcomes}:
        counts = f"{len(now.outcomes)} cases, {len(baseline.outcomes)} in the baseline"
        return (f"cannot be compared: different cases were measured ({counts})",)
    falls = []
    for metric in METRICS:
        before, after = baseline.hits(metric), now.hits(metric)
        lost = sum(hit and not after.get(case, False) for case, hit in before.items())
        gained = sum(not hit and after.get(case, False) for case, hit in before.items())
        if lost > gained and _chance_of(lost, lost + gained) < _CHANCE:
            counts = f"{sum(before.values())} → {sum(after.values())} of {len(before)}"
            falls.append(f"{metric}: {counts}, worse ({lost} lost, {gained} gained)")
    return tuple(falls)


def _chance_of(lost: int, changed: int) -> float:
    """Return the probability of ``lost`` or more heads in ``changed`` coin tosses; exactly ``lost`` counts for half."""
    more = sum(math.comb(changed, heads) for heads in range(lost + 1, changed + 1))
    return float((more + math.comb(changed, lost) / 2) / 2**changed)
