"""What an encoder gets right: the area under the ROC curve of each head and source, and the F1 of marked terms."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from golden_lab.training.encoder.examples import BEGINNING, HEADS, IGNORED, INSIDE, Batch, Encoded, collate

Floats = NDArray[np.float32]
# From a batch to the pair logits (batch, heads) and the tag logits (batch, tokens, 3).
Forward = Callable[[Batch], tuple[Floats, Floats]]
_ROWS_A_BATCH = 32
_FEWEST_OF_A_CLASS = 8


def score_pairs(forward: Forward, rows: Sequence[Encoded]) -> Floats:
    """Return the pair logits of ``rows``, shape (rows, heads), in their order; computed by length."""
    order = sorted(range(len(rows)), key=lambda at: len(rows[at].ids))
    found = np.zeros((len(rows), len(HEADS)), dtype=np.float32)
    for start in range(0, len(order), _ROWS_A_BATCH):
        chosen = order[start : start + _ROWS_A_BATCH]
        found[chosen] = forward(collate([rows[at] for at in chosen]))[0]
    return found


def head_figures(logits: Floats, rows: Sequence[Encoded]) -> dict[str, Any]:
    """Return for each head "n" and "auroc" over all its rows, and "auroc_by_set".

    A set is the first folder or first two folders of a source ("mtrag", "squad2/train"); one with fewer than eight
    rows of a verdict has no AUROC.
    """
    figures: dict[str, Any] = {}
    for at, head in enumerate(HEADS):
        known = [row for row in range(len(rows)) if not np.isnan(rows[row].verdicts[at])]
        truth = np.array([rows[row].verdicts[at] > 0.5 for row in known], dtype=np.bool_)
        values = logits[known, at]
        sets: dict[str, list[int]] = {}
        for number, row in enumerate(known):
            sets.setdefault(set_of(rows[row].source), []).append(number)
        by_set = {
            name: round(auroc(values[chosen], truth[chosen]), 4)
            for name, chosen in sorted(sets.items())
            if min(int(truth[chosen].sum()), int((~truth[chosen]).sum())) >= _FEWEST_OF_A_CLASS
        }
        figures[head] = {
            "n": len(known),
            "auroc": round(auroc(values, truth), 4),
            "auroc_by_set": by_set,
        }
    return figures


def chosen_figure(figures: Mapping[str, Any]) -> float:
    """Return what is chosen by: the mean over the heads of the mean AUROC of their sets."""
    means = [float(np.mean(list(each["auroc_by_set"].values()))) for each in figures.values() if each["auroc_by_set"]]
    return float(np.mean(means)) if means else 0.0


def set_of(source: str) -> str:
    """Return the set of a source: without the way in which its pairs were made."""
    return source.rsplit("/", maxsplit=1)[0]


def term_f1(forward: Forward, rows: Sequence[Encoded]) -> float:
    """Return the F1 of whole terms: a term counts where its first and last token are right."""
    hits = said = there = 0
    for start in range(0, len(rows), _ROWS_A_BATCH):
        chosen = rows[start : start + _ROWS_A_BATCH]
        marked = forward(collate(chosen))[1].argmax(axis=-1)
        for row, marks in zip(chosen, marked.tolist(), strict=True):
            known = [mark if tag != IGNORED else IGNORED for mark, tag in zip(marks, row.tags, strict=False)]
            found, true = _runs(known), _runs(row.tags)
            hits, said, there = hits + len(found & true), said + len(found), there + len(true)
    return round(2 * hits / (said + there), 4) if said + there else 0.0


def auroc(values: NDArray[Any], truth: NDArray[np.bool_]) -> float:
    """Return the area under the ROC curve, ties half; 0.5 where all are of one class."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(truth, values)) if 0 < truth.sum() < len(truth) else 0.5


def _runs(marks: Sequence[int]) -> set[tuple[int, int]]:
    runs, start = set(), None
    for at, mark in enumerate((*marks, IGNORED)):
        if start is not None and mark != INSIDE:
            runs.add((start, at))
            start = None
        if mark == BEGINNING:
            start = at
    return runs
