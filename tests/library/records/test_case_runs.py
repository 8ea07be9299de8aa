"""Runs of test cases on SQLite and PostgreSQL: one at a time, seen by whom, and what documents that are gone leave."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, update

from contracts.case_runs import CaseResult, CaseRun
from contracts.errors import Conflict, InvalidInput, NotFound
from contracts.records import common_groups
from library.records.case_runs import SILENT_FOR, CaseRunStore
from library.records.cases import CaseStore
from library.records.retention import withdraw_answers
from library.records.reviews import ReviewStore
from library.records.rows import decode_groups, encode_groups
from library.records.tables import case_runs
from library.records.turns import TurnStore
from library.store import LibraryStore
from tests.library.records.samples import BOTH, EVERYONE, MEASURE, turn_of
from tests.library.samples import Put


@pytest.fixture
def runs(engine: Engine) -> CaseRunStore:
    return CaseRunStore(engine)


def begin(runs: CaseRunStore, groups: frozenset[str] | None = EVERYONE, cases: int = 2) -> CaseRun:
    return runs.begin(groups, MEASURE, who="Eve", cases=cases)


def result_of(case_id: str, *documents: str, right: bool = True) -> CaseResult:
    return CaseResult(
        case_id=case_id, question="What is VPP?", expected="answered", outcome="answered",
        differs=() if right else ("wording", "citation"), milliseconds=12.5, answer="It is 1.5 V.", gold="2.5 V",
        citations=("ddr4.pdf, page 3",), readings=("VPP = Pump",), certainty=0.7,
        documents=tuple(documents),
    )  # fmt: skip


def test_one_run_at_a_time_is_counted_case_by_case(runs: CaseRunStore) -> None:
    run = begin(runs)
    with pytest.raises(Conflict, match="already"):
        begin(runs, None)
    runs.add(run.id, result_of("fine"))
    runs.add(run.id, result_of("wrong", right=False))
    now = runs.find(EVERYONE, run.id)
    assert (now.state, now.done, now.passed, now.measure, now.who) == ("running", 2, 1, MEASURE, "Eve")
    assert [each.case_id for each in runs.results(EVERYONE, run.id)] == ["wrong", "fine"]
    assert runs.results(EVERYONE, run.id)[1] == result_of("fine").model_copy(update={"documents": ()})
    runs.end(run.id, "done")
    over = runs.find(EVERYONE, run.id)
    assert over.is_over
    assert over.finished_at is not None
    second = begin(runs)
    assert [each.id for each in runs.runs(EVERYONE)] == [second.id, run.id]


def test_run_can_be_stopped_by_anyone_who_may_see_it(runs: CaseRunStore) -> None:
    run = begin(runs, BOTH)
    for call in (runs.find, runs.results, runs.stop):
        with pytest.raises(NotFound):
            call(EVERYONE, run.id)
    assert runs.runs(EVERYONE) == ()
    assert runs.runs(None)[0].groups == BOTH
    assert runs.stop(BOTH, run.id).state == "cancelled"
    assert not runs.add(run.id, result_of("late"))
    runs.end(run.id, "done")
    with pytest.raises(Conflict, match="cancelled"):
        runs.stop(None, run.id)


def test_run_of_a_dead_process_makes_room_for_another(runs: CaseRunStore, engine: Engine) -> None:
    run = begin(runs)
    silent = datetime.now(UTC) - SILENT_FOR - timedelta(seconds=1)
    with engine.begin() as connection:
        connection.execute(update(case_runs).values(seen_at=silent))
    assert runs.find(EVERYONE, run.id).state == "interrupted"
    assert begin(runs).state == "running"
    # The old process is alive after all, but another run has taken its place.
    assert not runs.add(run.id, result_of("late"))


def test_oldest_runs_are_deleted_beyond_the_limit(engine: Engine) -> None:
    runs = CaseRunStore(engine, most=2)
    first = begin(runs)
    runs.end(first.id, "done")
    for _ in range(2):
        runs.end(begin(runs).id, "done")
    assert len(runs.runs(None)) == 2
    with pytest.raises(NotFound):
        runs.find(None, first.id)


def test_case_answer_is_withheld_if_its_documents_are_unreadable(
    runs: CaseRunStore, engine: Engine, put: Put, store: LibraryStore
) -> None:
    plan, gone = put("plan", "a"), put("gone", "b")
    run = begin(runs)
    runs.add(run.id, result_of("kept", plan.id))
    runs.add(run.id, result_of("lost", gone.id))
    store.delete_document(gone.id)
    kept, lost = runs.results(EVERYONE, run.id)
    assert (kept.withheld, kept.answer) == ("", "It is 1.5 V.")
    assert (lost.withheld, lost.answer, lost.citations, lost.question) == ("gone", "", (), "What is VPP?")
    withdraw_answers(engine)
    assert runs.results(None, run.id)[1].answer == ""
    put("plan", "a", group="lab")
    moved = runs.results(EVERYONE, run.id)[0]
    assert (moved.withheld, moved.question, moved.answer, moved.gold) == ("forbidden", "", "", "")
    assert runs.results(BOTH, run.id)[0].answer == "It is 1.5 V."


def test_case_change_requires_the_current_version(engine: Engine) -> None:
    TurnStore(engine).add([turn_of("one")])
    cases, turn = CaseStore(engine), ReviewStore(engine).find(None, "one")
    case = cases.make(turn, {"answer": "1.5 V", "term": None, "sense": None}, who="Eve")
    assert (case.asker_groups, case.version, case.case["term"], case.case["sense"]) == (BOTH, 1, None, None)
    changed = cases.change(BOTH, case.id, {"answer": "2.5 V", "id": "x", "page": None}, version=1)
    assert (changed.version, changed.case["answer"], changed.case["id"]) == (2, "2.5 V", case.id)
    assert cases.cases(BOTH) == (changed,)
    with pytest.raises(Conflict):
        cases.change(BOTH, case.id, {"answer": "3 V"}, version=1)
    with pytest.raises(InvalidInput, match="correct answer"):
        cases.change(BOTH, case.id, {"answer": " "})
    with pytest.raises(NotFound):
        cases.change(EVERYONE, case.id, {"answer": "3 V"})


def test_common_groups_of_two_readers() -> None:
    assert common_groups(None, None) is None
    assert common_groups(EVERYONE, None) == common_groups(None, EVERYONE) == common_groups(EVERYONE, BOTH) == EVERYONE
    assert common_groups(EVERYONE, frozenset({"lab"})) == frozenset()
    for groups in (None, frozenset(), BOTH):
        assert decode_groups(encode_groups(groups)) == groups
