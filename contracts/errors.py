"""Errors, grouped by what the caller should do next.

GoldenError
├── InvalidInput          change the input: a question, a field, an argument (HTTP 400)
│   └── UnreadableFile    this file cannot be read; other files are still read
├── NotFound              the document, term or conversation does not exist (HTTP 404)
├── Conflict              somebody else changed it, or owns it: reload and try again (HTTP 409)
│   └── PreconditionFailed  its version is not the one that the edit was based on (HTTP 412)
├── ConfigurationError    change a setting
└── Unavailable           a server, index or program is not available: try again later (HTTP 503)
    ├── ChatUnavailable   the chat server did not answer, answered too late, or refused
    └── MalformedReply    the chat server sent an unusable reply
"""


class GoldenError(Exception):
    """The base class of all errors. The message tells people what happened, to what, and what to do next."""

    code = "internal_error"


class InvalidInput(GoldenError):
    """The input must change. ``field`` names the invalid part, if known."""

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
    """The requested thing does not exist."""

    code = "not_found"


class Conflict(GoldenError):
    """Somebody else changed or owns the thing."""

    code = "conflict"


class PreconditionFailed(Conflict):
    """The version is not the one that the edit was based on."""

    code = "precondition_failed"


class ConfigurationError(GoldenError):
    """A setting must change."""

    code = "configuration_error"


class Unavailable(GoldenError):
    """A required service is not available now. All functions that use the database or the library may raise this."""

    code = "unavailable"


class ChatUnavailable(Unavailable):
    """The chat server did not answer in time, or refused."""

    code = "chat_unavailable"


class MalformedReply(Unavailable):
    """The chat server's reply does not have the requested form."""

    code = "malformed_reply"
