"""Who is let in: the guard that the settings and the keys ask for."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from contracts.errors import ConfigurationError
from golden_retriever.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from library.key_values import ApiKey
    from serving.access import Guard
    from serving.identity.base import Recogniser
    from serving.limits import RequestLimits


def asks_everyone(settings: Settings, keys: "Sequence[ApiKey]") -> bool:
    """Say whether the server asks each request from the start on who makes it.

    It does where a provider of identities is set, and where any of ``keys`` is not revoked: an expired one must not
    open what it protected.

    Raises:
        ConfigurationError: others could reach the server, and nobody could tell it who they are.
    """
    from serving.access import is_loopback

    moment = datetime.now(UTC)
    told_otherwise = bool(settings.oidc_issuer or settings.proxy_user_header)
    in_force = told_otherwise or any(key.state_at(moment) == "active" for key in keys)
    if not is_loopback(settings.host) and not in_force:
        what = "every API key is expired or revoked" if keys else "there is no API key"
        raise ConfigurationError(
            f"GOLDEN_HOST={settings.host}: without keys the server listens on loopback only, and {what}. Make one with "
            "`golden keys create NAME`, set GOLDEN_OIDC_ISSUER or GOLDEN_PROXY_USER_HEADER, or use 127.0.0.1."
        )
    return told_otherwise or any(key.state_at(moment) != "revoked" for key in keys)


def build_guard(settings: Settings, engine: "Engine", *, closed: bool) -> "Guard":
    """Return what lets requests in; ``closed``: everybody must say who they are from the start, else from the first
    key on."""
    from library.keys import KeyStore
    from serving.access import LoopbackGuard
    from serving.identity.guards import FirstKeyGuard, IdentityGuard
    from serving.keys import KeyRecogniser

    keys, hosts = KeyStore(engine), settings.trusted_hosts.split(",")
    known = IdentityGuard([KeyRecogniser(keys), *_recognisers(settings)], hosts=hosts)
    if closed:
        return known
    return FirstKeyGuard(keys, before=LoopbackGuard(user=settings.effective_user, hosts=hosts), after=known)


def build_limits(settings: Settings) -> "RequestLimits":
    """Return how much each key or person may ask of this process."""
    from serving.limits import RequestLimits

    return RequestLimits(
        a_minute=settings.key_requests_per_minute,
        at_once=settings.key_requests_at_once,
        body_bytes=settings.key_upload_mb_at_once * 1_048_576,
    )


def _recognisers(settings: Settings) -> "list[Recogniser]":
    from serving.identity.grants import Grants

    grants = Grants(everybody=settings.everybodys_scopes, by_role=settings.grants_by_role)
    found: list[Recogniser] = []
    if settings.oidc_issuer:
        from serving.identity.issuer import IssuerKeys
        from serving.identity.tokens import TokenRecogniser, TokenRules

        rules = TokenRules(
            issuer=settings.oidc_issuer,
            audiences=settings.oidc_audiences,
            name_claim=settings.oidc_name_claim,
            groups_claim=settings.oidc_groups_claim,
            roles_claim=settings.oidc_scopes_claim,
        )
        keys = IssuerKeys(settings.oidc_issuer, jwks_url=settings.oidc_jwks_url)
        found.append(TokenRecogniser(keys, rules=rules, grants=grants))
    if settings.proxy_user_header:
        from serving.identity.proxy import ProxyRecogniser, ProxyRules, networks_in

        proxy = ProxyRules(
            networks=networks_in(settings.trusted_proxies),
            user_header=settings.proxy_user_header,
            groups_header=settings.proxy_groups_header,
        )
        found.append(ProxyRecogniser(rules=proxy, grants=grants))
    return found
