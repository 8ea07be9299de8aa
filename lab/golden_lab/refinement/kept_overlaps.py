"""The overlap of kept answers' first drafts with their passages: what a threshold of one's own is found from."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Engine, select

from database.session import reading
from library.records.models import turns

_OVERLAP = "S3"
# Who wrote the drafts that are never written again: they consist of passages.
_EXTRACTIVE = "embedded"


class OverlapStore:
    """Reads what was measured of drafts. Blocking and thread-safe; no text of a question or answer leaves it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def overlaps(self, *, limit: int = 10_000) -> tuple[float, ...]:
        """Return the overlap (S3) of the first drafts of the newest turns, at most of ``limit`` turns.

        Turns without one, and those whose draft no language model wrote, are passed over.

        Raises:
            Unavailable: the database cannot be used just now.
        """
        newest = select(turns.c.answer).where(turns.c.outcome.in_(("answered", "declined")))
        newest = newest.order_by(turns.c.asked_at.desc(), turns.c.id.desc()).limit(limit)
        with reading(self._engine) as connection:
            return tuple(_signals(row.answer for row in connection.execute(newest)))


def _signals(answers: Iterator[dict[str, Any]]) -> Iterator[float]:
    for answer in answers:
        record = answer.get("refinement")
        if record is not None and record.get("signal_name") == _OVERLAP and _written_by_a_model(answer):
            yield float(record["signal"])


def _written_by_a_model(answer: dict[str, Any]) -> bool:
    written = [step for step in answer.get("steps", ()) if step.get("node") == "write_answer"]
    return any((step.get("provenance") or {}).get("implementation", _EXTRACTIVE) != _EXTRACTIVE for step in written)
