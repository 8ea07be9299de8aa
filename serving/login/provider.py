"""The identity provider as a login sees it: where people go, and who comes back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from contracts.errors import GoldenError
from serving.access import Actor

# What may go wrong, by the names of the words that say it.
Failure = Literal["provider_denied", "provider_stale", "provider_away", "provider_refused"]


class LoginFailed(GoldenError):
    """The provider did not say who somebody is; ``failure`` says why, and the text is the reason for people."""

    code = "login_failed"

    def __init__(self, failure: Failure, reason: str = "") -> None:
        super().__init__(reason or failure)
        self.failure: Failure = failure
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """A browser's way to the provider: where to (``url``), and what its cookie must hold to come back.

    ``lasts_s`` is how long the provider's answer is waited for.
    """

    url: str
    cookie: str
    lasts_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """Who came back from the provider, and where they wanted to go."""

    actor: Actor
    following: str


class LoginProvider(Protocol):
    """Lets people in whom the company's identity provider names."""

    @property
    def name(self) -> str:
        """What people call the provider."""
        ...

    async def depart(self, following: str, *, return_url: str) -> Journey:
        """Return where a browser goes that wants to be logged in and then to open ``following``.

        Raises:
            LoginFailed: the provider cannot be asked just now.
        """
        ...

    async def arrive(self, answer: Mapping[str, str], cookie: str, *, return_url: str) -> Arrival:
        """Return who the provider's ``answer`` (its parameters) names, to a browser with this cookie.

        Raises:
            LoginFailed: it names nobody, or not to this browser, or cannot be believed.
        """
        ...

    async def leaving_url(self, *, return_url: str) -> str:
        """Return where people log out of the provider, "" where it does not say so or cannot be asked."""
        ...
