"""What a data set is made of, in tokens."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from golden_lab.training.data.chunking import TokenSpans
from golden_lab.training.data.values import CONDITIONS, Condition, ConditionedExample


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCounts:
    """Tokens of one part over all examples: mean, median, 95th percentile and the most; 0 where there are none."""

    mean: float
    median: float
    p95: float
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionStatistics:
    """The examples of one condition: how many, the tokens of their parts, and the share of chunks that are relevant."""

    condition: Condition
    examples: int
    query: TokenCounts
    context: TokenCounts
    reference: TokenCounts
    relevant_share: float


def statistics_of(examples: Sequence[ConditionedExample], spans_of: TokenSpans) -> tuple[ConditionStatistics, ...]:
    """Return the statistics of each condition that occurs, in the order of ``CONDITIONS``."""
    found = []
    for condition in CONDITIONS:
        rows = [each for each in examples if each.condition == condition]
        if not rows:
            continue
        labels = [label for each in rows for label in each.relevant]
        found.append(
            ConditionStatistics(
                condition=condition,
                examples=len(rows),
                query=_counts([len(spans_of(each.query)) for each in rows]),
                context=_counts([sum(len(spans_of(chunk)) for chunk in each.chunks) for each in rows]),
                reference=_counts([len(spans_of(each.reference)) for each in rows]),
                relevant_share=sum(labels) / len(labels) if labels else 0.0,
            )
        )
    return tuple(found)


def _counts(values: Sequence[int]) -> TokenCounts:
    ordered = sorted(values)
    return TokenCounts(
        mean=sum(ordered) / len(ordered),
        median=float(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2,
        p95=float(ordered[math.ceil(0.95 * len(ordered)) - 1]),
        most=ordered[-1],
    )
