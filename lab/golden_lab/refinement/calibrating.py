"""The threshold below which a draft is written again: a quantile of the overlap on one's own traffic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from contracts.errors import InvalidInput
from contracts.text import Chunk, Passage
from evaluation.intervals import bootstrap, finite
from golden_lab.datasets.files import read_jsonl
from intrinsics.refinement.embedded import stored_template
from intrinsics.refinement.overlap import passage_overlap

# Source: the report on refinement policies for retrieval-augmented answers, section 3.4: the lowest 40 % fire.
QUANTILE = 0.4
# From so many on, the share of drafts below the quantile is known within ten points.
LEAST_DRAFTS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A threshold of S3 in [0, 1], and how it was found.

    ``threshold`` is the ``quantile`` of ``drafts`` signals with its 95 % interval, or, where these are too few
    (``enough`` is False), the shipped one. ``share_below`` is the share of the drafts that it would send back.
    """

    threshold: float
    low: float
    high: float
    quantile: float
    drafts: int
    share_below: float
    shipped: float
    enough: bool


def calibrate(
    signals: Sequence[float], *, quantile: float = QUANTILE, least: int = LEAST_DRAFTS, seed: int = 0
) -> Calibration:
    """Find the threshold that sends the lowest ``quantile`` of ``signals`` (S3 of drafts, in [0, 1]) back.

    Drafts of equal overlap are not told apart: the threshold fires strictly below, so that fewer may be sent back.

    Raises:
        InvalidInput: ``quantile`` is not between 0 and 1, or a signal is not in [0, 1].
    """
    if not 0 < quantile < 1:
        raise InvalidInput(f"a quantile of {quantile} cannot be: give a share between 0 and 1", field="quantile")
    shipped = stored_template().threshold
    values = finite("signals", signals) if len(signals) else np.zeros(0)
    if len(values) and not (values.min() >= 0 and values.max() <= 1):
        raise InvalidInput("an overlap lies in [0, 1]; one of those given does not", field="signals")
    enough = len(values) >= least
    threshold = low = high = shipped
    if enough:
        found = bootstrap(lambda rows: float(np.quantile(values[rows], quantile)), len(values), seed=seed)
        threshold, low, high = found.value, found.low, found.high
    return Calibration(
        threshold=round(threshold, 4),
        low=round(low, 4),
        high=round(high, 4),
        quantile=quantile,
        drafts=len(values),
        share_below=float((values < round(threshold, 4)).mean()) if len(values) else 0.0,
        shipped=shipped,
        enough=enough,
    )


def read_overlaps(path: Path) -> tuple[float, ...]:
    """Return S3 of each draft in a file of JSON lines with the fields ``draft`` and ``passages`` (a list of texts).

    Raises:
        InvalidInput: the file is not there, or a line lacks a field; the text names file and line.
    """
    return tuple(_overlap(row, f"{path}, draft {number}") for number, row in enumerate(read_jsonl(path), start=1))


def as_passage(text: str, number: int, *, title: str = "", document_id: str = "") -> Passage:
    """Return a text as the passage that a judgement reads; ``number`` tells passages of one question apart."""
    from tools.language import split_sentences

    name = document_id or f"passage {number}"
    chunk = Chunk(
        id=f"{name}-{number}", document_id=name, kind="passage", ordinal=number, text=text, page=1, last_page=1,
        document_title=title,
    )  # fmt: skip
    return Passage(
        chunk=chunk, document_name=title or name, document_title=title, score=0.0, sentences=split_sentences(text)
    )


def render_calibration(found: Calibration) -> str:
    """Return the finding in words, and the setting that puts it in force."""
    lines = [f"{found.drafts} drafts with a known overlap (S3)"]
    if not found.enough:
        lines.append(
            f"that is too few for a quantile (at least {LEAST_DRAFTS}): the shipped threshold {found.shipped:g} stands"
        )
        if found.drafts:
            lines.append(f"it sends {found.share_below:.0%} of these drafts back")
        return "\n".join(lines)
    return "\n".join([
        *lines,
        f"threshold {found.threshold:g} ({found.low:g} to {found.high:g}): the {found.quantile:.0%} quantile; it sends "
        f"{found.share_below:.0%} of them back, the shipped one is {found.shipped:g}",
        f"to put it in force: GOLDEN_REFINEMENT_THRESHOLD={found.threshold:g}",
    ])  # fmt: skip


def _overlap(row: Mapping[str, Any], place: str) -> float:
    draft, passages = row.get("draft"), row.get("passages")
    if not isinstance(draft, str) or not isinstance(passages, list) or not all(isinstance(p, str) for p in passages):
        raise InvalidInput(f'{place}: give "draft", a text, and "passages", a list of texts', field="drafts")
    return passage_overlap(draft, [as_passage(text, at) for at, text in enumerate(passages)])
