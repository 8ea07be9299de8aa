"""The real server with its event loop under watch, in a process of its own: what keeps it from its other clients.

Run as ``python -m tests.golden_retriever.watched_loop FOLDER``: the last line that it prints is one JSON object. Wall
time says nothing on a busy machine: what counts is the time that the loop's own thread computes in one callback, and
calls that wait for a disk, a database, another machine or the clock, however short they are.
"""

import asyncio
import gc
import json
import subprocess
import sys
import threading
import time
import traceback
from asyncio import events
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from golden_retriever.settings import load_settings
from golden_retriever.web import build_web_application
from golden_retriever.wiring import open_application
from jargon_db.import_export import import_files
from tests.golden_retriever.chat_server import MODELS
from tests.servers import listening

_WAITING = {"open", "sqlite3.connect", "subprocess.Popen", "socket.getaddrinfo", "socket.connect", "os.listdir"}
_WAITING |= {"os.scandir", "os.rename", "os.remove", "os.mkdir", "shutil.copyfile", "tempfile.mkstemp"}
_OURS = str(Path(__file__).resolve().parents[2])
_WARM_UP, _AT_ONCE = 2, 3


class LoopWatch:
    """Notes what the running loop's thread computes in each callback, and what it waits for."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._watching = False
        self.waits: Counter[str] = Counter()
        self.callbacks: list[tuple[float, str]] = []
        self._watch_callbacks()
        self._watch_calls()
        sys.addaudithook(self._audited)

    @contextmanager
    def watching(self) -> Iterator[None]:
        self.waits, self.callbacks, self._watching = Counter(), [], True
        # A garbage collection would be counted for whatever callback is running, although it is the interpreter's time.
        gc.disable()
        try:
            yield
        finally:
            gc.enable()
            self._watching = False

    def found(self) -> dict[str, Any]:
        """Return the longest callbacks, in milliseconds of the thread's own computing, and the waits, counted."""
        longest = sorted(self.callbacks, reverse=True)[:10]
        return {"callbacks": [[round(cpu_s * 1_000, 1), name] for cpu_s, name in longest], "waits": dict(self.waits)}

    def _watch_callbacks(self) -> None:
        run = events.Handle._run

        def timed(handle: Any) -> None:
            if not self._watching or threading.get_ident() != self._thread:
                run(handle)
                return
            name, began = repr(handle), time.thread_time()
            run(handle)
            self.callbacks.append((time.thread_time() - began, name[:300]))

        events.Handle._run = timed  # type: ignore[method-assign,assignment]

    def _watch_calls(self) -> None:
        """Watch what leaves no audit event: the clock, statements of SQL, and the embedding model."""
        import onnxruntime
        from sqlalchemy import Engine, event

        sleep, run, connect = time.sleep, onnxruntime.InferenceSession.run, Engine.raw_connection

        def slept(seconds: Any) -> None:
            self._note("time.sleep")
            sleep(seconds)

        def computed(session: Any, *given: Any, **named: Any) -> Any:
            self._note("onnxruntime")
            return run(session, *given, **named)

        # This also covers statements that go to the driver directly.
        def connected(engine: Any) -> Any:
            self._note("sql")
            return connect(engine)

        time.sleep = slept
        Engine.raw_connection = connected  # type: ignore[method-assign]
        onnxruntime.InferenceSession.run = computed
        event.listen(Engine, "before_cursor_execute", lambda *given: self._note("sql"))

    def _audited(self, name: str, given: tuple[Any, ...]) -> None:
        if name not in _WAITING or not self._watching or threading.get_ident() != self._thread:
            return
        at_rest = name == "socket.connect" and given[0].gettimeout() == 0
        if at_rest or (name == "open" and isinstance(given[0], int)):
            # A non-blocking connection, or a file that is already open.
            return
        self._note(f"{name} {given[0]}" if name == "open" else name)

    def _note(self, what: str) -> None:
        if not self._watching or threading.get_ident() != self._thread:
            return
        self._watching = False  # reading the source for a stack trace opens files
        frames = [each for each in traceback.extract_stack() if each.filename.startswith(_OURS)]
        places = [f"{Path(each.filename).name}:{each.lineno}" for each in frames if each.filename != __file__]
        self.waits[f"{what} at {' < '.join(reversed(places[-3:]))}"] += 1
        self._watching = True


