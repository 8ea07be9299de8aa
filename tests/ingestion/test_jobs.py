"""Ingestions in the background, over a real pipeline and a real library."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from contracts.errors import Conflict, NotFound
from ingestion.jobs import IngestionJobs, JobOrder
from ingestion.pipeline import IngestionPipeline
from library.store import LibraryStore

MakePipeline = Callable[..., IngestionPipeline]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"Valve {number} opens at {number + 3} bar.\n")
    (folder / "empty.txt").write_bytes(b"")
    return folder


async def test_a_job_tells_what_becomes_of_each_file(
    make_pipeline: MakePipeline, store: LibraryStore, folder: Path
) -> None:
    changed: list[int] = []

    async def after() -> None:
        changed.append(len(store.documents()))

    jobs = IngestionJobs(make_pipeline, after)
    job = jobs.submit(JobOrder(paths=(folder,), group="crew", who="ann"))
    assert job.state == "queued"
    events = [event async for event in jobs.events(job.id)]
    kinds = [values["event"] for _, values in events]
    assert kinds[0] == "started"
    assert kinds[-1] == "done"
    told = {Path(values["path"]).name: values["status"] for _, values in events if values["event"] == "file"}
    assert told == {"0.txt": "ingested", "1.txt": "ingested", "2.txt": "ingested", "empty.txt": "failed"}
    numbers = [number for number, _ in events]
    assert numbers == sorted(set(numbers))
    late = [event async for event in jobs.events(job.id, after=numbers[-2])]
    assert late == events[-1:]
    over = jobs.job(job.id)
    assert over.state == "done"
    assert over.report is not None
    assert dict(over.report.counts) == {"ingested": 3, "failed": 1}
    assert {document.group for document in store.documents()} == {"crew"}
    assert changed == [3]
    with pytest.raises(Conflict):
        jobs.cancel(job.id)
    await jobs.close()


async def test_jobs_wait_for_one_another_and_can_be_stopped(
    make_pipeline: MakePipeline, store: LibraryStore, folder: Path
) -> None:
    jobs = IngestionJobs(make_pipeline)
    first = jobs.submit(JobOrder(paths=(folder,)))
    second = jobs.submit(JobOrder(paths=(folder,)))
    third = jobs.submit(JobOrder(paths=(folder,)))
    jobs.cancel(third.id)
    async for _, values in jobs.events(first.id):
        assert jobs.job(second.id).state == "queued"
        if values["event"] == "file":
            break
    jobs.cancel(first.id)
    last = [values async for _, values in jobs.events(second.id)][-1]
    assert last["state"] == "done"
    assert jobs.job(first.id).state == "cancelled"
    assert jobs.job(third.id).state == "cancelled"
    assert len(store.documents()) == 3
    with pytest.raises(NotFound):
        jobs.job("unknown")
    await jobs.close()


async def test_a_job_that_fails_says_why_and_the_next_one_runs(
    make_pipeline: MakePipeline, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pipelines = iter([None, make_pipeline()])
    jobs = IngestionJobs(lambda: next(pipelines))  # type: ignore[arg-type, return-value]
    broken, sound = (jobs.submit(JobOrder(paths=(folder,))) for _ in range(2))
    ends = [[values async for _, values in jobs.events(job.id)][-1] for job in (broken, sound)]
    assert [end["state"] for end in ends] == ["failed", "done"]
    assert "AttributeError" in ends[0]["reason"]
    (logged,) = caplog.records
    assert broken.id in logged.getMessage()
    assert logged.exc_info is not None
    await jobs.close()


async def test_a_job_that_is_stopped_before_its_first_step_is_over(make_pipeline: MakePipeline, folder: Path) -> None:
    # Of the steps of the event loop the stop may come between any two.
    for steps in range(6):
        jobs = IngestionJobs(make_pipeline)
        job = jobs.submit(JobOrder(paths=(folder,)))
        for _ in range(steps):
            await asyncio.sleep(0)
        jobs.cancel(job.id)
        events = [values async for _, values in jobs.events(job.id)]
        assert events[-1]["state"] == "cancelled"
        assert jobs.job(job.id).state == "cancelled"
        await jobs.close()


async def test_closing_ends_what_waits_for_those_who_watch_it(make_pipeline: MakePipeline, folder: Path) -> None:
    jobs = IngestionJobs(make_pipeline)
    running, waiting = (jobs.submit(JobOrder(paths=(folder,))) for _ in range(2))
    watching = asyncio.create_task(anext(jobs.events(waiting.id)))
    async for _ in jobs.events(running.id):
        break
    await jobs.close()
    _, told = await asyncio.wait_for(watching, 20)
    assert told["state"] == "cancelled"
    assert jobs.job(waiting.id).is_over
