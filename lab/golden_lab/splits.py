"""Splits a data set into a half for fitting and a half for scoring; no group is in both."""

import hashlib
from typing import Literal

from golden_lab.results import SplitUse

Half = Literal["fit", "score"]
Part = Literal["train", "dev", "calibration", "score"]

# The percentages of the training groups used to train a model and to decide when to stop; the rest calibrate its
# probabilities.
_TRAIN_PERCENT, _DEV_PERCENT = 75, 10


def half(set_name: str, group: str) -> Half:
    """Return the half of data set ``set_name`` that ``group`` belongs to, regardless of the rest of the set.

    ``group`` is a unit that must not be split: a conversation, an article, an abbreviation. Only the first folder of
    ``set_name`` counts ("mtrag/tasks.jsonl.gz" is "mtrag"), so that a group is in the same half in every file of a set.
    """
    return "fit" if _digest(set_name.split("/", maxsplit=1)[0], group)[0] & 1 else "score"


def part_of(set_name: str, group: str, *, whole: bool = False) -> Part:
    """Return what ``group`` of data set ``set_name`` may be used for when a model is trained; the result never changes.

    Groups in the "score" half stay "score"; of those in the "fit" half, 75% are "train" (weights), 10% "dev" (early
    stopping and choices) and 15% "calibration" (thresholds and probabilities of the trained model). With ``whole``, the
    file is a separate training split that nobody scores: none of its groups is "score".
    """
    if not whole and half(set_name, group) == "score":
        return "score"
    name = set_name.split("/", maxsplit=1)[0]
    percent = int.from_bytes(_digest("part", name, group), "big") % 100
    if percent < _TRAIN_PERCENT:
        return "train"
    return "dev" if percent < _TRAIN_PERCENT + _DEV_PERCENT else "calibration"


def conversation_of(task_id: str) -> str:
    """Return the conversation of an MT-RAG task ("5b24…<::>2"): its group in every file of that set."""
    return task_id.split("<::>", 1)[0]


def overlap(first: SplitUse, second: SplitUse) -> bool:
    """Return whether the two share cases: the same file, and either the same part or, for one of them, all parts."""
    return first.file == second.file and (first.part == second.part or "all" in (first.part, second.part))


def _digest(*words: str) -> bytes:
    return hashlib.blake2b("\0".join(words).encode(), digest_size=8).digest()
