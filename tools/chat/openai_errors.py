"""Translates errors of the OpenAI client into errors that explain what to do, and logs the server's message."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

from contracts.errors import ChatUnavailable, MalformedReply
from tools.chat.errors import ChatLocked, ChatRefused, ChatTimedOut, ChatTooLong, ChatWithout

_log = logging.getLogger(__name__)
_LOGGED_CHARACTERS = 300
# Statuses that are caused by the request, not by the server.
_REFUSALS = frozenset({400, 413, 422})
# Statuses that may be temporary.
_TEMPORARY = frozenset({408, 409, 425})
# Phrases used by vLLM, llama.cpp, Ollama, TGI and OpenAI.
_TOO_LONG = re.compile(
    r"context[ _](length|size|window)|exceed_context|maximum (context|model) length|max_model_len|too many tokens|"
    r"prompt is too long|max_tokens must be at least 1|inputs? tokens? .{0,40}(must be|exceed)|reduce the length",
    re.IGNORECASE,
)
# llama.cpp parses the model's output before sending it; if a reply was cut off, this may fail with status 500.
_UNREADABLE = re.compile(r"output that does not match the expected|failed to parse input at pos", re.IGNORECASE)


def shortened(text: object) -> str:
    """Return the text on one line of at most 300 characters."""
    words = " ".join(str(text).split())
    return words if len(words) <= _LOGGED_CHARACTERS else words[:_LOGGED_CHARACTERS] + "…"


def is_too_long(error: APIError) -> bool:
    """Return whether the server reports that prompt and reply do not fit into the model's context window."""
    return getattr(error, "status_code", None) == 413 or bool(_TOO_LONG.search(f"{error.message} {error.body or ''}"))


@contextmanager
def explained(place: str, model: str, timeout_s: float) -> Iterator[None]:
    """Convert errors of the OpenAI client to our errors, whose text begins with ``place``: "The chat server at …".

    Raises:
        ChatUnavailable: or a subclass of it.
        MalformedReply: the response does not follow the protocol.
    """
    try:
        yield
    except APIStatusError as error:
        _log.warning("%s refused a request: %s", place, _redirect(error) or shortened(error))
        raise _of_status(error, place, model) from error
    except (APIConnectionError, httpx2.HTTPError) as error:
        raise _of_connection(error, place, timeout_s) from error
    except TimeoutError as error:
        raise ChatTimedOut(f"{place} did not answer within {timeout_s:g} s.") from error
    except APIError as error:
        if is_too_long(error):
            raise _too_long(place) from error
        _log.warning("%s reported an error: %s", place, shortened(error))
        if _UNREADABLE.search(error.message):
            raise _unreadable(place) from error
        raise ChatUnavailable(f"{place} reported an error. Its message is in the log.") from error
    except (ValueError, TypeError, AttributeError, KeyError, IndexError) as error:
        # The client raises these errors if a response does not follow the protocol.
        _log.warning("%s: its answer cannot be read: %s", place, shortened(error))
        raise malformed(place, "it cannot be read") from error


def malformed(place: str, reason: str) -> MalformedReply:
    """Return the error for an answer that is not a chat completion."""
    return MalformedReply(f"The answer of {place[0].lower()}{place[1:]} is not a chat completion: {reason}.")


def _redirect(error: APIStatusError) -> str:
    place = error.response.headers.get("location")
    return f"it redirects to {shortened(place)}" if place else ""


def _of_connection(error: APIConnectionError | httpx2.HTTPError, place: str, timeout_s: float) -> ChatUnavailable:
    reason = error if isinstance(error, httpx2.HTTPError) else error.__cause__ or error
    if isinstance(reason, httpx2.ConnectTimeout | httpx2.PoolTimeout):
        return ChatTimedOut(f"{place} did not accept the connection in time. Is GOLDEN_LLM correct?")
    if isinstance(reason, APITimeoutError | httpx2.TimeoutException):
        return ChatTimedOut(f"{place} did not answer within {timeout_s:g} s.")
    if isinstance(reason, httpx2.HTTPError) and not isinstance(
        reason, httpx2.ConnectError | httpx2.UnsupportedProtocol
    ):
        # The HTTP parser's message may quote the server.
        _log.warning("%s broke off: %s", place, shortened(reason))
        return ChatUnavailable(f"{place} broke off before its answer was complete ({type(reason).__name__}).")
    return ChatUnavailable(
        f"{place} cannot be reached ({shortened(reason) or type(reason).__name__}). Is it running, and is "
        "GOLDEN_LLM correct?"
    )


def _of_status(error: APIStatusError, place: str, model: str) -> ChatUnavailable:
    status = error.status_code
    if status in (401, 403):
        return ChatLocked(f"{place} refused the key ({status}). Check GOLDEN_LLM_API_KEY.")
    if status == 404 and not model:
        return ChatLocked(f"{place} does not list its models. Name the model in GOLDEN_LLM, and check its address.")
    if status == 404:
        return ChatWithout(f"{place} does not know the model {model!r}. Check GOLDEN_LLM.")
    if (status in _REFUSALS or status >= 500) and is_too_long(error):
        return _too_long(place)
    if status >= 500 and _UNREADABLE.search(error.message):
        return _unreadable(place)
    if status in _REFUSALS:
        return ChatRefused(f"{place} refused the request with status {status}. Its message is in the log.")
    if 300 <= status < 400:
        return ChatLocked(
            f"{place} redirects requests to another address, which is not followed. The log names it: if it is the "
            "right one, set GOLDEN_LLM to it."
        )
    if status == 429:
        return ChatUnavailable(f"{place} is busy or its quota is used up. Try again later.")
    if status in _TEMPORARY or status >= 500:
        return ChatUnavailable(f"{place} failed with status {status}. Its message is in the log.")
    return ChatLocked(f"{place} refused the request with status {status}. Its message is in the log.")


def _too_long(place: str) -> ChatTooLong:
    return ChatTooLong(f"{place} says that the request is too long for its model.")


def _unreadable(place: str) -> ChatRefused:
    # The server works, but would generate the same reply again.
    return ChatRefused(f"{place} cannot read what its model wrote.")
