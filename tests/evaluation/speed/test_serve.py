"""The bench of many clients: its questions, its client, whose call is whose, its sums and its report."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import InvalidInput
from contracts.question import Asker
from evaluation.speed.llm_server import Call, Rate
from evaluation.speed.serve import read_levels
from evaluation.speed.serve_clients import Load, Loaded, Streamed, load
from evaluation.speed.serve_probe import LoopProbe, ProbeReport
from evaluation.speed.serve_questions import make_questions
from evaluation.speed.serve_report import render_serve, serve_as_json
from evaluation.speed.serve_values import ServeSpeed, Spread, added_to, level_of, spread

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def event(content: str = "", **more: Any) -> bytes:
    text = json.dumps({"choices": [{"delta": {"content": content}}], **more})
    return f"data: {text}\n\n".encode()


END = b'data: {"choices": [{"delta": {}}], "golden": {"outcome": "answered"}}\n\n'
WHOLE = [event(), event(golden={"draft": "It"}), event("It is so."), END, b"data: [DONE]\n\n"]


@contextmanager
def answering(head: bytes, events: list[bytes], *, ends: bool = True) -> Iterator[str]:
    """Serve the same answer to every request, on a loop in a thread; the chunks cut events in two."""
    loop = asyncio.new_event_loop()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head)
        body = b"".join(events)
        for part in (body[:17], body[17:]) if body else ():
            writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
            await writer.drain()
        if ends:
            writer.write(b"0\r\n\r\n")
        writer.close()

    server = loop.run_until_complete(asyncio.start_server(answer, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
        loop.close()


def loaded_from(address: str, *, requests: int = 3) -> Loaded:
    return load(Load(address=address, clients=2, questions=("a?", "b?"), seconds=0, spread_s=0, requests=requests))


def test_every_client_reads_whole_streams_and_what_is_asked_again_is_counted() -> None:
    with answering(HEAD, WHOLE) as address:
        found = loaded_from(address)
    assert sorted(each.question for each in found.streams) == ["a?", "a?", "b?"]
    assert found.repeated == 1
    for each in found.streams:
        assert (each.error, each.outcome, each.chunks) == ("", "answered", 4)
        moments = [each.sent_s, each.first_byte_s, each.draft_s, each.content_s, each.done_s]
        assert moments == sorted(moment for moment in moments if moment is not None)


@pytest.mark.parametrize(
    ("head", "events", "ends", "error"),
    [
        (HEAD, WHOLE[:-1], True, "the stream ended without [DONE]"),
        (HEAD, WHOLE[:-1], False, "IncompleteReadError"),
        (HEAD, [event(), b'data: {"error": {"message": "It broke."}}\n\n', WHOLE[-1]], True, "error event: It broke."),
        (b"HTTP/1.1 429 Too Many Requests\r\n\r\n", [], False, "status 429"),
    ],
)
def test_what_is_no_whole_answer_is_an_error(head: bytes, events: list[bytes], ends: bool, error: str) -> None:
    with answering(head, events, ends=ends) as address:
        (found,) = loaded_from(address, requests=1).streams
    assert error in found.error


def streamed(client: int, question: str, sent_s: float, done_s: float, **more: Any) -> Streamed:
    return Streamed(client=client, question=question, sent_s=sent_s, done_s=done_s, **more)


def call(asked: str, began_s: float, milliseconds: float) -> Call:
    return Call(
        prompt_tokens=1, shared_tokens=0, completion_tokens=1, streamed=True, milliseconds=milliseconds,
        began_s=began_s, asked=asked,
    )  # fmt: skip


def test_added_is_what_the_client_waited_less_what_the_model_took_for_that_question() -> None:
    streams = [
        streamed(0, "How fast is the blue bus?", 0.0, 10.0),
        streamed(1, "How fast is the red bus?", 0.0, 8.0),
        streamed(2, "Where is the depot?", 0.0, 3.0),
    ]
    calls = [
        call("Question: How fast is the red bus?", 0.5, 7_000),
        # Two at the same time count once: from 1 to 4.
        call("Question: How fast is the blue bus?", 1.0, 2_000),
        call("Question: How fast is the blue bus?", 2.0, 2_000),
        call("Question: How fast is the bleu bus?", 8.5, 1_000),
        call("Question: How fast is the blue bus?", 11.0, 1_000),
        call("Question: What does a ticket cost?", 1.0, 1_000),
    ]
    added = added_to(streams, calls)
    assert added is not None
    assert added.unmatched == 1
    # Blue: 10 - 3 - 1 s; red: 8 - 7 s.
    assert (added.total.p50, added.total.p95, added.total.most) == (1_000.0, 6_000.0, 6_000.0)
    assert (added.before.p50, added.before.most) == (500.0, 1_000.0)
    assert added.after.p50 == 500.0
    assert added_to(streams, []) is None


def test_percentiles_are_values_that_were_seen() -> None:
    assert spread([]) is None
    assert spread([float(n) for n in range(1, 201)]) == Spread(p50=100, p95=190, p99=198, most=200)
    assert spread([3.0]) == Spread(p50=3, p95=3, p99=3, most=3)


def report(
    cpu_s: float, memory: tuple[tuple[float, float], ...] = ((0.0, 100.0),), *, pid: int = 1, **more: Any
) -> ProbeReport:
    plain: dict[str, Any] = {"serves": True, "lags_ms": (1.0, 2.0), "answered": (), "files": 20}
    return ProbeReport(
        pid=pid, memory=memory, cpu_s=cpu_s, loop_cpu_s=cpu_s / 2, tasks=3, threads=8, **{**plain, **more}
    )


BEFORE = (report(1.0),)
AFTER = (report(11.0, ((0.0, 100.0), (50.0, 101.0), (100.0, 102.0))),)


def level(clients: int, added_s: float, *, before: Any = BEFORE, after: Any = AFTER, **more: Any) -> Any:
    streams = tuple(
        streamed(n % clients, f"question number {n}?", float(n), n + 5.0 + added_s, **more) for n in range(100)
    )
    return level_of(
        clients,
        Loaded(streams=streams, began_s=0.0, cpu_s=2.0, repeated=0),
        [call(each.question, each.sent_s, 5_000) for each in streams],
        before=before,
        after=after,
        model_cpu_s=3.0,
        machine_busy_s=25.0,
        elapsed_s=100.0,
        load_average=1.5,
        cores=2,
    )


def test_a_levels_figures_and_whether_its_target_is_met() -> None:
    quick, slow, few = level(64, 0.099), level(64, 0.101), level(8, 0.5)
    assert (quick.met, slow.met, few.met) == (True, False, None)
    assert (quick.answered, quick.fewest, quick.most) == (100, 1, 2)
    assert quick.cpu_ms == pytest.approx(100)
    assert quick.loop_cpu_ms == pytest.approx(50)
    assert quick.shares == pytest.approx({"server": 0.05, "clients": 0.01, "model": 0.015, "others": 0.05})
    assert quick.memory.slope_mb == pytest.approx(20)
    failed = level(64, 0.0, error="status 500: ")
    assert (failed.met, failed.answered, failed.errors) == (None, 0, {"status 500: ": 100})
    speed = ServeSpeed(
        revision="abc", machine="2 cores", engine="llm", workers=1,
        rate=Rate(prefill_per_s=float("inf"), decode_per_s=20), distinct=4_000, levels=(few, quick, slow, failed),
    )  # fmt: skip
    text = render_serve(speed)
    assert "MET     64 clients, added to the model's time, p95: 99 ms" in text
    assert "MISSED  64 clients, added to the model's time, p95: 101 ms" in text
    assert "ERRORS  64 clients: 100 × status 500: " in text
    values = json.loads(json.dumps(serve_as_json(speed), allow_nan=False))
    assert [each["met"] for each in values["levels"]] == [None, True, False, None]
    assert values["levels"][3]["errors"] == {"status 500: ": 100}


def test_several_processes_are_summed_and_the_worst_lag_is_told() -> None:
    found = level(
        8,
        0.1,
        before=(report(1.0), report(2.0, pid=2), report(0.5, pid=3, serves=False)),
        after=(
            report(5.0, ((0.0, 100.0), (60.0, 110.0)), lags_ms=(1.0, 9.0), answered=("a?", "b?")),
            report(7.0, ((20.0, 200.0), (100.0, 204.0)), pid=2, lags_ms=(3.0, 4.0), answered=("c?",)),
            report(1.5, ((90.0, 50.0),), pid=3, serves=False, lags_ms=(), files=5),
        ),
    )
    # 4 + 5 + 1 s of all in 100 answers; half of it on loops here.
    assert found.cpu_ms == pytest.approx(100)
    assert found.loop_cpu_ms == pytest.approx(50)
    assert found.lag == Spread(p50=3.0, p95=9.0, p99=9.0, most=9.0)
    assert (found.memory.start_mb, found.memory.peak_mb, found.memory.end_mb) == (350.0, 364.0, 364.0)
    assert found.by_worker == (2, 1)
    assert (found.tasks, found.threads, found.files) == (9, 24, 45)
    speed = ServeSpeed(
        revision="abc", machine="2 cores", engine="llm", workers=2, rate=None, distinct=4_000, levels=(found,)
    )
    text = render_serve(speed)
    assert "2 workers" in text
    assert "by each worker" in text
    assert "2, 1" in text
    assert serve_as_json(speed)["workers"] == 2
    assert serve_as_json(speed)["levels"][0]["by_worker"] == (2, 1)


def test_questions_are_distinct_and_none_is_one_of_the_warm_up(tmp_path: Path) -> None:
    quiz = tmp_path / "quiz.jsonl"
    rows = [{"id": str(n), "question": f"What is {n}?", "kind": "open", "expect": "answered"} for n in range(3)]
    quiz.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    questions, plain = make_questions(quiz, 100)
    assert plain == ("What is 0?", "What is 1?", "What is 2?")
    assert len(set(questions)) == 100
    assert not set(questions) & set(plain)
    assert [each.split("What is ")[1][0] for each in questions[:4]] == ["0", "1", "2", "0"]


def test_levels_are_numbers_of_clients() -> None:
    assert read_levels("1, 8,64") == (1, 8, 64)
    for wrong in ("", "0", "1,,2", "-1", "many", "1.5"):
        with pytest.raises(InvalidInput, match="1,8,64,256"):
            read_levels(wrong)


async def test_the_probe_sees_a_loop_that_is_late() -> None:
    probe = LoopProbe()
    watching = asyncio.create_task(probe.look())
    await asyncio.sleep(0.1)
    blocked = threading.Event()
    blocked.wait(0.2)
    await asyncio.sleep(0.05)
    watching.cancel()
    found = probe.report()
    assert max(found.lags_ms) >= 150
    assert found.memory[0][1] > 0
    assert found.tasks >= 1
    assert probe.report().lags_ms == ()


async def test_the_probe_tells_which_questions_were_answered() -> None:
    probe = LoopProbe()
    probe.watch("whole?", Asker()).end(None)
    probe.watch("broken?", Asker()).end(ValueError("it broke"))
    probe.watch("under way?", Asker())
    assert probe.report().answered == ("whole?",)
    assert probe.report().answered == ()
