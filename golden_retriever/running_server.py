"""The server that runs on a data folder, asked over HTTP: a command need not open everything once more."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, Any

from contracts.answer import AnswerEvent, AnswerReady, Step, StepFinished, TextDelta, TextReset
from contracts.errors import ConfigurationError, GoldenError, InvalidInput, NotFound, Unavailable
from contracts.question import SensePick, Turn
from golden_retriever.folder_lock import read_owner
from golden_retriever.settings import Settings

if TYPE_CHECKING:
    from httpx import AsyncClient

# A server that takes longer to say who it is does not serve: the caller opens the folder itself.
_ANSWERS_WITHIN_S = 5.0
_CONNECTS_WITHIN_S = 30.0
_OUR_PROGRAM = {"x-golden-request": "1"}
_DONE = "[DONE]"


class RunningServer:
    """Answers questions as ``Chatbot.stream`` does, on the server that ``client`` reaches.

    ``departments`` are the names of its dictionary's contexts.
    """

    def __init__(self, client: "AsyncClient", departments: Sequence[str]) -> None:
        self._client = client
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
        import httpx

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
            async with self._client.stream("POST", "/v1/chat/completions", json=body) as answer:
                if not answer.is_success:
                    raise _error_in(answer.status_code, await answer.aread())
                async for line in answer.aiter_lines():
                    data = line.removeprefix("data:").strip() if line.startswith("data:") else _DONE
                    told = {} if data == _DONE else json.loads(data)
                    if "error" in told:
                        raise _error_in(answer.status_code, data)
                    event = _event_in(told.get("golden"))
                    if event is not None:
                        yield event
                    if isinstance(event, AnswerReady):
                        return
        except httpx.HTTPError as error:
            raise Unavailable(f"The server cannot be reached: {error or type(error).__name__}") from error
        raise Unavailable("The server's answer ended too early: ask again.")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


async def find_server(settings: Settings) -> RunningServer | None:
    """Return the server that runs on the settings' data folder; None where none answers, or it wants an unset key.

    Raises:
        ConfigurationError: the server refuses the key in the settings.
    """
    owner = read_owner(settings.data_dir)
    if owner is None or not owner.address:
        return None
    import httpx

    key = settings.api_key.get_secret_value()
    headers = _OUR_PROGRAM | ({"authorization": f"Bearer {key}"} if key else {})
    # A question may take minutes; whoever waits can stop it.
    timeout = httpx.Timeout(_CONNECTS_WITHIN_S, read=None)
    client = httpx.AsyncClient(base_url=owner.address, headers=headers, timeout=timeout, trust_env=False)
    try:
        async with asyncio.timeout(_ANSWERS_WITHIN_S):
            answer = await client.get("/api/me")
        if key and answer.status_code in (401, 403):
            refused = _error_in(answer.status_code, answer.content)
            raise ConfigurationError(f"The server at {owner.address} refuses GOLDEN_API_KEY: {refused}")
        told = answer.json()
        if told["folder"] == owner.token:
            return RunningServer(client, told["departments"])
    except (httpx.HTTPError, TimeoutError, ValueError, TypeError, KeyError):
        # Another program listens there now.
        pass
    await client.aclose()
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


def _error_in(status: int, body: str | bytes) -> GoldenError:
    """Return the error that an answer, or an event of a stream, tells of."""
    try:
        error = json.loads(body)["error"]
        message, code, field = str(error["message"]), error.get("code"), error.get("param")
    except (ValueError, TypeError, KeyError):
        return Unavailable(f"The server answered {status}.")
    if code == NotFound.code:
        return NotFound(message)
    if status == 400 or code == InvalidInput.code:
        return InvalidInput(message, field=field or None)
    return Unavailable(message)
