"""The agreement of a judge with people, and the examples shown to the judge, which do not count."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from contracts.errors import InvalidInput
from golden_lab.intervals import Floats, Interval, bootstrap, bootstrap_mean
from golden_lab.judge.grades import CRITERIA, Criterion, GoldItem, Grades
from golden_lab.run import SEED
from golden_lab.statistics import accuracy_within, kendall, spearman

EXAMPLES_EACH = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeExample:
    """A gold item shown to the judge for one criterion, and the earlier error of the judge (judge - person)."""

    criterion: Criterion
    item: GoldItem
    disagreement: float


def choose_examples(
    gold: Sequence[GoldItem], first_pass: Mapping[str, Grades], *, each: int = EXAMPLES_EACH
) -> tuple[JudgeExample, ...]:
    """Choose up to ``each`` examples per criterion: the items with the largest errors of a judge without examples.

    Only items with a person's score and explanation can be examples. Among equal errors, an item with a score not shown
    yet comes first, so that the judge does not learn to give a single number. At most half of the items are used in
    total, because the rest are needed to measure the agreement.

    Source: Saxena and Owyang 2025, section 4.2 and appendix D: few-shot examples with the largest difference, each with
    the human judge's explanation.
    """
    chosen: list[JudgeExample] = []
    used: set[str] = set()
    most = len(gold) // 2
    for criterion in CRITERIA:
        pool = []
        for item in gold:
            score = item.score(criterion)
            if score is not None and item.explanation.strip() and item.id in first_pass:
                pool.append((first_pass[item.id].of(criterion) - score, score, item))
        shown: set[int] = set()
        for _ in range(each):
            open_ = [one for one in pool if one[2].id in used or len(used) < most]
            if not open_:
                break
            best = min(open_, key=lambda one: (-abs(one[0]), one[1] in shown, one[2].id))
            pool.remove(best)
            shown.add(best[1])
            used.add(best[2].id)
            chosen.append(JudgeExample(criterion=criterion, item=best[2], disagreement=best[0]))
    return tuple(chosen)


def held_out(gold: Sequence[GoldItem], examples: Sequence[JudgeExample]) -> tuple[GoldItem, ...]:
    """Return the items that are not examples; the same answer under a different id also counts as an example."""
    ids = {example.item.id for example in examples}
    texts = {_text(example.item) for example in examples}
    return tuple(item for item in gold if item.id not in ids and _text(item) not in texts)


def _text(item: GoldItem) -> tuple[str, str]:
    return " ".join(item.question.split()).casefold(), " ".join(item.answer.split()).casefold()


# The minimum agreement of a judge that counts as strong. Source: Saxena and Owyang 2025, section 4.2 and appendix D.
TARGET_SPEARMAN = 0.8
TARGET_KENDALL = 0.65
WEIGHTED = "weighted"

Statistic = Callable[[Floats, Floats], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionAgreement:
    """A judge's agreement with people on one criterion, or on the weighted grade, over ``n`` answers.

    ``spearman`` and ``kendall`` (tau-b) are in [-1, 1], or None if they cannot be computed; ``no_correlation`` is the
    reason. ``exact`` and ``within_one`` are shares of answers, for grades rounded to whole numbers. ``bias`` is the
    mean of judge minus person, in points.
    """

    criterion: str
    n: int
    spearman: Interval | None
    kendall: Interval | None
    exact: Interval
    within_one: Interval
    bias: Interval
    no_correlation: str = ""

    @property
    def strong(self) -> bool:
        """Whether both correlations reach their targets."""
        pairs = ((self.spearman, TARGET_SPEARMAN), (self.kendall, TARGET_KENDALL))
        return all(found is not None and found.value >= target for found, target in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementReport:
    """A judge's agreement with a gold set: a row per criterion, then the weighted grades. ``examples`` are excluded."""

    judge: str
    rows: tuple[CriterionAgreement, ...]
    examples: tuple[str, ...] = ()
    seed: int = SEED


def measure_agreement(
    gold: Sequence[GoldItem],
    graded: Mapping[str, Grades],
    *,
    judge: str,
    examples: Sequence[JudgeExample] = (),
    seed: int = SEED,
    resamples: int = 1_000,
) -> AgreementReport:
    """Compare the grades of ``gold`` (by id) with people's scores; answers without a score for a criterion are skipped.

    Raises:
        InvalidInput: an item was an example shown to the judge or has no grade, or no item has a score.
    """
    kept = {item.id for item in held_out(gold, examples)}
    if shown := [item.id for item in gold if item.id not in kept]:
        raise InvalidInput(f"The judge was shown {', '.join(shown[:5])} as examples, so they cannot count.", field="id")
    missing = [item.id for item in gold if item.id not in graded]
    if missing:
        raise InvalidInput(f"The judge did not grade {', '.join(missing[:5])}.", field="id")
    columns: dict[str, list[tuple[float, int | float | None]]] = {
        name: [(graded[item.id].of(name), item.score(name)) for item in gold] for name in CRITERIA
    }
    columns[WEIGHTED] = [(graded[item.id].weighted, item.weighted) for item in gold]
    rows = []
    for name, pairs in columns.items():
        table = np.array([pair for pair in pairs if pair[1] is not None], dtype=np.float64)
        if len(table):
            rows.append(agree(name, table[:, 0], table[:, 1], seed=seed, resamples=resamples))
    if not rows:
        raise InvalidInput("No answer in the gold set has a score yet: fill in some scores in a spreadsheet.")
    used = tuple(sorted({example.item.id for example in examples}))
    return AgreementReport(judge=judge, rows=tuple(rows), examples=used, seed=seed)


def agree(criterion: str, judge: Floats, people: Floats, *, seed: int, resamples: int = 1_000) -> CriterionAgreement:
    """Return the agreement of two columns of grades for the same answers.

    Raises:
        InvalidInput: there are no grades, or the columns differ in length.
    """

    def interval(statistic: Statistic, first: Floats = judge, second: Floats = people) -> Interval:
        return bootstrap(lambda rows: statistic(first[rows], second[rows]), len(judge), seed=seed, resamples=resamples)

    rounded = round_half_up(judge), round_half_up(people)
    no_correlation = ""
    rank: list[Interval | None] = []
    for correlation in (spearman, kendall):
        try:
            rank.append(interval(correlation))
        except InvalidInput as error:
            no_correlation = str(error)
            rank.append(None)
    return CriterionAgreement(
        criterion=criterion,
        n=len(judge),
        spearman=rank[0],
        kendall=rank[1],
        exact=interval(accuracy_within, *rounded),
        within_one=interval(lambda first, second: accuracy_within(first, second, 1.0), *rounded),
        bias=bootstrap_mean(judge - people, seed=seed, resamples=resamples),
        no_correlation=no_correlation,
    )


def round_half_up(grades: Floats) -> Floats:
    """Round to whole grades, with halves rounded up: 3.5 becomes 4, and 4.5 becomes 5."""
    return np.floor(grades + 0.5)