async def ask_everything(address: str, folder: Path, round_number: int, at_once: int) -> list[int]:
    """Send one request of every kind and several questions, all at the same time; return their statuses."""
    csrf = {"x-golden-request": "1"}
    terms = (folder / "dictionary.csv").read_bytes()
    page = f"# Round {round_number}\n\nThe gate of dock {round_number} opens at 6:30.\n".encode()

    def question(model: str, text: str, *, stream: bool = True) -> dict[str, Any]:
        return {"model": model, "stream": stream, "messages": [{"role": "user", "content": text}]}

    async with httpx.AsyncClient(base_url=address, timeout=120, headers=csrf) as http:
        asked = [
            http.post("/v1/chat/completions", json=question(model, f"{text} ({round_number}.{number})"))
            for number in range(at_once)
            for model in ("golden", "golden/everyone")
            for text in ("What does a lost locker key cost?", "When does the canteen open, and what is an EBR?")
        ]
        whole = question("golden", f"Once more, round {round_number}: what is XQZ?", stream=False)
        answers = await asyncio.gather(
            *asked,
            http.post("/v1/chat/completions", json=whole),
            http.get("/readyz"),
            http.get("/healthz"),
            http.get("/v1/models"),
            http.get("/api/documents"),
            http.post("/api/documents", files={"files": (f"dock-{round_number}.md", page)}),
            http.get("/api/documents/jobs"),
            http.get("/api/dictionary/senses"),
            http.get("/api/dictionary/queue"),
            http.post("/api/dictionary/import", files={"terms": ("terms.csv", terms)}),
            http.get("/api/dictionary/export/terms.csv"),
            http.get("/openapi.json"),
        )
        # The ingestion of an upload is part of the round.
        while any(  # noqa: ASYNC110 - an ingestion's end is told over HTTP only
            job["state"] in ("queued", "running") for job in (await http.get("/api/documents/jobs")).json()
        ):
            await asyncio.sleep(0.05)
    return [answer.status_code for answer in answers]


async def _prepare(folder: Path) -> None:
    async with open_application(load_settings(data_dir=folder / "data", profile="embedded")) as application:
        import_files(application.jargon, folder / "dictionary.csv", folder / "contexts.csv")
        await application.pipeline.ingest([folder / "documents"])
        await application.vector_index.synchronise()


async def _watch(folder: Path, chat: str) -> dict[str, Any]:
    settings = load_settings(data_dir=folder / "data", profile="balanced", llm=f"{chat}#{MODELS[0]}", workers=1)
    watch = LoopWatch()
    async with open_application(settings) as application:
        await application.vector_index.synchronise()
        web = await build_web_application(application, with_ui=False)
        async with listening(web) as address:

            async def ask(number: int, at_once: int) -> list[int]:
                return await asyncio.to_thread(asyncio.run, ask_everything(address, folder, number, at_once))

            # Warm up: the first request of each kind imports modules and reads files.
            for number in range(_WARM_UP):
                await ask(number, 1)
            with watch.watching():
                statuses = await ask(_WARM_UP, _AT_ONCE)
    return {"statuses": statuses, **watch.found()}


def main() -> None:
    """Watch the server over the examples in the folder that is named."""
    folder = Path(sys.argv[1])
    asyncio.run(_prepare(folder))
    # In a process of its own, because its event loop is not watched.
    command = [sys.executable, "-m", "tests.golden_retriever.chat_server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as chat:
        address = chat.stdout.readline().strip()
        print(json.dumps(asyncio.run(_watch(folder, address))))
        chat.communicate("")


if __name__ == "__main__":
    main()
