"""Ingestions that a stopping server leaves, and the next one takes up."""

import asyncio
from pathlib import Path

from golden_retriever.settings import Settings
from golden_retriever.unfinished import keep_unfinished, resume_unfinished
from golden_retriever.wiring import Application, open_application
from ingestion.jobs import JobOrder


def settings_of(folder: Path) -> Settings:
    return Settings(data_dir=folder / "data", workers=1, dense_index="exact")  # type: ignore[call-arg]


async def ended(application: Application) -> list[str]:
    async with asyncio.timeout(60):
        while not all(job.is_over for job in application.jobs.jobs()):  # noqa: ASYNC110 - jobs tell nobody
            await asyncio.sleep(0.05)
    return [job.state for job in application.jobs.jobs()]


async def test_what_ran_and_what_waited_is_read_by_the_next_server(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.md").write_text(f"# {name}\n\nThe pump of {name} is checked.\n", encoding="utf-8")
    async with open_application(settings_of(tmp_path), one_shot=True) as stopping:
        stopping.jobs.submit(JobOrder(paths=(tmp_path / "one",), group="nand", who="Ada"))
        stopping.jobs.submit(JobOrder(paths=(tmp_path / "two",)))
        assert keep_unfinished(stopping) == 2
        await stopping.close()
        assert stopping.store.documents() == ()

    async with open_application(settings_of(tmp_path), one_shot=True) as starting:
        (starting.settings.data_dir / "unfinished" / "torn.json").write_text("{", encoding="utf-8")
        assert resume_unfinished(starting) == 2
        assert [job.order.who for job in starting.jobs.jobs()] == ["Ada", ""]
        assert await ended(starting) == ["done", "done"]
        assert {document.name: document.group for document in starting.store.documents()} == {
            "one.md": "nand",
            "two.md": "everyone",
        }
        # Each is taken up once, and what is over is not kept.
        assert keep_unfinished(starting) == 0
        assert resume_unfinished(starting) == 0
