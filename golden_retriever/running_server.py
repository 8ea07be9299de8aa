"""The server that runs on a data folder, asked over HTTP: a command need not open everything once more."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, Any

from contracts.answer import AnswerEvent, AnswerReady, Step, StepFinished, TextDelta, TextReset
from contracts.errors import ConfigurationError, GoldenError, InvalidInput, NotFound, Unavailable
from contracts.question import SensePick, Turn
from golden_retriever.folder_lock import read_owner
from golden_retriever.settings import Settings

if TYPE_CHECKING:
    from httpx import AsyncHTTPTransport

    from ui.client import ApiProblem, ApiSession

# A server that takes longer to say who it is does not serve: the caller opens the folder itself.
_ANSWERS_WITHIN_S = 5.0


class RunningServer:
    """Answers questions as ``Chatbot.stream`` does, on the server behind ``session``.

    ``departments`` are the names of its dictionary's contexts.
    """

    def __init__(self, session: "ApiSession", transport: "AsyncHTTPTransport", departments: Sequence[str]) -> None:
        self._session = session
        self._transport = transport
        self.departments = tuple(departments)

    async def stream(
        self,
        question: str,
        *,
        conversation_id: str = "",
        history: Sequence[Turn] | None = None,
        department: str = "",
        picks: Sequence[SensePick] = (),
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Answer ``question``; yield its finished steps and its draft as they happen, ``AnswerReady`` last.

        ``history`` None means what the server remembers of the conversation.

        Raises:
            InvalidInput: the question is empty or too long.
            Unavailable: something that the server needs is not there just now, or it stopped.
        """
        from ui.client import ApiProblem

        turns = [*(history or ()), Turn(role="user", text=question)]
        body: dict[str, Any] = {
            "messages": [{"role": turn.role, "content": turn.text} for turn in turns],
            "stream": True,
            "golden": {
                "department": department,
                "picks": [
                    {"term": each.term, "extended_name": each.extended_name, "context": each.context} for each in picks
                ],
                "conversation": conversation_id,
                "remembered": history is None,
                "footer": False,
                "full_answer": True,
            },
        }
        try:
            async with self._session.events("/v1/chat/completions", json=body) as told:
                async for each in told:
                    event = _event_in(each.get("golden"))
                    if event is not None:
                        yield event
                    if isinstance(event, AnswerReady):
                        return
        except ApiProblem as problem:
            raise _error_of(problem) from problem
        raise Unavailable("The server's answer ended too early: ask again.")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()


async def find_server(settings: Settings) -> RunningServer | None:
    """Return the server that runs on the settings' data folder; None where none answers, or it wants an unset key.

    Raises:
        ConfigurationError: the server refuses the key in the settings.
    """
    owner = read_owner(settings.data_dir)
    if owner is None or not owner.address:
        return None
    import httpx

    from ui.client import ApiClient, ApiProblem, Caller

    key = settings.api_key.get_secret_value()
    headers = {"authorization": f"Bearer {key}"} if key else {}
    transport = httpx.AsyncHTTPTransport()
    session = ApiClient(lambda _: transport, owner.address).session(Caller(headers=headers))
    try:
        async with asyncio.timeout(_ANSWERS_WITHIN_S):
            told = await session.get("/api/me")
        if told["folder"] == owner.token:
            return RunningServer(session, transport, told["departments"])
    except ApiProblem as problem:
        if key and problem.status in (401, 403):
            raise ConfigurationError(f"The server at {owner.address} refuses GOLDEN_API_KEY: {problem}") from problem
    except (TimeoutError, ValueError, TypeError, KeyError):
        # Another program listens there now.
        pass
    await transport.aclose()
    return None


def _event_in(golden: Any) -> AnswerEvent | None:
    if not isinstance(golden, dict):
        return None
    if isinstance(step := golden.get("step"), dict):
        return StepFinished(step=Step(node=step["node"], finding=step["finding"], milliseconds=step["milliseconds"]))
    if isinstance(draft := golden.get("draft"), str):
        return TextDelta(text=draft)
    if isinstance(reason := golden.get("draft_withdrawn"), str):
        return TextReset(reason=reason)
    if isinstance(answer := golden.get("answer"), dict):
        from library.records.answers import answer_of

        return AnswerReady(answer=answer_of(answer))
    return None


def _error_of(problem: "ApiProblem") -> GoldenError:
    if problem.code == NotFound.code:
        return NotFound(str(problem))
    if problem.status == 400 or problem.code == InvalidInput.code:
        return InvalidInput(str(problem), field=problem.field or None)
    return Unavailable(str(problem))
