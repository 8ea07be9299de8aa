"""Errors, grouped by what the caller should do next.

GoldenError
├── InvalidInput          change the input: a question, a field, an argument (HTTP 400)
│   └── UnreadableFile    this file cannot be read; the others go on
├── NotFound              no such document, term, conversation (HTTP 404)
├── Conflict              somebody else changed it, or owns it: reload and try again (HTTP 409)
│   └── PreconditionFailed  it is at another version than the edit is about (HTTP 412)
├── ConfigurationError    change a setting
└── Unavailable           try again later: a server, an index, a program is not there (HTTP 503)
    ├── ChatUnavailable   the chat server did not answer, or answered too late
    └── MalformedReply    the chat server answered something that cannot be used
"""


class GoldenError(Exception):
    """The base of all errors of this program. Its text is for people: what happened, to what, what to do next."""

    code = "internal_error"


class InvalidInput(GoldenError):
    """The input must change. ``field`` names the part that is wrong, if known."""

    code = "invalid_input"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class UnreadableFile(InvalidInput):
    """A file, or one page of it, cannot be read."""

    code = "unreadable_file"

    def __init__(self, path: str, reason: str, *, page: int | None = None) -> None:
        place = f"{path}, page {page}" if page is not None else path
        super().__init__(f"{place}: {reason}", field="file")
        self.path = path
        self.reason = reason
        self.page = page


class NotFound(GoldenError):
    """What was asked for does not exist."""

    code = "not_found"


class Conflict(GoldenError):
    """Somebody else changed or owns it."""

    code = "conflict"


class PreconditionFailed(Conflict):
    """It has another version than the one that the edit is based on."""

    code = "precondition_failed"


class ConfigurationError(GoldenError):
    """A setting must change."""

    code = "configuration_error"


class Unavailable(GoldenError):
    """Something needed is not available now. Whatever uses the database or the library may raise it."""

    code = "unavailable"


class ChatUnavailable(Unavailable):
    """The chat server did not answer in time, or refused."""

    code = "chat_unavailable"


class MalformedReply(Unavailable):
    """The chat server's reply does not have the requested form."""

    code = "malformed_reply"
