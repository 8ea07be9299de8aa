"""Grants: what people may do and read whom a token or a proxy names, by their roles and groups."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from serving.access import Actor, Scope

Grant = Literal["ask", "manage", "admin", "all-groups"]

GRANTS: tuple[Grant, ...] = get_args(Grant)
# The group of what everybody may read: nobody's groups name it.
EVERYONE = "everyone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grants:
    """What people may do: ``everybody`` whom the server knows, and who has a role of ``by_role``.

    "all-groups" lets them read the documents of every group; else they read those of their own groups and of
    "everyone".
    """

    everybody: frozenset[Scope] = frozenset({"ask"})
    by_role: Mapping[str, frozenset[Grant]] = field(default_factory=dict)

    def actor(self, name: str, account: str, *, groups: Iterable[str], roles: Collection[str]) -> Actor:
        """Return the actor with these groups and roles; both are compared as they are spelled."""
        granted = frozenset(grant for role in roles for grant in self.by_role.get(role, ()))
        return Actor(
            name=name,
            account=account,
            groups=None if "all-groups" in granted else frozenset({EVERYONE, *groups}),
            scopes=self.everybody | {grant for grant in granted if grant != "all-groups"},
        )


def group_named(text: str) -> str:
    """Return the document group that a provider's group stands for: Keycloak writes "/nand" for "nand"."""
    return text.strip().removeprefix("/")
