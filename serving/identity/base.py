"""What every way to tell who makes a request has in common."""

from typing import Protocol

from serving.access import MAX_NAME_CHARACTERS, Actor, Knock, Unauthenticated


class MissingIdentity(Unauthenticated):
    """The request brings nothing that tells who makes it (HTTP 401)."""

    code = "missing_api_key"


class InvalidToken(Unauthenticated):
    """The request brings a token that opens nothing (HTTP 401)."""

    code = "invalid_token"


class Recogniser(Protocol):
    """Recognises who makes a request by one kind of evidence."""

    @property
    def asks_for(self) -> str:
        """What a request should bring, as the middle of a sentence ("an API key as …")."""
        ...

    async def recognise(self, knock: Knock) -> Actor | None:
        """Return who makes the request; None where it brings nothing of this kind.

        Raises:
            Unauthenticated: what it brings of this kind opens nothing.
            Forbidden: a browser sends it by itself, and another web page could have made it do so.
            InvalidInput: a header that names them cannot be used.
            Unavailable: nobody can say so just now.
        """
        ...


def is_name(text: object) -> bool:
    """Say whether ``text`` can stand as a person's name in a history."""
    if not isinstance(text, str) or not 0 < len(text) <= MAX_NAME_CHARACTERS:
        return False
    return text.strip() == text and text.isprintable() and "\ufffd" not in text
