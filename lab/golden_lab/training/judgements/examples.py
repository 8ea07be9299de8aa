"""Makes training examples from labelled cases: captures the prompt used online, and checks the reply with it."""

import datetime
import random
from collections.abc import AsyncGenerator, Callable, Iterator
from pathlib import Path

from contracts.errors import InvalidInput, Unavailable
from golden_lab.json_lines import read_numbered_forms
from golden_lab.training.data.examples import ExampleMessage, TrainingExample
from golden_lab.training.judgements.cases import JudgementCase
from golden_lab.training.judgements.forms import CaseForm, Online, form_of
from tools.adapters.declaration import AdapterDeclaration
from tools.chat.base import ChatModel, ChatReply, ChatRequest


def read_cases(path: Path, intrinsic: str) -> Iterator[tuple[int, JudgementCase]]:
    """Yield the cases of a file of JSON lines with their line numbers.

    Raises:
        InvalidInput: there is no such intrinsic or file, a line is not a case, or two have the same id; the message
            names the file, line and field.
    """
    seen: dict[str, int] = {}
    made_by = f"golden-lab train cases {intrinsic} makes one"
    for number, case in read_numbered_forms(path, form_of(intrinsic).case, where=made_by):
        if case.id in seen:
            raise InvalidInput(f"{path}, line {number}: the id {case.id} is also in line {seen[case.id]}", field="id")
        seen[case.id] = number
        yield number, case


class CapturingChatModel:
    """Replies with ``reply(request)`` and keeps the request in ``request``, which is None before the first one.

    Its context window has no limit, so that no passage is left out: training skips whole examples that are too long.
    The same prompt may be sent again; a different one is refused, since a case contains only one correct reply.
    """

    def __init__(self, reply: Callable[[ChatRequest], str]) -> None:
        self._reply = reply
        self.request: ChatRequest | None = None
        self.completion = ""

    @property
    def model(self) -> str:
        """The default model's name."""
        return "captured"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the correct reply.

        Raises:
            InvalidInput: the prompt differs from the one before.
        """
        return ChatReply(text=self._replied(request), model=self.model, finish_reason="stop")

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Yield the correct reply as one piece. Raises as ``complete`` does."""
        yield self._replied(request)

    async def window(self, model: str = "") -> int | None:
        """Return no limit."""
        return None

    async def check(self) -> None:
        """Do nothing: this model is always available."""

    async def close(self) -> None:
        """Do nothing: there is no connection."""

    def _replied(self, request: ChatRequest) -> str:
        if self.request is None:
            self.request, self.completion = request, self._reply(request)
        elif (request.prompt, request.messages) != (self.request.prompt, self.request.messages):
            first = len(self.request.messages)
            if first and request.messages[:first] == self.request.messages:
                complaint = request.messages[-1].content.split("Answer again")[0].strip()
                raise InvalidInput(f"the reply that should be correct is rejected: {complaint}", field="case")
            raise InvalidInput("this case takes several requests: make a separate case for each", field="case")
        return self.completion


# Builds the online implementation from a chat server and an adapter (None: the language model with its own prompt).
OnlineOf = Callable[[ChatModel, AdapterDeclaration | None], Online]

# The range of dates in frozen prompts. In use, an adapter sees dates that did not occur in training, so it must not
# learn one: each example gets a random date from the years in which adapters of this base model are used.
_FIRST_DAY, _DAYS = datetime.date(2025, 1, 1), 5 * 365


async def make_example(
    form: CaseForm, case: JudgementCase, online_of: OnlineOf, adapter: AdapterDeclaration | None, *, seed: int = 0
) -> TrainingExample:
    """Return a training example: the prompt used online for ``case``, with the reply that is parsed as its verdict.

    If the prompt contains the date, it is derived from ``seed`` and the id of the case.

    Raises:
        InvalidInput: the case takes no request or several, or the reply is not parsed as the verdict.
        ConfigurationError: the adapter's file lacks a required word or field.
    """
    messages = adapter is None or adapter.prompt.convention == "chat"
    words = None if messages or adapter is None else adapter
    if adapter is not None:
        adapter = adapter.dated(day_of(case.id, seed))
    chat = CapturingChatModel(lambda request: form.reply(case, request, words))
    try:
        verdict = await form.ask(case, online_of(chat, adapter))
    except Unavailable as error:
        raise InvalidInput(f"the reply that should be correct is not accepted: {error}", field="case") from error
    if chat.request is None:
        raise InvalidInput("online, no request is made for this case: code alone decides", field="case")
    found, right = form.read(case, verdict)
    if found != right:
        raise InvalidInput(f"online, the reply is read as {found}, not as {right}", field="case")
    return TrainingExample(
        id=case.id,
        group=case.group,
        messages=tuple(ExampleMessage(role=each.role, content=each.content) for each in chat.request.messages),
        prompt=chat.request.prompt,
        completion=chat.completion,
        source=case.source,
    )


def day_of(case_id: str, seed: int) -> datetime.date:
    """Return the date in the prompt of a case."""
    return _FIRST_DAY + datetime.timedelta(days=random.Random(f"{seed}/{case_id}").randrange(_DAYS))
