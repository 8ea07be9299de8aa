"""Signing keys: the public keys of an identity provider, as its JSON Web Key Set holds them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jwt

# Signatures that only the provider can make. "none" is no signature, and HS… would take the public key for a secret.
ALGORITHMS = ("RS256", "ES256", "EdDSA")
_KINDS = {"RS256": "RSA", "ES256": "EC", "EdDSA": "OKP"}
_CURVES = {"ES256": ("P-256",), "EdDSA": ("Ed25519",)}
_PUBLIC_MEMBERS = ("kty", "crv", "n", "e", "x", "y")
# Source: NIST SP 800-131A: RSA keys below 2 048 bits are not to be used.
_MIN_RSA_BITS = 2_048
# More keys than a provider ever has in force at once.
MAX_KEYS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKey:
    """A public key: its id ("" where it has none), the one algorithm it is for, and what verifies with it."""

    kid: str
    algorithm: str
    public: jwt.PyJWK


def signing_keys_of(key_set: object) -> tuple[SigningKey, ...]:
    """Return the keys of a key set that can verify a signature here; others, and broken ones, are left out.

    Raises:
        ValueError: it is no key set, or none of its keys can be used.
    """
    listed = key_set.get("keys") if isinstance(key_set, Mapping) else None
    if not isinstance(listed, list):
        raise ValueError('it has no list "keys"')
    found = tuple(key for each in listed[:MAX_KEYS] if isinstance(each, dict) for key in _keys_of(each))
    if not found:
        raise ValueError(f"none of its keys is for {', '.join(ALGORITHMS)}")
    return found


def chosen_key(keys: tuple[SigningKey, ...], kid: str, algorithm: str) -> SigningKey | None:
    """Return the key with this id for this algorithm; without an id, the only one there is for it."""
    fitting = [key for key in keys if key.algorithm == algorithm and (not kid or key.kid == kid)]
    return fitting[0] if len(fitting) == 1 else None


def _keys_of(listed: dict[str, Any]) -> tuple[SigningKey, ...]:
    kind, named, kid = listed.get("kty"), listed.get("alg"), listed.get("kid", "")
    algorithm = next((each for each in ALGORITHMS if _KINDS[each] == kind), None)
    if algorithm is None or named not in (None, algorithm) or not isinstance(kid, str):
        return ()
    if listed.get("use", "sig") != "sig" or "verify" not in listed.get("key_ops", ["verify"]):
        return ()
    if algorithm in _CURVES and listed.get("crv") not in _CURVES[algorithm]:
        return ()
    try:
        # The public members alone: a provider that publishes its private key by mistake must not hand us one.
        public = jwt.PyJWK({name: listed[name] for name in _PUBLIC_MEMBERS if name in listed}, algorithm=algorithm)
        if algorithm == "RS256" and public.key.key_size < _MIN_RSA_BITS:
            return ()
    except (jwt.PyJWTError, ValueError, TypeError, AttributeError):
        return ()
    return (SigningKey(kid=kid, algorithm=algorithm, public=public),)
