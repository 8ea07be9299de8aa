"""The two halves of a data set that is both fitted on and scored: no group is in both."""

import hashlib
from dataclasses import dataclass
from typing import Literal

Half = Literal["fit", "score"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitUse:
    """A part of a data set that is scored or fitted on.

    ``file`` is a path below the data folder. ``part`` is "all", or one of the two halves into which ``half`` parts the
    groups of the file; "all" overlaps with both.
    """

    file: str
    part: Literal["all", "fit", "score"] = "all"


def half(set_name: str, group: str) -> Half:
    """Say in which half ``group`` of data set ``set_name`` lies: the same one for ever, whatever else the set holds.

    ``group`` is what must not be torn apart: a conversation, an article, an abbreviation. Only the first folder of
    ``set_name`` counts ("mtrag/tasks.jsonl.gz" is "mtrag"), so that a group lies in one half in every file of a set.
    """
    digest = hashlib.blake2b(f"{set_name.split('/')[0]}\0{group}".encode(), digest_size=8).digest()
    return "fit" if digest[0] & 1 else "score"


def conversation_of(task_id: str) -> str:
    """Return the conversation of an MT-RAG task ("5b24…<::>2"): its group in every file of that set."""
    return task_id.split("<::>", 1)[0]


def overlap(first: SplitUse, second: SplitUse) -> bool:
    """Say whether the two share cases: the same file, and the same part of it or either of them all of it."""
    return first.file == second.file and (first.part == second.part or "all" in (first.part, second.part))
