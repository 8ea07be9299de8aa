"""Access: the guard required by the settings and the keys."""

from collections.abc import Sequence
from datetime import timedelta

from fastapi import APIRouter
from sqlalchemy import Engine

from contracts.errors import ConfigurationError
from contracts.keys import ApiKey
from golden_retriever.settings import Settings
from library.keys import KeyStore
from library.sessions import SessionStore
from serving.access import is_loopback
from serving.identity.base import Grants, Recogniser
from serving.identity.credentials import KeyRecogniser, SessionRecogniser
from serving.identity.guards import Guard
from serving.identity.provider import SigningKeys
from serving.identity.proxy import ProxyRecogniser
from serving.identity.tokens import TokenRecogniser
from serving.login.addresses import Addresses
from serving.login.code_flow import CodeFlow
from serving.rate_limits import RequestLimits
from ui.login.routes import Login, login_router

# Login attempts allowed from one address, so that nobody can guess keys by trying.
_LOGINS_A_MINUTE, _LOGINS_AT_ONCE = 30, 8
_SESSION_IDLE = timedelta(hours=4)


def asks_everyone(settings: Settings, keys: Sequence[ApiKey]) -> bool:
    """Return whether every request must be authenticated from the start.

    This is the case if an identity provider or a proxy is set, or if any of ``keys`` is not revoked: an expired key
    must not open the server to everybody.

    Raises:
        ConfigurationError: others could reach the server, and there would be no way to identify them.
    """
    told_otherwise = bool(settings.oidc_issuer or settings.proxy_user_header)
    in_force = told_otherwise or any(key.state == "active" for key in keys)
    if not is_loopback(settings.host) and not in_force:
        what = "every API key is expired or revoked" if keys else "there is no API key"
        raise ConfigurationError(
            f"GOLDEN_HOST={settings.host}: without keys the server listens on loopback only, and {what}. Create one "
            "with `golden keys create NAME`, set GOLDEN_OIDC_ISSUER or GOLDEN_PROXY_USER_HEADER, or use 127.0.0.1."
        )
    return told_otherwise or any(key.state != "revoked" for key in keys)


def build_guard(settings: Settings, engine: Engine, *, closed: bool) -> Guard:
    """Return the guard. Everybody must be authenticated from the start if ``closed``, otherwise once a key exists."""
    keys = KeyStore(engine)
    tokens = [_recogniser(settings, settings.oidc_audience)] if settings.oidc_audience else []
    sessions = SessionRecogniser(build_sessions(settings, engine))
    # Credentials that a client sends explicitly take precedence over those added by its browser or a proxy.
    return Guard(
        [KeyRecogniser(keys), *tokens, sessions, *_proxies(settings)],
        hosts=settings.trusted_hosts,
        user=settings.effective_user,
        before=None if closed else keys,
    )


def build_sessions(settings: Settings, engine: Engine) -> SessionStore:
    """Return the store of browser logins."""
    return SessionStore(engine, idle=_SESSION_IDLE, whole=timedelta(hours=settings.session_hours))


def build_login(settings: Settings, engine: Engine, guard: Guard) -> APIRouter:
    """Return the routes for browser logins: with a key, or with the identity provider."""
    login = Login(
        keys=KeyStore(engine),
        sessions=build_sessions(settings, engine),
        addresses=Addresses(prefix=settings.path_prefix, public_url=settings.public_url),
        attempts=RequestLimits(a_minute=_LOGINS_A_MINUTE, at_once=_LOGINS_AT_ONCE, redis_url=settings.limits_url),
        guard=guard,
        provider=_provider(settings),
    )
    return login_router(login)


def _provider(settings: Settings) -> CodeFlow | None:
    if not settings.oidc_client_id:
        return None
    return CodeFlow(
        issuer=settings.oidc_issuer,
        client_id=settings.oidc_client_id,
        client_secret=settings.oidc_client_secret.get_secret_value(),
        scopes=settings.oidc_login_scopes,
        name=settings.provider_name,
        # Login tokens are issued for this client, tokens from programs for the audiences.
        reader=_recogniser(settings, (settings.oidc_client_id,)),
    )


def _grants(settings: Settings) -> Grants:
    return Grants(everybody=settings.people_scopes, by_role=settings.roles)


def _recogniser(settings: Settings, audiences: tuple[str, ...]) -> TokenRecogniser:
    return TokenRecogniser(
        keys=SigningKeys(settings.oidc_issuer),
        issuer=settings.oidc_issuer,
        audiences=audiences,
        name_claim=settings.oidc_name_claim,
        groups_claim=settings.oidc_groups_claim,
        roles_claim=settings.oidc_scopes_claim,
        grants=_grants(settings),
    )


def _proxies(settings: Settings) -> list[Recogniser]:
    if not settings.proxy_user_header:
        return []
    return [
        ProxyRecogniser(
            networks=settings.trusted_proxies,
            user_header=settings.proxy_user_header,
            groups_header=settings.proxy_groups_header,
            grants=_grants(settings),
        )
    ]
