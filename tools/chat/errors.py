"""Why a chat server did not answer, by what can be done about it.

ChatUnavailable        away, or broke off: the same request may pass a moment later
├── ChatTimedOut       nothing came in time: another server may be faster, this one is not asked for a while
├── ChatLocked         the key, the address or the model's name is wrong: the same request never passes here
│   └── ChatWithout    the server is well, but does not have the model that this request names, such as an adapter
└── ChatRefused        the server is well, but not this request
    └── ChatTooLong    prompt and reply together do not fit the model's window

Users of the bot see the codes of ChatUnavailable and ChatRefused only; the other classes are internal.
"""

from contracts.errors import ChatUnavailable


class ChatTimedOut(ChatUnavailable):
    """The chat server did not answer in time."""


class ChatLocked(ChatUnavailable):
    """The chat server refuses access: its key, its address or the model's name is wrong."""


class ChatWithout(ChatLocked):
    """The chat server does not have the model that the request names; its other models may still work."""


class ChatRefused(ChatUnavailable):
    """The chat server answers, but not this request: it is too long, or malformed. Another one may work."""

    code = "chat_refused"


class ChatTooLong(ChatRefused):
    """Prompt and reply do not fit into the model's window."""
