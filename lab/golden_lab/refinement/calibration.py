"""The threshold below which a draft is rewritten: a quantile of the overlap in your own stored answers."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Engine, select

from contracts.errors import InvalidInput
from database.transactions import reading
from golden_lab.intervals import bootstrap
from intrinsics.refinement.embedded import stored_template
from library.records.tables import turns

# With at least this many drafts, the share below the quantile is accurate to ten percentage points.
LEAST_DRAFTS = 100
# The writer whose drafts are never rewritten, because they consist of passages.
_EXTRACTIVE = "embedded"


def kept_overlaps(engine: Engine, *, limit: int = 10_000) -> tuple[float, ...]:
    """Return the overlap (S3) of the first drafts of the newest ``limit`` turns.

    Turns without an overlap, and turns whose draft was not written by a language model, are ignored.

    Raises:
        Unavailable: the database cannot be used at the moment.
    """
    newest = select(turns.c.answer).where(turns.c.outcome.in_(("answered", "declined")))
    newest = newest.order_by(turns.c.asked_at.desc(), turns.c.id.desc()).limit(limit)
    with reading(engine) as connection:
        return tuple(_signals(row.answer for row in connection.execute(newest)))


def _signals(answers: Iterator[dict[str, Any]]) -> Iterator[float]:
    for answer in answers:
        record = answer.get("refinement") or {}
        writers = [step.get("provenance") or {} for step in answer.get("steps", ()) if step["node"] == "write_answer"]
        if record.get("signal_name") == "S3" and any(each.get("implementation") != _EXTRACTIVE for each in writers):
            yield float(record["signal"])


def render_calibration(signals: Sequence[float], quantile: float = 0.4, *, seed: int = 0) -> str:
    """Describe the threshold that sends back the lowest ``quantile`` of ``signals`` (S3 of drafts), and how to set it.

    Only drafts strictly below the threshold are sent back, so their share may be smaller if several have the same
    overlap. Source: the report on refinement policies for retrieval-augmented answers, section 3.4 (lowest 40%).

    Raises:
        InvalidInput: ``quantile`` is not between 0 and 1.
    """
    if not 0 < quantile < 1:
        raise InvalidInput(f"a quantile of {quantile} is not possible: give a share between 0 and 1", field="quantile")
    shipped, values = stored_template().threshold, np.array(signals)
    head = f"{len(values)} drafts with a known overlap (S3)"
    if len(values) < LEAST_DRAFTS:
        return f"{head}: too few for a quantile (at least {LEAST_DRAFTS}), the shipped threshold {shipped:g} is kept"
    found = bootstrap(lambda rows: float(np.quantile(values[rows], quantile)), len(values), seed=seed)
    threshold = round(found.value, 4)
    return (
        f"{head}\nthreshold {threshold:g} ({found.low:.4g} to {found.high:.4g}): the {quantile:.0%} quantile; it sends "
        f"{(values < threshold).mean():.0%} of them back, the shipped one is {shipped:g}\n"
        f"to put it in force: GOLDEN_REFINEMENT_THRESHOLD={threshold:g}"
    )
