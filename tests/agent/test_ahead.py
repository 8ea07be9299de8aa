"""Ahead of the gate: a chat server over HTTP is asked for the draft while the gate judges, and left if it declines."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pytest

from agent.chatbot import Chatbot
from agent.services import Policy, Services
from agent.watching import Closing, WatchedChatbot
from contracts.answer import Answer, AnswerEvent, AnswerReady, DraftAhead, StepFinished, StepStarted, TextDelta
from contracts.errors import ChatUnavailable, Unavailable
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import AnswerabilityVerdict
from intrinsics.answer_generation import AnswerWriter
from intrinsics.answer_generation.llm import PromptedAnswerWriter
from intrinsics.answer_generation.starting import StartingWriter
from tests.agent.held_server import HeldServer, held_server
from tests.agent.scripted import SCRIPT, Script, ScriptedRefiner, ScriptedWriter
from tools.chat.openai import OpenAIChatModel
from tools.chat.resilient import ResilientChatModel
from tools.chat.sharing import SharingChatModel
from tools.degrading import degrading
from tools.precedence import gives_way

QUESTION = "What is VPP on DDR4?"
DRAFT = "VPP is 2.5 V on DDR4."
ONCE = Policy(max_expansions=0)


class WaitingGate:
    """Judges only when ``ready`` is set, with the given probabilities in turn; ``judging`` says that it is asked."""

    def __init__(self, ready: asyncio.Event, *probabilities: float) -> None:
        self._ready = ready
        self._probabilities = list(probabilities)
        self.judging = asyncio.Event()
        self.gave_way = False

    async def judge(self, question: AugmentedQuestion, passages: tuple[Passage, ...]) -> AnswerabilityVerdict:
        self.gave_way = gives_way()
        self.judging.set()
        async with asyncio.timeout(20):
            await self._ready.wait()
        return AnswerabilityVerdict(probability=self._probabilities.pop(0), missing=(), provenance=SCRIPT)


@dataclass
class Held:
    """A server, the chat model in front of it, and a bot that writes with it."""

    server: HeldServer
    chat: SharingChatModel
    fallback: ScriptedWriter

    def services(self, gate: WaitingGate, policy: Policy = ONCE, *, ahead: bool = True) -> Services:
        prompted = PromptedAnswerWriter(self.chat)
        fallback: AnswerWriter = self.fallback
        writer = degrading(prompted, fallback)
        return replace(
            Script(policy=policy).services(),
            answerability_judge=gate,
            answer_writer=StartingWriter(writer, prompted) if ahead else writer,
        )

    async def events(self, gate: WaitingGate, policy: Policy = ONCE, *, ahead: bool = True) -> list[AnswerEvent]:
        bot, before = Chatbot(self.services(gate, policy, ahead=ahead)), asyncio.all_tasks()
        async with asyncio.timeout(20):
            events = [event async for event in bot.stream(QUESTION)]
        assert not self.server.left_behind() - before
        return events


@asynccontextmanager
async def holding(retries: int = 0, **given: object) -> AsyncIterator[Held]:
    async with held_server(**given) as server:
        served = OpenAIChatModel(base_url=server.url, api_key="", model="held")
        chat = SharingChatModel(ResilientChatModel(served, retries=retries))
        try:
            yield Held(server, chat, ScriptedWriter([DRAFT]))
        finally:
            await chat.close()


def states(events: list[AnswerEvent]) -> list[str]:
    return [event.state for event in events if isinstance(event, DraftAhead)]


def place(events: list[AnswerEvent], found: Callable[[AnswerEvent], bool]) -> int:
    return next(at for at, event in enumerate(events) if found(event))


def answer_of(events: list[AnswerEvent]) -> Answer:
    assert isinstance(events[-1], AnswerReady)
    return events[-1].answer


async def left(held: Held, number: int = 0) -> None:
    """Wait until the server has seen the client of a request go."""
    async with asyncio.timeout(20):
        await held.server.exchanges[number].left.wait()


def plain(answer: Answer) -> Answer:
    steps = tuple(
        replace(step, milliseconds=0.0, provenance=step.provenance and replace(step.provenance, milliseconds=0.0))
        for step in answer.steps
    )
    return replace(answer, steps=steps, conversation_id="")


async def test_the_draft_is_asked_for_before_the_gate_has_judged_and_shown_after() -> None:
    async with holding(ready=2) as held:
        gate = WaitingGate(held.server.asked, 0.9)
        running = asyncio.create_task(held.events(gate))
        await gate.judging.wait()
        held.server.speak.set()
        events = await running
        assert states(events) == ["begun", "used"]
        judged = place(events, lambda each: isinstance(each, StepFinished) and each.step.node == "judge_answerability")
        assert judged < place(events, lambda each: isinstance(each, TextDelta))
        assert "".join(each.text for each in events if isinstance(each, TextDelta)) == DRAFT
        assert [each.whole for each in held.server.exchanges] == [True]
        assert gate.gave_way
        begun_ahead = answer_of(events)
    async with holding(ready=2) as held:
        held.server.speak.set()
        told = asyncio.Event()
        told.set()
        gate = WaitingGate(told, 0.9)
        events = await held.events(gate, ahead=False)
        assert states(events) == []
        assert not gate.gave_way
        assert plain(answer_of(events)) == plain(begun_ahead)


@pytest.mark.parametrize("ready", [0, 2], ids=["before its first word", "in the middle"])
async def test_a_draft_that_the_gate_does_not_want_is_ended_at_the_server_and_leaves_no_trace(ready: int) -> None:
    async with holding(ready=ready) as held:
        events = await held.events(WaitingGate(held.server.asked, 0.1))
        await left(held)
        assert len(held.server.exchanges) == 1
        assert states(events) == ["begun", "dropped"]
        assert not any(isinstance(each, TextDelta) for each in events)
        answer = answer_of(events)
        assert answer.outcome == "declined"
        assert "write_answer" not in [step.node for step in answer.steps]
        assert answer.degraded == ()


async def test_it_has_ended_before_the_question_is_expanded_and_is_not_begun_ahead_again() -> None:
    async with holding(ready=2) as held:
        gate = WaitingGate(held.server.asked, 0.1, 0.9)
        running = asyncio.create_task(held.events(gate, Policy()))
        await gate.judging.wait()
        async with asyncio.timeout(20):
            while len(held.server.exchanges) < 2:  # noqa: ASYNC110 - the server tells of its first request only
                await asyncio.sleep(0.01)
        assert held.server.exchanges[0].left.is_set()
        held.server.speak.set()
        events = await running
        assert states(events) == ["begun", "dropped"]
        assert answer_of(events).outcome == "answered"
        written = place(events, lambda each: isinstance(each, TextDelta))
        judged = [isinstance(each, StepFinished) and each.step.node == "judge_answerability" for each in events]
        assert sum(judged[:written]) == 2


@pytest.mark.parametrize("way", ["cancelled", "closed", "no more time"])
async def test_a_question_that_ends_before_the_gate_has_judged_ends_its_draft(way: str) -> None:
    async with holding(ready=2) as held:
        closing = Closing()
        bot = WatchedChatbot(held.services(WaitingGate(asyncio.Event(), 0.9)), closing=closing)
        events = bot.stream(QUESTION)

        async def ask() -> None:
            async for event in events:
                assert not isinstance(event, TextDelta | DraftAhead)
                if event == StepStarted(node="judge_answerability") and way == "closed":
                    return

        asking = asyncio.create_task(ask())
        async with asyncio.timeout(20):
            await held.server.asked.wait()
            if way == "cancelled":
                asking.cancel()
                await asyncio.wait([asking])
            elif way == "closed":
                await asking
                await events.aclose()
            else:
                closing.close()
                with pytest.raises(Unavailable):
                    await asking
        await left(held)
        assert not held.server.left_behind()


async def test_a_cancelled_question_ends_a_draft_that_it_was_given() -> None:
    async with holding(ready=2) as held:
        bot = Chatbot(held.services(WaitingGate(held.server.asked, 0.9)))
        events = bot.stream(QUESTION)
        async with asyncio.timeout(20):
            async for event in events:
                if isinstance(event, TextDelta):
                    break
            await events.aclose()
        await left(held)
        assert not held.server.left_behind()


async def test_an_error_of_a_draft_is_one_only_where_the_draft_is_wanted() -> None:
    told = asyncio.Event()
    told.set()
    async with holding() as held:
        held.chat = SharingChatModel(ResilientChatModel(_Refusing(), retries=0))
        declined = await held.events(WaitingGate(told, 0.1))
        assert states(declined) == ["begun", "dropped"]
        assert answer_of(declined).outcome == "declined"
        assert answer_of(declined).degraded == ()
        assert not held.fallback.begun.is_set()
        answered = await held.events(WaitingGate(told, 0.9))
        assert states(answered) == ["begun", "used"]
        assert answer_of(answered).outcome == "answered"
        assert answer_of(answered).degraded == ("write_answer: the language model did not answer (the server is away)",)


class _Refusing(OpenAIChatModel):
    def __init__(self) -> None:
        super().__init__(base_url="http://127.0.0.1:9/v1", api_key="", model="away")

    async def stream(self, request: object) -> AsyncIterator[str]:  # type: ignore[override]
        raise ChatUnavailable("the server is away")
        yield ""


async def test_equal_questions_share_one_request_which_lives_as_long_as_one_of_them_wants_it() -> None:
    async with holding(ready=2) as held:
        wanted, unwanted = asyncio.Event(), asyncio.Event()
        first = asyncio.create_task(Chatbot(held.services(WaitingGate(wanted, 0.9))).ask(QUESTION))
        second = asyncio.create_task(Chatbot(held.services(WaitingGate(unwanted, 0.1))).ask(QUESTION))
        async with asyncio.timeout(20):
            await held.server.asked.wait()
            unwanted.set()
            assert (await second).outcome == "declined"
            assert not held.server.exchanges[0].left.is_set()
            wanted.set()
            held.server.speak.set()
            assert (await first).outcome == "answered"
        assert [each.whole for each in held.server.exchanges] == [True]
        assert not held.server.left_behind()


async def test_a_rewrite_is_asked_for_when_it_is_wanted() -> None:
    async with holding(ready=2) as held:
        held.server.speak.set()
        services = replace(held.services(WaitingGate(held.server.asked, 0.9)), refiner=ScriptedRefiner("VPP"))
        bot = Chatbot(services)
        async with asyncio.timeout(20):
            events = [event async for event in bot.stream(QUESTION)]
        assert states(events) == ["begun", "used"]
        tasks = [each.body["messages"][-1]["content"].partition("# Task")[2] for each in held.server.exchanges]
        assert ["Say only what the passages say." in task for task in tasks] == [False, True]
        assert not held.server.left_behind()


async def test_a_writer_that_computes_here_is_not_begun_ahead() -> None:
    script = Script(writer=ScriptedWriter([DRAFT]))
    told = asyncio.Event()
    gate = WaitingGate(told, 0.1)
    services = replace(script.services(), answerability_judge=gate, policy=ONCE)
    asking = asyncio.create_task(Chatbot(services).ask(QUESTION))
    await gate.judging.wait()
    await asyncio.sleep(0)
    told.set()
    assert (await asking).outcome == "declined"
    assert not script.writer.begun.is_set()
