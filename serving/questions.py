"""Questions: reads the question, its history, its conversation and its asker from a chat completion request."""

import hashlib
import re
from collections.abc import Mapping, Sequence

from contracts.errors import InvalidInput
from contracts.question import Asker, Turn
from contracts.records import MAX_CONVERSATION_ID_CHARACTERS
from serving.access import MAX_NAME_CHARACTERS
from serving.chat import Question, ServedModel
from serving.footer import without_footer
from serving.wire import CompletionRequest, Message

_TEXTS = frozenset({"text", "input_text", "output_text", "refusal"})
# Open WebUI sends the first if ENABLE_FORWARD_USER_INFO_HEADERS is set; the second is the name that LibreChat's
# documentation gives to a header with {{LIBRECHAT_BODY_CONVERSATIONID}}.
CONVERSATION_HEADERS = ("x-openwebui-chat-id", "x-conversation-id")
# An id is used in addresses, next to other routes.
_PLAIN = re.compile(rf"(?!export\Z)[\w.:~-]{{1,{MAX_CONVERSATION_ID_CHARACTERS}}}", re.ASCII)
_UNFILLED = re.compile(r"\{\{.*\}\}")


def question_in(body: CompletionRequest, headers: Mapping[str, str], asker: Asker, model: ServedModel) -> Question:
    """Read the question, its history and its conversation from a request.

    System, developer and tool messages are ignored: the bot has its own instructions, and a client's additions to them
    are not questions.

    Raises:
        InvalidInput: the last message is not the user's or contains something other than text, or more than one answer
        is requested.
    """
    if body.n not in (None, 1):
        raise InvalidInput(f"n={body.n}: the bot gives one answer; leave n out or set it to 1.", field="n")
    if body.messages[-1].role != "user":
        raise InvalidInput("The last message must be from the user: it is the question.", field="messages")
    extra = body.extension
    user = " ".join((body.user or "").split())[:MAX_NAME_CHARACTERS]
    if user and user.isprintable():
        # The holder of a key may name the person on whose behalf it asks, but its own name is shown as well.
        asker = asker.model_copy(update={"name": f"{user} ({asker.name})" if asker.name else user})
    if model.group is not None:
        asker = asker.model_copy(update={"groups": frozenset({model.group})})
    if extra.department:
        asker = asker.model_copy(update={"department": extra.department})
    if extra.documents:
        asker = asker.model_copy(update={"documents": frozenset(extra.documents)})
    return Question(
        text=_question_in(body.messages),
        history=_history_in(body.messages[:-1]),
        asker=asker,
        model=model,
        picks=extra.picks,
        conversation_id=conversation_named(body, headers),
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
    """Read the turns; pictures in earlier ones are ignored: they were refused when they were sent."""
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


def conversation_named(body: CompletionRequest, headers: Mapping[str, str]) -> str:
    """Return the id of the conversation that a request names, "" if it names none. ``golden.conversation`` takes
    precedence over the headers of front ends. An id that cannot be used in an address is replaced by its digest.
    """
    given = [body.extension.conversation, *(headers.get(name, "") for name in CONVERSATION_HEADERS)]
    named = next((each.strip() for each in given if each.strip() and not _UNFILLED.fullmatch(each.strip())), "")
    return conversation_id_of(named)


def conversation_id_of(name: str) -> str:
    """Return the id of the conversation that somebody calls ``name``: its digest if the name cannot be used in an
    address.

    "" stays "".
    """
    named = name.strip()
    if not named or (_PLAIN.fullmatch(named) and named not in (".", "..")):
        return named
    return hashlib.blake2b(named.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
