"""The route that asks a kept question again with the settings of now, for whoever reviews its answer."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from time import perf_counter

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from contracts.answer import Answer, AnswerEvent, AnswerReady
from contracts.question import Asker, Turn
from library.records.values import KeptTurn, both
from serving.access import Actor
from serving.dictionary.problems import problems
from serving.dictionary.routing import Acting, in_thread
from serving.event_stream import DONE, HEADERS, MEDIA_TYPE, event_of, progress_of, with_pauses
from serving.problems import problem_of, request_id_of
from serving.records.base import RecordsDesk
from serving.records.cases_wire import ReplayOut
from serving.records.feedback import TurnId
from serving.wire import ProblemBody

_FACE = "replay"
_KEEP_ALIVE_S = 10.0


def add_replay(router: APIRouter, desk: RecordsDesk) -> None:
    """Add the route to those of the review desk."""

    @router.post("/{turn_id}/replay", summary="Ask a question again", responses=problems(404, 503))
    async def replay(turn_id: TurnId, actor: Acting, request: Request) -> StreamingResponse:
        """Ask a kept question again with the settings, documents and dictionary of now, as server-sent events.

        Events hold ``golden`` on the way (steps and the draft, as of a chat completion) and ``replay`` at the end. It
        is asked with the document groups that both you and whoever asked may read. Nothing of it is kept, and it counts
        nowhere but against your limits.
        """
        turn = await in_thread(desk.reviewer.find, actor.groups, turn_id)
        before = await in_thread(desk.reviewer.before, actor.groups, turn_id)
        # What is wrong with the question is raised here, while the status can still say so.
        events = desk.bench.chatbot.stream(
            turn.answer.question, history=history_of(before), asker=replaying(turn, actor)
        )
        told = _told(events, turn, desk.bench.engine, request_id_of(request))
        return StreamingResponse(told, media_type=MEDIA_TYPE, headers=HEADERS)


def replaying(turn: KeptTurn, actor: Actor) -> Asker:
    """Return the asker of a replay: from the department of whoever asked, with the groups that both may read."""
    return Asker(department=turn.department, groups=both(turn.asker_groups, actor.groups), name=actor.name, face=_FACE)


def history_of(before: Sequence[KeptTurn]) -> tuple[Turn, ...]:
    """Return the turns before as a conversation; of what is withheld the question alone."""
    turns: list[Turn] = []
    for each in before:
        turns.append(Turn(role="user", text=each.answer.question))
        if each.answer.text:
            turns.append(Turn(role="assistant", text=each.answer.text))
    return tuple(turns)


async def _told(
    events: AsyncGenerator[AnswerEvent, None], turn: KeptTurn, engine: str, request_id: str
) -> AsyncIterator[str]:
    begun = perf_counter()
    try:
        async with aclosing(with_pauses(events, _KEEP_ALIVE_S)) as heard:
            async for event in heard:
                if event is None:
                    yield ": still there\n\n"
                elif isinstance(event, AnswerReady):
                    out = _replay_out(event.answer, turn, engine, perf_counter() - begun)
                    yield event_of({"replay": out.model_dump(mode="json", by_alias=True)})
                elif progress := progress_of(event):
                    yield event_of({"golden": progress})
    except Exception as error:
        _, problem = problem_of(error, request_id)
        yield event_of(ProblemBody(error=problem).model_dump())
    yield DONE


def _replay_out(answer: Answer, turn: KeptTurn, engine: str, seconds: float) -> ReplayOut:
    return ReplayOut(
        turn=turn.id,
        answer=answer.text,
        outcome=answer.outcome,
        certainty=answer.certainty,
        seconds=round(seconds, 3),
        engine=engine,
        golden=answer,
    )
