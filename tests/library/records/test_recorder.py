"""Turns are written once, in order, by a recorder that no database can make slow."""

import asyncio
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import Engine

from contracts.errors import Unavailable
from contracts.records import TurnRecord
from database.connection import open_database
from database.migrating import migrate
from database.session import writing
from library.migrations import LIBRARY
from library.records.conversations import ConversationStore
from library.records.recorder import QueuedTurnRecorder
from library.records.turns import TurnStore
from tests.library.records.samples import ADA, turn_of


@dataclass
class Shelf:
    """Keeps turns; ``away`` times it does not answer, ``held`` lets it wait, ``refuses`` an id."""

    away: int = 0
    refuses: str = ""
    held: threading.Event | None = None
    kept: list[str] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)

    def add(self, given: Sequence[TurnRecord]) -> int:
        if self.held is not None:
            self.held.wait(30)
        if self.away:
            self.away -= 1
            raise Unavailable("the database is locked")
        if any(turn.id == self.refuses for turn in given):
            raise ValueError("a person's words")
        self.batches.append(len(given))
        self.kept += [turn.id for turn in given]
        return len(given)


async def test_a_turn_is_written_when_record_returns() -> None:
    shelf = Shelf()
    recorder = QueuedTurnRecorder(shelf, patience_s=30)
    assert await recorder.record(turn_of("1"))
    assert shelf.kept == ["1"]
    await recorder.close()


async def test_a_database_that_hangs_holds_no_answer_and_loses_no_turn() -> None:
    held = threading.Event()
    shelf = Shelf(held=held)
    recorder = QueuedTurnRecorder(shelf, patience_s=0.01)
    begun = time.monotonic()
    assert all(await asyncio.gather(*(recorder.record(turn_of(str(each))) for each in range(20))))
    assert time.monotonic() - begun < 10
    assert shelf.kept == []
    held.set()
    await recorder.close()
    assert shelf.kept == [str(each) for each in range(20)]
    assert len(shelf.batches) < 20, "those that wait are written together"


async def test_what_is_away_is_tried_again() -> None:
    shelf = Shelf(away=2)
    recorder = QueuedTurnRecorder(shelf, patience_s=30, retries_s=(0, 0))
    assert await recorder.record(turn_of("1"))
    assert shelf.kept == ["1"]
    shelf.away = 3
    assert not await recorder.record(turn_of("2"))
    assert await recorder.record(turn_of("3"))
    assert shelf.kept == ["1", "3"]
    await recorder.close()


async def test_one_bad_turn_costs_no_other_and_its_words_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    held = threading.Event()
    shelf = Shelf(refuses="2", held=held)
    recorder = QueuedTurnRecorder(shelf, patience_s=30)
    waiting = asyncio.gather(*(recorder.record(turn_of(each)) for each in "123"))
    await asyncio.sleep(0)
    held.set()
    assert await waiting == [True, False, True]
    assert shelf.kept == ["1", "3"]
    assert "a person's words" not in caplog.text
    await recorder.close()


async def test_no_more_wait_than_may() -> None:
    held = threading.Event()
    recorder = QueuedTurnRecorder(Shelf(held=held), patience_s=0, most_waiting=2)
    kept = [await recorder.record(turn_of(str(each))) for each in range(5)]
    assert kept[:2] == [True, True]
    assert False in kept
    held.set()
    await recorder.close()


def _record_and_die(url: str) -> None:
    engine = open_database(url)
    recorder = QueuedTurnRecorder(TurnStore(engine), patience_s=60)
    assert asyncio.run(recorder.record(turn_of("a")))
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_is_killed_after_an_answer_has_kept_it(engine: Engine, database_url: str) -> None:
    process = multiprocessing.get_context("spawn").Process(target=_record_and_die, args=(database_url,))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    (turn,) = ConversationStore(engine).turns(ADA.account, "one", None)
    assert turn.id == "a"


async def test_a_locked_database_delays_no_answer(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/golden.db"
    engine = open_database(url)
    migrate(engine, LIBRARY)
    recorder = QueuedTurnRecorder(TurnStore(engine), patience_s=0.05)
    with writing(open_database(url)):
        begun = time.monotonic()
        assert await recorder.record(turn_of("a"))
        assert time.monotonic() - begun < 10, "the lock is waited for up to a minute"
        assert ConversationStore(engine).page(ADA.account) == ()
    await recorder.close(timeout_s=60)
    assert [each.id for each in ConversationStore(engine).page(ADA.account)] == ["one"]
