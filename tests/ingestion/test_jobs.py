"""Ingestions in the background, over a real pipeline, a real library, and a queue that outlives its servers."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import pytest
from sqlalchemy import Engine, text

from contracts.errors import Conflict, NotFound, Unavailable
from contracts.jobs import IngestionJob, JobOrder
from database.migrations import MigrationScope
from ingestion.jobs import IngestionJobs
from library import job_queue
from library.job_queue import LOST_AFTER, MAX_ATTEMPTS, JobQueue
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.hashing_embedder import HashingEmbedder
from tests.ingestion.reading_files import MakePipeline

OpenJobs = Callable[..., IngestionJobs]


@pytest.fixture
def tables() -> tuple[MigrationScope, ...]:
    return (LIBRARY,)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"Valve {number} opens at {number + 3} bar.\n")
    (folder / "empty.txt").write_bytes(b"")
    return folder


def order(folder: Path, **options: Any) -> JobOrder:
    return JobOrder(paths=(str(folder),), **options)


@pytest.fixture
async def open_jobs(make_pipeline: MakePipeline, store: LibraryStore) -> AsyncIterator[OpenJobs]:
    """Yield what opens a server's jobs over the queue; ``pipeline`` is that of each job."""
    opened: list[IngestionJobs] = []

    def open_server(pipeline: Any = make_pipeline, **options: Any) -> IngestionJobs:
        opened.append(IngestionJobs(JobQueue(store.engine), pipeline, **options))
        return opened[-1]

    yield open_server
    for jobs in opened:
        await jobs.close()


def let_all_be_tried_now(store: LibraryStore) -> None:
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE ingestion_jobs SET next_try_at = queued_at"))


async def last_of(jobs: IngestionJobs, job_id: str) -> IngestionJob:
    return [job async for job in jobs.watch(job_id)][-1]


async def test_job_reports_its_progress(open_jobs: OpenJobs, store: LibraryStore, folder: Path) -> None:
    changed: list[int] = []

    async def after() -> None:
        changed.append(len(store.documents()))

    jobs = open_jobs(after=after)
    job = await jobs.submit(order(folder, group="crew", who="ann"))
    assert job.state == "queued"
    told = [each async for each in jobs.watch(job.id)]
    assert told[-1].is_over
    assert [each.is_over for each in told].count(True) == 1
    assert (await last_of(jobs, job.id)) == told[-1]
    over = jobs.queue.job(job.id)
    assert (over.state, over.who, over.attempts) == ("done", "ann", 1)
    assert over.counts == {"ingested": 3, "failed": 1}
    assert [Path(each.path).name for each in over.failed] == ["empty.txt"]
    assert {document.group for document in store.documents()} == {"crew"}
    assert changed == [3]
    with pytest.raises(Conflict):
        await jobs.cancel(job.id)


async def test_jobs_wait_and_can_be_cancelled(open_jobs: OpenJobs, store: LibraryStore, folder: Path) -> None:
    jobs = open_jobs()
    first, second, third = [await jobs.submit(order(folder)) for _ in range(3)]
    assert (await jobs.cancel(third.id)).state == "cancelled"
    await jobs.cancel(first.id)
    assert (await last_of(jobs, first.id)).state in ("cancelled", "done")
    assert (await last_of(jobs, second.id)).state == "done"
    assert (await last_of(jobs, third.id)).state == "cancelled"
    assert len(store.documents()) == 3
    with pytest.raises(NotFound):
        jobs.queue.job("unknown")


