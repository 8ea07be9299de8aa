"""Settings for identification other than by API keys: an identity provider, or a proxy with a login."""

import re
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    IPvAnyNetwork,
    SecretStr,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import NoDecode

from contracts.keys import KeyScope
from golden_retriever.settings.forms import Names, json_in, names_in
from serving.identity.base import Grant

_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", re.ASCII)
# Headers that clients set themselves, or that already have a different meaning.
_TAKEN_HEADERS = frozenset({"authorization", "cookie", "host", "origin", "x-golden-request", "x-request-id"})


# All groups of settings are combined into one class, so validator names must be unique.
class IdentitySettings(BaseModel):
    """How people are identified without API keys, and what they may do."""

    oidc_issuer: str = Field(
        "", description="The OpenID Connect provider whose signed tokens are trusted: its issuer, as in the tokens."
    )
    oidc_audience: Names = Field(
        (), description="The audiences that its tokens may name: this service's name there; comma-separated."
    )
    oidc_name_claim: str = Field(
        "preferred_username",
        min_length=1,
        description="The claim with a person's name, as shown in histories; if it is missing, sub.",
    )
    oidc_groups_claim: str = Field(
        "groups", min_length=1, description="The claim with the document groups that a person may read."
    )
    oidc_scopes_claim: str = Field(
        "", description="The claim with the values used in GOLDEN_ROLES, such as realm_access.roles; empty: the groups."
    )
    oidc_client_id: str = Field(
        "", description="This server's client id at the provider; with it, people log in there with a browser."
    )
    oidc_client_secret: SecretStr = Field(
        SecretStr(""),
        description="The client's secret at the provider; empty: a public client, protected by PKCE alone.",
    )
    oidc_login_scopes: str = Field(
        "openid profile", description="The OAuth scopes that a login asks the provider for; it must include openid."
    )
    session_hours: int = Field(12, ge=1, le=8_760, description="Hours after which a browser's login ends.")
    public_url: str = Field(
        "", description="The address at which people open the server, with any path; empty: as their browsers send it."
    )
    proxy_user_header: str = Field(
        "", description="The header in which a proxy with a login names the person, such as X-Forwarded-User."
    )
    proxy_groups_header: str = Field(
        "", description="The header in which it names their groups, comma-separated, such as X-Forwarded-Groups."
    )
    trusted_proxies: Annotated[tuple[IPvAnyNetwork, ...], NoDecode, BeforeValidator(names_in)] = Field(
        (), description="The addresses or networks (10.0.0.0/24), comma-separated, whose proxy headers are trusted."
    )
    people_scopes: Annotated[frozenset[KeyScope], NoDecode] = Field(
        frozenset({"ask"}),
        description="What everybody named by a token or the proxy may do: ask, manage, admin, or nothing (-).",
    )
    roles: Annotated[dict[str, frozenset[Grant]], NoDecode, BeforeValidator(json_in)] = Field(
        {},
        description='What roles or groups add, as JSON: {"helpdesk": ["manage", "all-groups"]}; all-groups reads '
        "the documents of every group.",
    )

    @field_validator("people_scopes", mode="before")
    @classmethod
    def _scopes_by_name(cls, value: Any) -> Any:
        return frozenset(value.replace(",", " ").split()) - {"-"} if isinstance(value, str) else value

    @field_validator("oidc_login_scopes")
    @classmethod
    def _ask_for_identity(cls, value: str) -> str:
        if "openid" not in value.split():
            raise ValueError("must contain openid: without it the provider does not report who logged in")
        return " ".join(value.split())

    @field_validator("public_url")
    @classmethod
    def _is_peoples_address(cls, value: str) -> str:
        if not value.strip():
            return ""
        parts = urlsplit(value.strip())
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("must be an address such as https://bot.example or https://intranet.example/golden")
        return value.strip().rstrip("/")

    @field_validator("oidc_issuer")
    @classmethod
    def _issuer_is_safe(cls, value: str, info: ValidationInfo) -> str:
        if value:
            from serving.identity.provider import is_safe_url

            if not is_safe_url(value):
                raise ValueError("must be an https:// address (http:// on this machine only), spelled as in the tokens")
        return value

    @field_validator("proxy_user_header", "proxy_groups_header")
    @classmethod
    def _is_a_proxys_header(cls, value: str) -> str:
        name = value.strip().lower()
        if name and (not _HEADER.fullmatch(name) or name in _TAKEN_HEADERS):
            raise ValueError(f"{value!r} is not a valid proxy header: use one such as X-Forwarded-User")
        return name

    @field_validator("trusted_proxies")
    @classmethod
    def _are_proxies(cls, value: tuple[IPvAnyNetwork, ...]) -> tuple[IPvAnyNetwork, ...]:
        if any(network.prefixlen == 0 for network in value):
            raise ValueError("must not include all addresses: name only those of the proxy")
        return value

    @model_validator(mode="after")
    def _identities_belong_together(self) -> "IdentitySettings":
        used = bool(self.oidc_audience or self.oidc_client_id)
        if bool(self.oidc_issuer) != used:
            raise ValueError(
                "GOLDEN_OIDC_ISSUER and GOLDEN_OIDC_AUDIENCE belong together (or GOLDEN_OIDC_CLIENT_ID, for logins "
                "with a browser only): set both or neither"
            )
        if self.oidc_client_secret.get_secret_value() and not self.oidc_client_id:
            raise ValueError("GOLDEN_OIDC_CLIENT_SECRET needs GOLDEN_OIDC_CLIENT_ID")
        if bool(self.proxy_user_header) != bool(self.trusted_proxies):
            raise ValueError(
                "GOLDEN_PROXY_USER_HEADER and GOLDEN_TRUSTED_PROXIES belong together: a header is trusted from "
                "named addresses only; set both or neither"
            )
        if self.proxy_groups_header and not self.proxy_user_header:
            raise ValueError("GOLDEN_PROXY_GROUPS_HEADER needs GOLDEN_PROXY_USER_HEADER")
        if self.proxy_user_header and self.proxy_user_header == self.proxy_groups_header:
            raise ValueError("GOLDEN_PROXY_USER_HEADER and GOLDEN_PROXY_GROUPS_HEADER must be two different headers")
        return self

    @property
    def provider_name(self) -> str:
        return urlsplit(self.oidc_issuer).hostname or ""
