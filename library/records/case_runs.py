"""Stores runs of test cases: one at a time across all processes, with each result stored at once."""

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, delete, insert, select, update

from contracts.case_runs import CaseResult, CaseRun, RunMeasure, RunState
from contracts.errors import Conflict, NotFound
from contracts.records import Groups, NamedDocument
from database.statements import upsert
from database.transactions import reading, writing
from library.records.rows import decode_groups, encode_groups, groups_now, may_read_all, reason_withheld
from library.records.tables import case_results, case_runs
from library.tables import documents

_ID_BYTES = 6
MAX_RUNS = 200
# A process that has not stored a result for this long, which is longer than a case takes, is considered dead.
SILENT_FOR = timedelta(minutes=10)
_RUNNING = 1


class CaseRunStore:
    """Stores runs. The calls block and are thread-safe. A run is visible to readers of all groups of its starter.

    Only the newest ``most`` runs are kept.
    """

    def __init__(self, engine: Engine, *, most: int = MAX_RUNS) -> None:
        self._engine = engine
        self._most = most

    def begin(self, groups: Groups, measure: RunMeasure, *, who: str, cases: int) -> CaseRun:
        """Begin a run, and delete the oldest runs above the limit. Raises ``Conflict`` if a run is in progress."""
        now = datetime.now(UTC)
        values = {
            "id": f"run-{secrets.token_hex(_ID_BYTES)}", "slot": _RUNNING, "state": "running", "reason": "",
            "started_at": now, "seen_at": now, "finished_at": None, "who": who,
            "groups": encode_groups(groups), "made_of": measure.model_dump(), "cases": cases, "done": 0, "passed": 0,
        }  # fmt: skip
        with writing(self._engine) as connection:
            silent = (case_runs.c.slot == _RUNNING) & (case_runs.c.seen_at < now - SILENT_FOR)
            connection.execute(update(case_runs).where(silent).values(slot=None))
            new = upsert(connection, case_runs).values(**values).on_conflict_do_nothing(index_elements=["slot"])
            if connection.execute(new.returning(case_runs.c.id)).first() is None:
                raise Conflict("A run of the test cases is already in progress: wait until it ends, or cancel it.")
            newest = select(case_runs.c.id).order_by(case_runs.c.started_at.desc(), case_runs.c.id.desc())
            connection.execute(delete(case_runs).where(case_runs.c.id.not_in(newest.limit(self._most))))
            return _run_of(connection.execute(select(case_runs).where(case_runs.c.id == values["id"])).one(), now)

    def add(self, run_id: str, result: CaseResult) -> bool:
        """Store a result; return whether the run continues, which is false if it was stopped or replaced."""
        kept = result.model_dump(mode="json", exclude={"documents", "withheld", "passed"})
        with writing(self._engine) as connection:
            counted = {"done": case_runs.c.done + 1, "seen_at": datetime.now(UTC)}
            if result.passed:
                counted["passed"] = case_runs.c.passed + 1
            mine = update(case_runs).where(_under_way(run_id)).values(**counted).returning(case_runs.c.done)
            done = connection.execute(mine).scalar()
            if done is None:
                return False
            row = {"run_id": run_id, "case_id": result.case_id, "position": done, "passed": result.passed}
            groups = groups_now(connection, result.documents)
            quoted = {document_id: groups.get(document_id) for document_id in result.documents}
            connection.execute(insert(case_results).values(**row, withdrawn=False, result=kept, documents=quoted))
        return True

    def end(self, run_id: str, state: RunState, *, reason: str = "") -> None:
        """Record how a run ended: "done", "cancelled" or "failed". A run that has already ended is not changed."""
        values = {"state": state, "reason": reason, "slot": None, "finished_at": datetime.now(UTC)}
        with writing(self._engine) as connection:
            connection.execute(update(case_runs).where(_under_way(run_id)).values(**values))

    def stop(self, groups: Groups, run_id: str) -> CaseRun:
        """Mark a run as cancelled; its process, which may be a different one, notices this with the next result.

        Raises:
            NotFound: the run does not exist, or the reviewer may not see it.
            Conflict: the run has ended.
        """
        run = self.find(groups, run_id)
        if run.is_over:
            raise Conflict(f"The run has ended ({run.state}) and cannot be stopped.")
        self.end(run_id, "cancelled")
        return self.find(groups, run_id)

    def runs(self, groups: Groups, *, limit: int = MAX_RUNS) -> tuple[CaseRun, ...]:
        """Return up to ``limit`` runs that the reviewer may see, newest first."""
        now = datetime.now(UTC)
        with reading(self._engine) as connection:
            newest = select(case_runs).order_by(case_runs.c.started_at.desc(), case_runs.c.id.desc())
            rows = connection.execute(newest).all()
        return tuple(_run_of(row, now) for row in rows if may_read_all(groups, row.groups))[:limit]

    def find(self, groups: Groups, run_id: str) -> CaseRun:
        """Return a run. Raises ``NotFound``."""
        with reading(self._engine) as connection:
            row = connection.execute(select(case_runs).where(case_runs.c.id == run_id)).first()
        if row is None or not may_read_all(groups, row.groups):
            raise NotFound(f"There is no run {run_id!r}.")
        return _run_of(row, datetime.now(UTC))

    def results(self, groups: Groups, run_id: str) -> tuple[CaseResult, ...]:
        """Return the results of a run that the reviewer may see now, failures first. Raises ``NotFound``."""
        run = self.find(groups, run_id)
        query = select(case_results).where(case_results.c.run_id == run_id)
        with reading(self._engine) as connection:
            rows = connection.execute(query.order_by(case_results.c.passed, case_results.c.position)).all()
            now = groups_now(connection, (document_id for row in rows for document_id in row.documents))
        run_groups = encode_groups(run.groups)
        return tuple(_result_of(row, now, run_groups, groups) for row in rows)


def _under_way(run_id: str) -> ColumnElement[bool]:
    return (case_runs.c.id == run_id) & (case_runs.c.slot == _RUNNING)


def withdraw_results(connection: Connection) -> None:
    """Remove answers that cite a deleted document."""
    there = set(connection.execute(select(documents.c.id)).scalars())
    kept = connection.execute(select(case_results).where(~case_results.c.withdrawn))
    for row in [row for row in kept if not row.documents.keys() <= there]:
        mine = (case_results.c.run_id == row.run_id) & (case_results.c.case_id == row.case_id)
        redacted = {**row.result, "answer": "", "citations": [], "readings": []}
        connection.execute(update(case_results).where(mine).values(result=redacted, withdrawn=True))


def _run_of(row: Any, now: datetime) -> CaseRun:
    silent = row.state == "running" and row.seen_at < now - SILENT_FOR
    given = {"groups": decode_groups(row.groups), "measure": row.made_of}
    return CaseRun.model_validate({**row._mapping, **given, "state": "interrupted" if silent else row.state})


def _result_of(row: Any, now: Mapping[str, str], run_groups: str, groups: Groups) -> CaseResult:
    result = CaseResult(**row.result)
    named = [
        NamedDocument(id=document_id, name="", there=document_id in now, group=now.get(document_id, group))
        for document_id, group in row.documents.items()
    ]
    withheld = reason_withheld(run_groups, named, groups, withdrawn=row.withdrawn)
    if not withheld:
        return result
    veil: dict[str, Any] = {"answer": "", "citations": (), "readings": (), "withheld": withheld}
    if withheld == "forbidden":
        veil |= {"question": "", "gold": "", "error": ""}
    return result.model_copy(update=veil)