async def test_failed_job_gives_its_reason_and_the_next_one_runs(
    open_jobs: OpenJobs, make_pipeline: MakePipeline, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pipelines = iter([None, make_pipeline()])
    jobs = open_jobs(lambda: next(pipelines))
    broken, sound = [await jobs.submit(order(folder)) for _ in range(2)]
    ends = [await last_of(jobs, job.id) for job in (broken, sound)]
    assert [end.state for end in ends] == ["failed", "done"]
    assert "AttributeError" in ends[0].reason
    assert any(broken.id in record.getMessage() and record.exc_info for record in caplog.records)


async def test_watched_folder_is_read_repeatedly(open_jobs: OpenJobs, store: LibraryStore, folder: Path) -> None:
    jobs = open_jobs(watched_roots=[folder])
    manuals = folder / "manuals"
    manuals.mkdir()
    (folder / "0.txt").rename(manuals / "0.txt")
    os.utime(manuals / "0.txt", (1e9, 1e9))
    job = await jobs.submit(order(manuals, watch=True, prune=True))

    async def looked_again(before: datetime | None) -> IngestionJob:
        let_all_be_tried_now(store)
        async with aclosing(jobs.watch(job.id)) as states:
            async for now in states:
                if now.finished_at != before:
                    return now
        raise AssertionError("the job is over")

    first = await looked_again(None)
    assert (first.state, first.counts, first.reason, first.attempts) == ("queued", {"ingested": 1}, "", 0)
    # Nothing has changed: the result of the last check is kept.
    second = await looked_again(first.finished_at)
    assert (second.state, second.counts) == ("queued", {"ingested": 1})
    (manuals / "0.txt").rename(folder / "0.txt")
    third = await looked_again(second.finished_at)
    assert (third.counts, store.documents()) == ({"removed": 1}, ())
    manuals.rmdir()
    manuals.symlink_to(folder.parent)
    fourth = await looked_again(third.finished_at)
    assert (fourth.state, "Only folders below" in fourth.reason) == ("queued", True)
    assert (await jobs.cancel(job.id)).state == "cancelled"


async def test_job_that_failed_temporarily_is_retried(
    open_jobs: OpenJobs, make_pipeline: MakePipeline, store: LibraryStore, folder: Path
) -> None:
    embedder = HashingEmbedder()
    pipeline = make_pipeline(embedder=embedder)
    jobs = open_jobs(lambda: pipeline)
    with patch.object(embedder, "embed_documents", side_effect=Unavailable("the embedding server is away")):
        job = await jobs.submit(order(folder))
        async for waiting in jobs.watch(job.id):
            if waiting.state == "queued" and waiting.attempts:
                break
    assert (waiting.state, waiting.attempts, waiting.reason) == ("queued", 1, "the embedding server is away")
    assert waiting.next_try_at > datetime.now(UTC) + timedelta(seconds=10)
    assert jobs.queue.take() is None
    let_all_be_tried_now(store)
    end = await last_of(jobs, job.id)
    assert (end.state, end.attempts) == ("done", 2)
    assert len(store.documents()) == 3


async def test_next_server_continues_running_and_waiting_jobs(open_jobs: OpenJobs, folder: Path) -> None:
    stopping = open_jobs()
    running, waiting = [await stopping.submit(order(folder)) for _ in range(2)]
    watching = stopping.watch(running.id)
    while (await anext(watching)).state != "running":
        pass
    await stopping.close()
    # The stream breaks off without a final message.
    assert not any([each.is_over async for each in watching])
    assert [job.state for job in stopping.queue.jobs()] == ["queued", "queued"]

    starting = open_jobs()
    starting.start()
    assert [(await last_of(starting, job.id)).state for job in (running, waiting)] == ["done", "done"]
    # A stop of the server does not count as an attempt.
    assert [job.attempts for job in starting.queue.jobs()] == [1, 1]


def test_servers_share_one_queue(engine: Engine, folder: Path) -> None:
    one, other = JobQueue(engine), JobQueue(engine)
    first, second = (one.add(order(folder, who=name)) for name in ("ann", "ben"))
    with engine.connect() as connection, connection.begin():
        # A server that is taking the first job does not block the others.
        if engine.name == "postgresql":
            connection.execute(text("SELECT * FROM ingestion_jobs WHERE number = 1 FOR UPDATE"))
            skipped = other.take()
            assert skipped.id == second.id
            other.release(skipped)
    taken = [queue.take() for queue in (one, other, one)]
    assert [job and job.id for job in taken] == [first.id, second.id, None]
    assert one.counts() == {"running": 2}
    # A server can cancel a job that another server runs.
    assert one.note(taken[0])
    other.cancel(first.id)
    assert not one.note(taken[0])


def test_job_of_a_dead_server_is_retried_a_limited_number_of_times(engine: Engine, folder: Path) -> None:
    queue = JobQueue(engine)
    job = queue.add(order(folder))
    gone = text("UPDATE ingestion_jobs SET seen_at = :moment")
    long_ago = (datetime.now(UTC) - 2 * LOST_AFTER).replace(tzinfo=None).isoformat(" ")
    former = None
    for attempt in range(1, MAX_ATTEMPTS + 1):
        taken = queue.take()
        assert taken.attempts == attempt
        if former is not None:
            # The server that lost the job was only slow: it learns that the job is no longer its own, and changes
            # nothing.
            assert not queue.note(former)
            queue.finish(former.model_copy(update={"state": "done"}))
        former = taken
        with engine.begin() as connection:
            connection.execute(gone, {"moment": long_ago})
    assert queue.take() is None
    over = queue.job(job.id)
    assert over.state == "failed"
    assert f"stopped each of {MAX_ATTEMPTS} times" in over.reason


def test_waiting_and_old_jobs_are_limited(engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_queue, "_MAX_WAITING", 2)
    monkeypatch.setattr(job_queue, "_OVER_KEPT", 1)
    queue = JobQueue(engine)
    first, second = [queue.add(order(folder)) for _ in range(2)]
    with pytest.raises(Unavailable, match="2 ingestions are already waiting"):
        queue.add(order(folder))
    for job in (first, second):
        queue.cancel(job.id)
    third = queue.add(order(folder))
    assert [job.id for job in queue.jobs()] == [second.id, third.id]


async def test_job_that_fails_temporarily_each_time_ends(open_jobs: OpenJobs, folder: Path) -> None:
    jobs = open_jobs(Mock(side_effect=Unavailable("It is away.")))
    with patch("ingestion.jobs._FIRST_WAIT_S", 0):
        end = await last_of(jobs, (await jobs.submit(order(folder))).id)
    assert (end.state, end.reason, end.attempts) == ("failed", "It is away.", MAX_ATTEMPTS)
