"""The Python API on real files: questions, search, jargon, and how a bot ends."""

import asyncio
import gc
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from golden_retriever import (
    AsyncGoldenRetriever,
    ConfigurationError,
    FileReport,
    GoldenRetriever,
    IngestionReport,
    InvalidInput,
    Progress,
    Turn,
)
from tests.golden_retriever.served import ROOT, environment_for

DOCUMENTS = ROOT / "examples" / "documents"
HANDBOOK, RULES = DOCUMENTS / "interfaces-handbook.pdf", DOCUMENTS / "house-rules.md"
QUESTION = "What is the VCCQ level for DDR3?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("python-api") / "my-bot"


@pytest.fixture(scope="module")
def bot(folder: Path) -> Iterator[GoldenRetriever]:
    """A bot that has read two documents, and told of every file and its progress meanwhile."""
    heard: list[Progress | FileReport] = []
    with GoldenRetriever(folder, top_k=6, workers=1) as bot:
        report = bot.ingest(HANDBOOK, str(RULES), on_event=heard.append)
        assert isinstance(report, IngestionReport)
        assert {Path(each.path).name: each.status for each in report.files} == {
            HANDBOOK.name: "ingested",
            RULES.name: "ingested",
        }
        assert {type(event) for event in heard} == {Progress, FileReport}
        yield bot


