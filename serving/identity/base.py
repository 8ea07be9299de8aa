"""Common parts of all ways to identify a caller: errors, and the permissions that roles and groups grant."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from serving.access import MAX_NAME_CHARACTERS, Actor, RequestInfo, Scope, Unauthenticated

Grant = Literal["ask", "manage", "admin", "all-groups"]

# The group that everybody may read; it is in nobody's list of groups.
EVERYONE = "everyone"


class MissingIdentity(Unauthenticated):
    """The request does not identify its caller (HTTP 401)."""

    code = "missing_api_key"


class InvalidToken(Unauthenticated):
    """The request has a token that is not valid (HTTP 401)."""

    code = "invalid_token"


class Recogniser(Protocol):
    """Identifies the caller by one kind of credential."""

    @property
    def asks_for(self) -> str:
        """The credential that a request should send, as part of a sentence ("an API key as …")."""

    async def recognise(self, info: RequestInfo) -> Actor | None:
        """Return the caller of the request; None if it has no credential of this kind.

        Raises:
            Unauthenticated: its credential is not valid.
            Forbidden: a browser sends the credential automatically, and another web page could have made it do so.
            InvalidInput: a header that names the caller cannot be used.
            Unavailable: this cannot be checked right now.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Grants:
    """What people may do: ``everybody`` who is identified, and also those with a role in ``by_role``.

    "all-groups" lets them read the documents of every group; otherwise they may read the documents of their own groups
    and of "everyone".
    """

    everybody: frozenset[Scope] = frozenset({"ask"})
    by_role: Mapping[str, frozenset[Grant]] = field(default_factory=dict)

    def actor(self, name: str, account: str, *, groups: Iterable[str], roles: Collection[str]) -> Actor:
        """Return the actor with these groups and roles; both are compared exactly as spelled."""
        granted = frozenset(grant for role in roles for grant in self.by_role.get(role, ()))
        return Actor(
            name=name,
            account=account,
            groups=None if "all-groups" in granted else frozenset({EVERYONE, *groups}),
            scopes=self.everybody | {grant for grant in granted if grant != "all-groups"},
        )


def group_named(text: str) -> str:
    """Return the document group for a provider's group: Keycloak writes "/nand" for "nand"."""
    return text.strip().removeprefix("/")


def is_name(text: object) -> bool:
    """Return whether ``text`` can be used as a person's name in a history."""
    if not isinstance(text, str) or not 0 < len(text) <= MAX_NAME_CHARACTERS:
        return False
    return text.strip() == text and text.isprintable() and "\ufffd" not in text
