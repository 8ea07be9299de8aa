"""The refusal of one request by a chat server that is well."""

from contracts.errors import ChatUnavailable


class ChatRefused(ChatUnavailable):
    """The chat server answers, but not this request: it is too long, or malformed. Another one may pass."""

    code = "chat_refused"
