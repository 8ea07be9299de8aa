"""Callers identified by the headers of a trusted proxy that handles the login."""

import ipaddress
from dataclasses import dataclass
from typing import ClassVar

from contracts.errors import InvalidInput
from serving.access import Actor, RequestInfo, Unauthenticated, is_navigation, refuse_other_pages, text_in
from serving.identity.base import Grants, group_named, is_name

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRecogniser:
    """Identifies people by the headers that a trusted proxy adds; from anybody else, these headers are ignored.

    ``networks`` are the peer addresses whose headers are trusted. ``user_header`` names the person; ``groups_header``
    ("": none) their groups, separated by commas; both in lower case.
    """

    asks_for: ClassVar[str] = "the login of the proxy in front of this server"

    networks: tuple[Network, ...]
    user_header: str
    groups_header: str = ""
    grants: Grants

    async def recognise(self, info: RequestInfo) -> Actor | None:
        """Return the person that the proxy names; None if it names nobody, or the request is not from the proxy.

        Raises:
            Unauthenticated: a header that only the proxy may set was sent twice, so one of them is not from the proxy.
            Forbidden: another web page could have made the browser send this through the proxy.
            InvalidInput: the headers do not contain valid names.
        """
        if not comes_from(info.peer, self.networks) or not info.headers.get(self.user_header, "").strip():
            return None
        names = {self.user_header, self.groups_header}
        if names & info.repeated:
            raise Unauthenticated(
                f"The header {' or '.join(sorted(names & info.repeated))} was sent twice: the proxy must replace what "
                "a client sends under its name."
            )
        # A browser sends the proxy's cookie automatically.
        if not is_navigation(info):
            refuse_other_pages(info)
        user = _name_in(info, self.user_header)
        listed = text_in(info.headers.get(self.groups_header, "")) if self.groups_header else ""
        groups = [group for group in map(group_named, listed.split(",")) if group]
        return self.grants.actor(user, f"proxy:{user}", groups=groups, roles=frozenset(groups))


def comes_from(peer: str, networks: tuple[Network, ...]) -> bool:
    """Return whether the address ``peer`` is in one of ``networks``."""
    try:
        address = ipaddress.ip_address(peer.partition("%")[0])
    except ValueError:
        return False
    # A socket for both address families shows an IPv4 address as ::ffff:10.0.0.1.
    address = getattr(address, "ipv4_mapped", None) or address
    return any(address in network for network in networks if network.version == address.version)


def _name_in(info: RequestInfo, header: str) -> str:
    name = text_in(info.headers[header]).strip()
    if not is_name(name):
        raise InvalidInput(
            f"The header {header} of the proxy does not contain a name of at most 100 printable characters."
        )
    return name
