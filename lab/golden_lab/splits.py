"""The two halves of a data set that is both fitted on and scored: no group is in both."""

import hashlib
from typing import Literal

from golden_lab.results import SplitUse

Half = Literal["fit", "score"]
Part = Literal["train", "dev", "calibration", "score"]

# Of 100 groups for training, this many train a model and this many decide when to stop; the rest calibrate its
# probabilities.
_TRAIN_PERCENT, _DEV_PERCENT = 75, 10


def half(set_name: str, group: str) -> Half:
    """Say in which half ``group`` of data set ``set_name`` lies: always the same one, whatever else the set holds.

    ``group`` is what must not be torn apart: a conversation, an article, an abbreviation. Only the first folder of
    ``set_name`` counts ("mtrag/tasks.jsonl.gz" is "mtrag"), so that a group lies in one half in every file of a set.
    """
    return "fit" if _digest(set_name.split("/", maxsplit=1)[0], group)[0] & 1 else "score"


def part_of(set_name: str, group: str, *, whole: bool = False) -> Part:
    """Say for what ``group`` of data set ``set_name`` may be used by a model that is trained, always the same.

    The half "score" of ``half`` stays "score"; of the half "fit" 75 % of the groups are "train" (weights), 10 % "dev"
    (early stopping and choices) and 15 % "calibration" (thresholds and probabilities of the trained model). ``whole``:
    the file is a training split of its own that nobody scores, so that all of its groups are split, none is "score".
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
    """Say whether the two share cases: the same file, and the same part of it or either of them all of it."""
    return first.file == second.file and (first.part == second.part or "all" in (first.part, second.part))


def _digest(*words: str) -> bytes:
    return hashlib.blake2b("\0".join(words).encode(), digest_size=8).digest()
