"""From a labelled case to a training example: the prompt is caught on its way online, the reply is tried there."""

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
        InvalidInput: there is no such intrinsic or file, a line is not a case, or two have the same id; the text names
            file, line and field.
    """
    seen: dict[str, int] = {}
    made_by = f"golden-lab train cases {intrinsic} makes one"
    for number, case in read_numbered_forms(path, form_of(intrinsic).case, where=made_by):
        if case.id in seen:
            raise InvalidInput(f"{path}, line {number}: the id {case.id} is that of line {seen[case.id]}", field="id")
        seen[case.id] = number
        yield number, case


class CapturingChatModel:
    """Replies ``reply(request)``, and keeps the one request that was made; ``request`` is None before that.

    Its window has no end, so that no passage is left out: what is too long for a model is left out whole, by training.
    Being asked the same again is fine; a second prompt is refused, since a case holds the correct reply for one.
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
        """Do nothing: it is always there."""

    async def close(self) -> None:
        """Do nothing: there is no connection."""

    def _replied(self, request: ChatRequest) -> str:
        if self.request is None:
            self.request, self.completion = request, self._reply(request)
        elif (request.prompt, request.messages) != (self.request.prompt, self.request.messages):
            first = len(self.request.messages)
            if first and request.messages[:first] == self.request.messages:
                complaint = request.messages[-1].content.split("Answer again")[0].strip()
                raise InvalidInput(f"the reply that should be correct is sent back: {complaint}", field="case")
            raise InvalidInput("it takes several requests; make a case of each of its parts", field="case")
        return self.completion


# Builds the online implementation from a chat server and an adapter (None: the language model with its own prompt).
OnlineOf = Callable[[ChatModel, AdapterDeclaration | None], Online]

# The range of dates in frozen prompts. In use, an adapter sees dates that do not occur in its training, so it must not
# learn one: each example gets a random date in the years in which adapters of this base model are used.
_FIRST_DAY, _DAYS = datetime.date(2025, 1, 1), 5 * 365


async def make_example(
    form: CaseForm, case: JudgementCase, online_of: OnlineOf, adapter: AdapterDeclaration | None, *, seed: int = 0
) -> TrainingExample:
    """Return ``case`` under the prompt that is sent online, with the reply that is read as its verdict there.

    Where the prompt names the day, that is drawn by ``seed`` and the case's id.

    Raises:
        InvalidInput: nothing is asked about the case, or more than once; or the reply is not read as the verdict.
        ConfigurationError: the adapter's file lacks a word or field that is needed.
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
        raise InvalidInput("nothing is asked about it online: code alone decides", field="case")
    found, right = form.read(case, verdict)
    if found != right:
        raise InvalidInput(f"online it is read as {found}, not as {right}", field="case")
    return TrainingExample(
        id=case.id,
        group=case.group,
        messages=tuple(ExampleMessage(role=each.role, content=each.content) for each in chat.request.messages),
        prompt=chat.request.prompt,
        completion=chat.completion,
        source=case.source,
    )


def day_of(case_id: str, seed: int) -> datetime.date:
    """Return the day that the prompt of a case names."""
    return _FIRST_DAY + datetime.timedelta(days=random.Random(f"{seed}/{case_id}").randrange(_DAYS))
