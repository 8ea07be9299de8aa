"""Asking: what of a chat completion request is the question, its history, its asker and the bounds of its answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from contracts.errors import InvalidInput
from contracts.question import LOCAL_ACCOUNT, Asker, SensePick, Turn
from serving.access import MAX_NAME_CHARACTERS, Actor
from serving.cutting import Bounds, tokens_of
from serving.footer import without_footer
from serving.offers import ServedModel
from serving.request_wire import CompletionRequest, Message

_FACE = "api"
_TEXTS = frozenset({"text", "input_text", "output_text", "refusal"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a request asks, of which ``model``.

    ``progress``: a stream tells of its steps and of its draft. ``passages``: citations come with the text around their
    quotes; ``follow_ups``: the answer with further questions. ``remembered``: the history is that of the conversation
    as the server remembers it. ``full_answer``: the answer comes whole as well.
    """

    question: str
    history: tuple[Turn, ...]
    asker: Asker
    model: ServedModel
    picks: tuple[SensePick, ...] = ()
    conversation_id: str = ""
    bounds: Bounds = field(default_factory=Bounds)
    progress: bool = True
    passages: bool = False
    follow_ups: bool = False
    remembered: bool = False
    full_answer: bool = False

    @property
    def given_history(self) -> tuple[Turn, ...] | None:
        """The history that the bot is given; None: it remembers the conversation's own."""
        return None if self.remembered else self.history

    @property
    def prompt_tokens(self) -> int:
        """How many tokens the question and its history are, about."""
        return tokens_of("".join((*(turn.text for turn in self.history), self.question)))


def asker_of(actor: Actor, asker: Asker) -> Asker:
    """Return who asks: what the key says of them comes before what ``asker`` says of everybody."""
    groups = asker.groups if actor.groups is None else actor.groups
    if actor.groups is not None and asker.groups is not None:
        groups = actor.groups & asker.groups
    return asker.model_copy(
        update={
            "department": actor.department or asker.department,
            "groups": groups,
            "account": actor.account or LOCAL_ACCOUNT,
            "name": actor.name,
            "face": _FACE,
        }
    )


def asked_in(body: CompletionRequest, asker: Asker, model: ServedModel, *, footer: bool) -> Asked:
    """Read the question and its history from the messages; ``footer`` holds where the request does not say.

    System, developer and tool messages are read past: the bot has its own instructions, and what a client adds to them
    is not a question.

    Raises:
        InvalidInput: the last message is not the user's, holds something other than text, more answers than one are
            asked for, or a remembered conversation comes with earlier messages.
    """
    if body.n not in (None, 1):
        raise InvalidInput(f"n={body.n}: the bot gives one answer; leave n out or set it to 1.", field="n")
    if body.messages[-1].role != "user":
        raise InvalidInput("The last message must be the user's: it is the question.", field="messages")
    extra = body.golden
    remembered = extra is not None and extra.remembered
    if remembered and len(body.messages) > 1:
        raise InvalidInput(
            "golden.remembered: send the question alone; the server knows the conversation.", field="messages"
        )
    user = " ".join((body.user or "").split())[:MAX_NAME_CHARACTERS]
    if user and user.isprintable():
        # The person for whom a program asks, as X-Golden-User names them.
        asker = asker.model_copy(update={"name": f"{user} ({asker.name})" if asker.name else user})
    if model.group is not None:
        asker = asker.model_copy(update={"groups": frozenset({model.group})})
    if extra and extra.department:
        asker = asker.model_copy(update={"department": extra.department})
    return Asked(
        question=_question_in(body.messages),
        history=_history_in(body.messages[:-1]),
        asker=asker,
        model=model,
        picks=tuple(
            SensePick(
                term=pick.term,
                extended_name=pick.extended_name,
                context=pick.context,
                kept=pick.kept,
                decision=pick.decision,
            )
            for pick in (extra.picks if extra else ())
        ),
        bounds=Bounds(
            stops=body.stops,
            most_tokens=body.most_tokens,
            footer=footer if extra is None or extra.footer is None else extra.footer,
        ),
        progress=extra is None or extra.progress,
        passages=extra is not None and extra.passages,
        follow_ups=extra is not None and extra.follow_ups,
        remembered=remembered,
        full_answer=extra is not None and extra.full_answer,
    )


def _question_in(messages: Sequence[Message]) -> str:
    place, message = f"messages[{len(messages) - 1}].content", messages[-1]
    if isinstance(message.content, list):
        others = {part.type for part in message.content} - _TEXTS
        if others:
            kinds = ", ".join(sorted(others))
            raise InvalidInput(f"{place}: a part of type {kinds} cannot be read; send text only.", field=place)
    return _text_of(message)


def _history_in(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """Read the turns; of those before, pictures are read past: they were refused when they were sent."""
    turns = []
    for message in messages:
        if message.role == "user":
            turns.append(Turn(role="user", text=_text_of(message)))
        elif message.role == "assistant":
            turns.append(Turn(role="assistant", text=without_footer(_text_of(message))))
    return tuple(turns)


def _text_of(message: Message) -> str:
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    return "\n".join(part.text for part in message.content if part.type in _TEXTS)
