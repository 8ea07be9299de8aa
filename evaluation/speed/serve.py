"""Many streaming clients of the running server: time to the first byte, tails, throughput, memory, the loop's lag.

The server as it is served (one process, or several workers and the one that looks after them), the clients in a process
of their own, and with a language model a simulated one in another. The time that the server adds to a question is what
the client waited less what the simulated model took for that very question.
"""

import asyncio
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from contracts.errors import InvalidInput
from evaluation.running.revision import machine, revision
from evaluation.speed.child import run_in_child
from evaluation.speed.llm import PrepareData
from evaluation.speed.llm_server import Rate, simulated_server, take_record
from evaluation.speed.machine_load import busy_s
from evaluation.speed.serve_clients import Load, Loaded, load
from evaluation.speed.serve_questions import make_questions
from evaluation.speed.serve_server import Probes, ServeOne, served, warm_up
from evaluation.speed.serve_values import LevelSpeed, ServeSpeed, level_of
from tools.cores import usable_cores

ENGINES = ("embedded", "llm")
# More wordings are there, and no more are asked: at most so many questions of one level are distinct.
_DISTINCT = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeBench:
    """What is needed of the product."""

    prepare: PrepareData
    serve: ServeOne


@dataclass(frozen=True, slots=True, kw_only=True)
class ServePlan:
    """What is measured: so many clients at once, one level after the other, each for so long or so many questions.

    ``requests`` 0 means for ``seconds``; the first questions of a level are spread over ``spread_s``, so that the
    clients do not go on in step. ``burst``: behind each level of several clients each of them asks one question more,
    all in the same moment. ``workers`` are the processes that the server answers with.
    """

    engine: str
    clients: tuple[int, ...]
    seconds: float
    requests: int
    spread_s: float
    rate: Rate
    burst: bool = False
    workers: int = 1

    @property
    def rounds(self) -> tuple["ServePlan", ...]:
        """What is measured, in turn: each one level of clients, once steadily and once as a burst."""
        found: list[ServePlan] = []
        for clients in self.clients:
            found.append(replace(self, clients=(clients,), burst=False))
            if self.burst and clients > 1:
                found.append(replace(self, clients=(clients,), requests=clients, spread_s=0.0))
        return tuple(found)


def read_levels(text: str) -> tuple[int, ...]:
    """Read numbers of clients such as "1,8,64,256".

    Raises:
        InvalidInput: they are not whole numbers of 1 or more.
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise InvalidInput(f'"{text}" is not a list of numbers of clients such as 1,8,64,256', field="clients")
    return tuple(int(part) for part in parts)


def measure_serve(
    bench: ServeBench, examples: Path, plan: ServePlan, *, on_step: Callable[[str], None] = lambda step: None
) -> ServeSpeed:
    """Serve the examples and ask, one level of clients after the other, after a warm-up that reads every passage.

    Raises:
        InvalidInput: there is no such engine, or nothing to ask.
        Unavailable: the server or the simulated model does not start.
    """
    if plan.engine not in ENGINES:
        raise InvalidInput(f'there is no engine "{plan.engine}"; there are: {", ".join(ENGINES)}', field="engine")
    questions, plain = make_questions(examples / "quiz.jsonl", _DISTINCT)
    model = simulated_server(plan.rate) if plan.engine == "llm" else nullcontext("")
    with tempfile.TemporaryDirectory(prefix="golden-bench-") as name, model as chat:
        on_step("reading the documents")
        asyncio.run(bench.prepare(Path(name), examples))
        with served(bench.serve, Path(name), plan.engine, chat, plan.workers) as (address, probes):
            on_step(f"warming up with {len(plain)} questions")
            warm_up(address, probes, plain)
            levels: list[LevelSpeed] = []
            at = 0
            for part in plan.rounds:
                clients = part.clients[0]
                on_step(f"{clients} client{'' if clients == 1 else 's'}{' at once' if part.burst else ''}")
                # No level asks what one before it asked.
                turned = questions[at:] + questions[:at]
                levels.append(_level(address, chat, probes, part, turned))
                at = (at + levels[-1].answered) % len(questions)
    return ServeSpeed(
        revision=revision(),
        machine=machine(),
        engine=plan.engine,
        workers=plan.workers,
        rate=plan.rate if plan.engine == "llm" else None,
        distinct=len(questions),
        levels=tuple(levels),
    )


def _level(
    address: str,
    chat: str,
    probes: Probes,
    plan: ServePlan,
    questions: tuple[str, ...],
) -> LevelSpeed:
    clients = plan.clients[0]
    load_average = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    model_before = take_record(chat).cpu_s if chat else 0.0
    before, busy_before, began = probes.report(), busy_s(), time.monotonic()
    asked = Load(
        address=address,
        clients=clients,
        questions=questions,
        seconds=plan.seconds,
        spread_s=plan.spread_s,
        requests=plan.requests,
    )
    loaded: Loaded = run_in_child(load, asked)
    elapsed, busy_after, after = time.monotonic() - began, busy_s(), probes.report()
    record = take_record(chat) if chat else None
    return level_of(
        clients,
        loaded,
        record.calls if record else (),
        before=before,
        after=after,
        model_cpu_s=record.cpu_s - model_before if record else 0.0,
        machine_busy_s=None if busy_before is None or busy_after is None else busy_after - busy_before,
        elapsed_s=elapsed,
        load_average=load_average,
        cores=usable_cores(),
        burst=plan.burst,
    )
