"""Calls, tokens and the pipeline's own time for one question in each profile, on a simulated server with a set rate."""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agent.chatbot import Chatbot
from contracts.answer import Answer
from contracts.errors import InvalidInput
from evaluation.quiz import load_quiz
from evaluation.running.revision import machine, revision
from evaluation.speed.llm_server import Call, Rate, Record, simulated_server, take_record

PROFILES = ("embedded", "balanced", "quality")
# What is promised: in this profile the pipeline's own time is at most so much of the model's.
TARGET_PROFILE, TARGET_SHARE = "balanced", 0.05
# The same question, no other one: it finds the same passages, and nothing that is kept of it answers the question.
_IN_OTHER_WORDS = "Tell me: {question}"
# Asked before each round and not counted: what is loaded at the first question is not loaded at the next.
_WARM_UP = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question: its milliseconds in all, those in which the server had a request under way, and its calls.

    Its passages had been read before, for the question in other words. ``unread`` is how it went that first time: the
    pipeline's own milliseconds and the model's; what judging a passage needs was made when the documents were taken
    up, as a server does between questions. ``cpu_ms`` is what this process computed, on all cores. ``steps`` are the
    nodes with their milliseconds, in order.
    """

    question: str
    outcome: str
    wall_ms: float
    model_ms: float
    cpu_ms: float
    calls: tuple[Call, ...]
    most_at_once: int
    unread: tuple[float, float]
    steps: tuple[tuple[str, float], ...]
    degraded: tuple[str, ...]

    @property
    def own_ms(self) -> float:
        """The pipeline's own time: no request was under way at the server."""
        return max(0.0, self.wall_ms - self.model_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileSpeed:
    """The questions of each round in one profile."""

    profile: str
    rounds: tuple[tuple[Asked, ...], ...]

    @property
    def asked(self) -> tuple[Asked, ...]:
        """All questions of all rounds."""
        return tuple(each for one in self.rounds for each in one)

    def median(self, value: Callable[[Asked], float]) -> float:
        """Return the median of ``value`` over all questions of all rounds."""
        return statistics.median(value(each) for each in self.asked)

    @property
    def shares(self) -> tuple[float, ...]:
        """The pipeline's own time of all questions by the model's, round by round; none where no model was asked."""
        return _shares([[(each.own_ms, each.model_ms) for each in one] for one in self.rounds])

    @property
    def unread_shares(self) -> tuple[float, ...]:
        """The same where no passage had been read before."""
        return _shares([[each.unread for each in one] for one in self.rounds])

    @property
    def least_share(self) -> float | None:
        """The same of each question's least own time in any round, by the model's time then; None without a model.

        What another process takes from this one can only lengthen a question: on a busy machine this says more.
        """
        best = [min(several, key=lambda each: each.own_ms) for several in zip(*self.rounds, strict=True)]
        return next(iter(_shares([[(each.own_ms, each.model_ms) for each in best]])), None)

    @property
    def share(self) -> float | None:
        """The median of ``shares``."""
        return statistics.median(self.shares) if self.shares else None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None in a profile without one."""
        return None if self.profile != TARGET_PROFILE or self.share is None else self.share < TARGET_SHARE


def _shares(rounds: Sequence[Sequence[tuple[float, float]]]) -> tuple[float, ...]:
    sums = ((sum(own for own, _ in one), sum(model for _, model in one)) for one in rounds)
    return tuple(own / model for own, model in sums if model > 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSpeed:
    """All profiles, with what they were measured on."""

    revision: str
    machine: str
    load_average: float | None
    rate: Rate
    questions: tuple[str, ...]
    profiles: tuple[ProfileSpeed, ...]


class PrepareData(Protocol):
    """Fills a data folder from the folder of examples: documents, dictionary.csv, contexts.csv."""

    async def __call__(self, data: Path, examples: Path) -> None:
        """Raises: InvalidInput where something cannot be taken up."""
        ...


class OpenBot(Protocol):
    """Opens the bot on a data folder, in a profile, with the chat server at an address."""

    def __call__(self, data: Path, profile: str, address: str) -> AbstractAsyncContextManager[Chatbot]:
        """Yield the bot; it is closed at the end."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmBench:
    """What is needed of the product."""

    prepare: PrepareData
    open_bot: OpenBot


def choose_questions(path: Path, count: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return ``count`` questions of the quiz at ``path`` that have an answer, evenly apart; and others to warm up.

    Raises:
        InvalidInput: the file is no quiz, or holds too few of them.
    """
    found = [each.asked for each in load_quiz(path) if each.expect == "answered" and not each.history]
    if count < 1 or len(found) < count + _WARM_UP:
        raise InvalidInput(
            f"{path} has {len(found)} questions with an answer and no history: ask for 1 to "
            f"{max(1, len(found) - _WARM_UP)} of them",
            field="questions",
        )
    rest = found[:-_WARM_UP]
    return tuple(rest[at * len(rest) // count] for at in range(count)), tuple(found[-_WARM_UP:])


def measure_llm(
    bench: LlmBench,
    examples: Path,
    *,
    rate: Rate,
    profiles: Sequence[str] = PROFILES,
    questions: int = 8,
    rounds: int = 3,
    on_step: Callable[[str], None] = lambda step: None,
) -> LlmSpeed:
    """Ask questions of the examples in each profile, on a server of ``rate`` in a process of its own.

    In each round the bot is opened anew, so that its caches hold nothing from the round before. It is warmed up with
    other questions; then each is asked in other words, and as it is.

    Raises:
        InvalidInput: there is no round, no such profile, or not so many questions.
        Unavailable: the embedding model or the simulated server is not there.
    """
    unknown = [each for each in profiles if each not in PROFILES]
    if unknown or rounds < 1 or not profiles:
        reason = f"there is no profile {unknown[0]}" if unknown else "ask for one round and one profile at least"
        raise InvalidInput(f"{reason}; the profiles are {', '.join(PROFILES)}", field="profile")
    chosen, others = choose_questions(examples / "quiz.jsonl", questions)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    with tempfile.TemporaryDirectory(prefix="golden-bench-") as name, simulated_server(rate) as address:
        data = Path(name)
        on_step("reading the documents")
        asyncio.run(bench.prepare(data, examples))
        measured: dict[str, list[tuple[Asked, ...]]] = {profile: [] for profile in profiles}
        for number in range(rounds):
            for profile in measured:
                on_step(f"round {number + 1} of {rounds}, {profile}")
                measured[profile].append(asyncio.run(_round(bench, data, profile, address, chosen, others)))
    return LlmSpeed(
        revision=revision(),
        machine=machine(),
        load_average=load,
        rate=rate,
        questions=chosen,
        profiles=tuple(ProfileSpeed(profile=name, rounds=tuple(rows)) for name, rows in measured.items()),
    )


async def _round(
    bench: LlmBench, data: Path, profile: str, address: str, questions: Sequence[str], others: Sequence[str]
) -> tuple[Asked, ...]:
    async with bench.open_bot(data, profile, address) as bot:
        for question in others:
            await bot.ask(question)
        await asyncio.to_thread(take_record, address)
        return tuple([await _measure(bot, question, address) for question in questions])


async def _measure(bot: Chatbot, question: str, address: str) -> Asked:
    _, unread_ms, _, unread = await _ask(bot, _IN_OTHER_WORDS.format(question=question), address)
    answer, wall_ms, cpu_ms, record = await _ask(bot, question, address)
    return Asked(
        question=question,
        outcome=answer.outcome,
        wall_ms=wall_ms,
        model_ms=record.busy_ms,
        cpu_ms=cpu_ms,
        calls=record.calls,
        most_at_once=record.most_at_once,
        unread=(max(0.0, unread_ms - unread.busy_ms), unread.busy_ms),
        steps=tuple((step.node, step.milliseconds) for step in answer.steps),
        degraded=answer.degraded,
    )


async def _ask(bot: Chatbot, question: str, address: str) -> tuple[Answer, float, float, Record]:
    """Ask in a conversation of its own; return the answer, its milliseconds by the clock and by the processor."""
    started, computed = time.perf_counter(), time.process_time()
    answer = await bot.ask(question)
    wall_ms, cpu_ms = (time.perf_counter() - started) * 1_000, (time.process_time() - computed) * 1_000
    return answer, wall_ms, cpu_ms, await asyncio.to_thread(take_record, address)