def python(code: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a script, as a file of its own in ``folder``, to its end."""
    script = folder / "script.py"
    script.write_text(code, encoding="utf-8")
    environment = environment_for(folder / "unused")
    return subprocess.run(
        [sys.executable, *options, script], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


def test_an_answer_names_document_and_page(bot: GoldenRetriever) -> None:
    answer = bot.ask(QUESTION)
    assert answer.status == answer.outcome == "answered"
    assert "1.5 V" in answer.text
    assert (answer.citations[0].document_name, answer.citations[0].page) == (HANDBOOK.name, 8)
    assert 0.5 < answer.certainty <= 1


def test_a_search_finds_passages_with_their_places(bot: GoldenRetriever) -> None:
    hits = bot.search("ZQ calibration")
    assert 1 < len(hits) <= 6
    assert all(hit.score > 0 for hit in hits)
    first = hits[0]
    assert (first.document_name, first.page) == (HANDBOOK.name, 9)
    assert "ZQ" in first.text
    boxes = [line.box for line in first.chunk.boxes]
    assert boxes
    assert all(box.page == 9 and box.x0 < box.x1 and box.top < box.bottom for box in boxes)
    assert len(bot.search("ZQ calibration", top_k=2)) == 2
    for wrong in (lambda: bot.search(" "), lambda: bot.search("ZQ", top_k=0)):
        with pytest.raises(InvalidInput):
            wrong()


def test_a_stream_ends_with_the_answer_and_may_be_left_early(bot: GoldenRetriever) -> None:
    events = [*bot.stream(QUESTION)]
    assert type(events[0]).__name__ == "StepStarted"
    assert type(events[-1]).__name__ == "AnswerReady"
    left = bot.stream(QUESTION)
    next(left)
    del left
    assert bot.ask(QUESTION).status == "answered"
    with pytest.raises(InvalidInput, match="empty"):
        next(bot.stream(" "))

    async def notebook() -> str:
        return bot.ask(QUESTION).status

    assert asyncio.run(notebook()) == "answered", "a running event loop does not prevent it"


def test_added_term_applies_from_the_next_question_on(bot: GoldenRetriever) -> None:
    asked = "What does QXT stand for?"
    assert bot.ask(asked).status == "unknown_term"
    sense = bot.jargon.add("QXT", "Quick Exchange Table", context="assembly", aliases=["quick table"])
    assert "Quick Exchange Table" in bot.ask(asked).text
    assert bot.jargon.look_up("qxt") == bot.jargon.look_up("quick table") == (sense,)
    assert sense in bot.jargon.list(context="assembly")
    assert "assembly" in [each.name for each in bot.jargon.contexts()]

    other = bot.jargon.add("QXT", "Crystal Check", context="quartz", description="Counts crystals.")
    assert {each.extended_name for each in bot.jargon.look_up("QXT")} == {sense.extended_name, other.extended_name}
    by_department = bot.ask(asked, department="Quartz")
    assert by_department.readings[0].sense == other
    by_pick = bot.ask(asked, picks={"QXT": "Quick Exchange Table"})
    assert by_pick.readings[0].sense == sense
    bot.jargon.remove(other.id)
    assert bot.jargon.look_up("QXT") == (sense,)
    draft = bot.jargon.list(state="draft")[0]
    assert bot.jargon.publish(draft.id).state == "published"
    assert draft.id in [each.id for each in bot.jargon.look_up(draft.term)]


def test_an_unknown_department_is_refused_with_the_known_ones(bot: GoldenRetriever) -> None:
    bot.jargon.add_context("Memory", description="Chips that remember.", examples=["What is a DIMM?"])
    with pytest.raises(InvalidInput, match=r"no department 'Nowhere'.*Memory") as refused:
        bot.ask(QUESTION, department="Nowhere")
    assert refused.value.field == "department"


def test_follow_ups_are_understood_in_their_conversation_or_with_a_history(bot: GoldenRetriever) -> None:
    first = bot.ask(QUESTION, conversation_id="levels")
    remembered = bot.ask("And for DDR4?", conversation_id="levels")
    given = bot.ask(
        "And for DDR4?", history=[Turn(role="user", text=QUESTION), Turn(role="assistant", text=first.text)]
    )
    assert "VCCQ" in remembered.standalone_question
    assert remembered.standalone_question == given.standalone_question


def test_unchanged_files_are_skipped_and_missing_paths_refused(bot: GoldenRetriever, tmp_path: Path) -> None:
    assert bot.ingest(RULES).counts == {"unchanged": 1}
    with pytest.raises(InvalidInput, match="manualz"):
        bot.ingest(tmp_path / "manualz")
    with pytest.raises(InvalidInput, match="No file"):
        bot.ingest()


async def test_asynchronous_api_and_empty_folder(bot: GoldenRetriever, tmp_path: Path) -> None:
    async with GoldenRetriever.open(tmp_path / "other", workers=1) as other:
        assert isinstance(other, AsyncGoldenRetriever)
        empty = await other.ask("How are machines cleaned?")
        assert (empty.status, empty.citations) == ("declined", ())
        with pytest.raises(InvalidInput, match="no contexts"):
            await other.ask("How are machines cleaned?", department="Memory")

        note = tmp_path / "note.md"
        note.write_text("# Cleaning\n\nMachines are cleaned with ethanol every Friday.\n", encoding="utf-8")
        assert (await other.ingest(note)).count("ingested") == 1
        texts = [
            event.answer.text async for event in other.stream("How are machines cleaned?") if hasattr(event, "answer")
        ]
        assert len(texts) == 1
        assert "ethanol" in texts[0]

        # Two bots in one process share nothing.
        await other.jargon.add("QXT", "Quartz Test")
        assert [each.extended_name for each in await other.jargon.look_up("QXT")] == ["Quartz Test"]
        assert "ethanol" not in bot.ask("How are machines cleaned?").text
    with pytest.raises(RuntimeError, match="not open"):
        await other.ask("How are machines cleaned?")


def test_wrong_settings_are_named(tmp_path: Path) -> None:
    for name, value in (("top_k", 0), ("llm", "gpu-box:8000"), ("topk", 6)):
        with pytest.raises(ConfigurationError, match=name):
            GoldenRetriever(tmp_path / "bot", **{name: value})
    with pytest.raises(InvalidInput, match="data_dir"):
        GoldenRetriever(tmp_path / "bot", data_dir=tmp_path)
    assert not (tmp_path / "bot").exists()


def test_a_second_bot_may_open_the_folder(bot: GoldenRetriever, folder: Path) -> None:
    with GoldenRetriever(folder) as other:
        sense = other.jargon.add("QZT", "Quartz Zone Test")
        assert bot.jargon.look_up("QZT") == (sense,)
        assert other.ask(QUESTION).text == bot.ask(QUESTION).text


def test_closed_bot_refuses_questions(tmp_path: Path) -> None:
    with GoldenRetriever(tmp_path / "bot") as bot:
        bot.jargon.add("QXT", "Quartz Test")
    bot.close()
    for call in (lambda: bot.ask("Why?"), lambda: bot.search("Why?"), bot.jargon.list):
        with pytest.raises(RuntimeError, match="closed"):
            call()
    again = GoldenRetriever(tmp_path / "bot")
    assert len(again.jargon.list()) == 1
    # A bot that is garbage-collected is closed as well: the thread of its event loop ends.
    threads = threading.active_count()
    del again
    gc.collect()
    assert threading.active_count() < threads


def test_script_can_ingest_at_top_level_without_closing(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Cleaning\n\nMachines are cleaned with ethanol.\n", encoding="utf-8")
    code = """
from golden_retriever import GoldenRetriever
bot = GoldenRetriever("bot")
print(dict(bot.ingest("note.md").counts))
print(bot.ask("How are machines cleaned?").text)
"""
    done = python(code, tmp_path, "-W", "error::ResourceWarning")
    assert (done.returncode, done.stderr) == (0, "")
    counts, text = done.stdout.splitlines()
    assert counts == "{'ingested': 1}"
    assert "ethanol" in text


def test_foreign_package_with_one_of_our_names_is_reported(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "__init__.py").touch()
    done = python("import tools\nfrom golden_retriever import GoldenRetriever\n", tmp_path)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: Golden Retriever has a package called 'tools'")
    assert str(tmp_path / "tools") in last


@pytest.mark.slow
def test_the_examples_of_the_documentation_run(tmp_path: Path) -> None:
    (tmp_path / "manuals").mkdir()
    for document in (HANDBOOK, RULES):
        shutil.copy(document, tmp_path / "manuals")
    text = (ROOT / "docs" / "guides" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) > 8
    done = python("\n".join(blocks), tmp_path)
    assert done.returncode == 0, done.stderr
    assert "The VCCQ level for DDR3 is 1.5 V." in done.stdout
    assert "no department 'Nowhere'" in done.stdout


def test_importing_the_package_loads_nothing_else(tmp_path: Path) -> None:
    code = "import sys, golden_retriever; print('contracts' in sys.modules, golden_retriever.__version__)"
    assert python(code, tmp_path).stdout.startswith("False ")
