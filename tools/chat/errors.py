"""The reasons why a chat server did not answer, grouped by what can be done about it.

ChatUnavailable        unreachable or interrupted: the same request may succeed a moment later
├── ChatTimedOut       no answer in time: another server may be faster, and this one is left alone for some time
├── ChatLocked         the key, the address or the model's name is wrong: the same request will never succeed
│   └── ChatWithout    the server works, but does not have the requested model, such as an adapter
└── ChatRefused        the server works, but refuses this request
    └── ChatTooLong    prompt and reply together do not fit into the model's context window

Users of the bot see only the codes of ChatUnavailable and ChatRefused; the other classes are internal.
"""

from contracts.errors import ChatUnavailable


class ChatTimedOut(ChatUnavailable):
    """The chat server did not answer in time."""


class ChatLocked(ChatUnavailable):
    """The chat server refuses access: its key, its address or the model's name is wrong."""


class ChatWithout(ChatLocked):
    """The chat server does not have the requested model; its other models may still work."""


class ChatRefused(ChatUnavailable):
    """The chat server works, but refuses this request, for example because it is too long or malformed."""

    code = "chat_refused"


class ChatTooLong(ChatRefused):
    """Prompt and reply do not fit into the model's context window."""
