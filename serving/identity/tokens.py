"""Callers identified by a JSON Web Token that the company's identity provider (OpenID Connect) has signed."""

import hmac
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import jwt

from serving.access import MAX_NAME_CHARACTERS, Actor, RequestInfo
from serving.identity.base import Grants, InvalidToken, group_named, is_name
from serving.identity.provider import ALGORITHMS, SigningKeys

# A token with hundreds of groups is about 10 KiB; servers accept headers of at most 64 KiB.
MAX_TOKEN_CHARACTERS = 16_384
_LEEWAY_S = 30
# Source: OpenID Connect Core 1.0, section 2.
_MAX_SUBJECT_CHARACTERS = 255
# The types of token that the header may name. Others (logout tokens, proofs) are signed with the same keys for other
# purposes.
_TYPES = ("", "jwt", "at+jwt", "application/at+jwt")
_REFUSALS: tuple[tuple[type[Exception], str], ...] = (
    (jwt.ExpiredSignatureError, "has expired: get a new one"),
    (jwt.ImmatureSignatureError, "is not valid yet: compare the clocks of this server and of the provider"),
    (jwt.InvalidAudienceError, "is for a different service"),
    (jwt.InvalidIssuerError, "was not issued by this server's provider"),
    (jwt.MissingRequiredClaimError, "lacks a required claim (exp, iss, aud and sub)"),
    (jwt.InvalidSignatureError, "is not signed by the provider"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRecogniser:
    """Identifies people by tokens of one identity provider; keys that a token itself offers are ignored.

    ``issuer`` and one of ``audiences`` must occur in a token exactly as spelled here. Nested claims are named with dots
    ("realm_access.roles"). If ``roles_claim`` is "", the groups also count as roles.

    Source: RFC 7519 (tokens), RFC 8725 (attacks), RFC 9068 (access tokens).
    """

    asks_for: ClassVar[str] = "a token of this company's identity provider as Authorization: Bearer eyJ..."

    keys: SigningKeys
    issuer: str
    audiences: tuple[str, ...]
    name_claim: str = "preferred_username"
    groups_claim: str = "groups"
    roles_claim: str = ""
    grants: Grants

    async def recognise(self, info: RequestInfo) -> Actor | None:
        """Return the person that the request's token names; None if it has no token."""
        # A token has three parts, separated by dots; "eyJ" is the beginning of a JSON object.
        if info.bearer.count(".") != 2 or not info.bearer.startswith("eyJ"):
            return None
        return self._actor_of(await self._verified(info.bearer))

    async def read(self, token: str, *, nonce: str, client_id: str) -> Actor:
        """Return the person named by an ID token that the provider issued for the login with this ``nonce``.

        Raises:
            InvalidToken, Unavailable: as in ``recognise``, or it was issued for a different login or client.

        Source: OpenID Connect Core 1.0, section 3.1.3.7.
        """
        claims = await self._verified(token)
        claimed, several = claims.get("nonce"), isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if not isinstance(claimed, str) or not hmac.compare_digest(claimed.encode(), nonce.encode()):
            raise InvalidToken("This token was issued for a different login.")
        if claims.get("azp", None if several else client_id) != client_id:
            raise InvalidToken("This token was issued to a different client.")
        return self._actor_of(claims)

    async def _verified(self, token: str) -> dict[str, Any]:
        if len(token) > MAX_TOKEN_CHARACTERS:
            raise InvalidToken(f"This token is longer than the {MAX_TOKEN_CHARACTERS} characters allowed.")
        kid, algorithm = _key_named_in(token)
        key = await self.keys.find(kid, algorithm)
        if key is None:
            raise InvalidToken("This token is signed with a key that this server's identity provider does not have.")
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                issuer=self.issuer,
                audience=self.audiences,
                leeway=_LEEWAY_S,
                options={"require": ["exp", "iss", "aud", "sub"], "enforce_minimum_key_length": True},
            )
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError) as error:
            problem = next((text for kind, text in _REFUSALS if isinstance(error, kind)), "cannot be read")
            # Not even the cause is passed on: the library's message may contain the token's content.
            raise InvalidToken(f"This token {problem}.") from None
        if "cnf" in claims:
            raise InvalidToken("This token is bound to a key of its holder, which this server cannot check.")
        return claims

    def _actor_of(self, claims: Mapping[str, Any]) -> Actor:
        subject = claims["sub"]
        if not 0 < len(subject) <= _MAX_SUBJECT_CHARACTERS or not subject.isprintable():
            raise InvalidToken("This token's sub is not a name.")
        named = _claim(claims, self.name_claim)
        groups = [group_named(each) for each in _names_in(claims, self.groups_claim)]
        roles = _names_in(claims, self.roles_claim, spaced=True) if self.roles_claim else groups
        return self.grants.actor(
            named if is_name(named) else subject[:MAX_NAME_CHARACTERS],
            f"token:{subject}",
            groups=[group for group in groups if group],
            roles=frozenset(roles),
        )


def _key_named_in(token: str) -> tuple[str, str]:
    """Return the key's id and the algorithm that a token names; keys that it offers itself are ignored.

    Raises:
        InvalidToken: the token cannot be checked here.
    """
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, RecursionError):
        raise InvalidToken("This token's header cannot be read, or names no key.") from None
    if header.get("alg") not in ALGORITHMS:
        raise InvalidToken(f"This token must be signed with one of {', '.join(ALGORITHMS)}.")
    if str(header.get("typ", "")).lower() not in _TYPES:
        raise InvalidToken("This kind of token is not supported here.")
    return header.get("kid", ""), header["alg"]


def _claim(claims: Mapping[str, Any], named: str) -> Any:
    """Return a claim; an exact name takes precedence over a nested claim."""
    if named in claims:
        return claims[named]
    found: Any = claims
    for part in named.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _names_in(claims: Mapping[str, Any], named: str, *, spaced: bool = False) -> Collection[str]:
    """Return the names in a claim: a list, or one string (with several names, like OAuth scopes, if ``spaced``).

    Raises:
        InvalidToken: the claim contains anything else.
    """
    found = _claim(claims, named)
    if found is None:
        return ()
    if isinstance(found, str):
        return found.split() if spaced else (found,)
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise InvalidToken(f"This token's claim {named} is not a list of names.")
    return found
