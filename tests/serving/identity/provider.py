"""An identity provider of our own: a real HTTP server with real keys, and tokens signed as one is asked to."""

import base64
import hashlib
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlencode

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from tests.tools.chat.server import serving

AUDIENCE = "golden-retriever"
CLIENT_SECRET = "s3cret:of+the client"
_MAKERS: dict[str, tuple[Callable[[], Any], Any]] = {
    "RS256": (lambda: rsa.generate_private_key(65_537, 2_048), RSAAlgorithm),
    "ES256": (lambda: ec.generate_private_key(ec.SECP256R1()), ECAlgorithm),
    "EdDSA": (ed25519.Ed25519PrivateKey.generate, OKPAlgorithm),
}


@dataclass
class Pair:
    """A private key with the entry of a key set that tells its public one."""

    algorithm: str
    private: Any
    entry: dict[str, Any]

    @property
    def kid(self) -> str:
        return str(self.entry.get("kid", ""))


def new_pair(algorithm: str, kid: str) -> Pair:
    make, kind = _MAKERS[algorithm]
    private = make()
    jwk: Any = kind.to_jwk(private.public_key(), as_dict=True)
    return Pair(algorithm, private, {**jwk, "kid": kid, "use": "sig", "alg": algorithm})


# Created once, because creating an RSA key takes a noticeable part of a second.
RSA, EC, ED = new_pair("RS256", "rsa-1"), new_pair("ES256", "ec-1"), new_pair("EdDSA", "ed-1")


@dataclass
class Provider:
    """The provider: its address, what its key set holds, what it was asked, and whether it answers."""

    issuer: str = ""
    entries: list[dict[str, Any]] = field(default_factory=lambda: [RSA.entry, EC.entry, ED.entry])
    asked: list[str] = field(default_factory=list)
    away: bool = False
    description: dict[str, Any] = field(default_factory=dict)
    raw: bytes = b""
    clients: dict[str, str] = field(default_factory=lambda: {"golden-web": CLIENT_SECRET, "golden-public": ""})
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    extra_claims: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)

    def claims(self, **more: Any) -> dict[str, Any]:
        """Return sound claims, with ``more`` beside or in place of them; None leaves one out."""
        now = int(time.time())
        sound = {"iss": self.issuer, "aud": AUDIENCE, "sub": "f3a9", "preferred_username": "ada", "exp": now + 300}
        return {name: value for name, value in (sound | {"iat": now, "groups": ["lab"]} | more).items()
                if value is not None}  # fmt: skip

    def authorize(self, query: dict[str, str]) -> str:
        """Log the person in, and return where the browser goes: back, with a code for this login."""
        code = f"code-{len(self.codes)}"
        self.codes[code] = query
        sent = {"code": code, "state": query["state"], "iss": self.issuer} | self.answers
        return query["redirect_uri"] + "?" + urlencode({name: text for name, text in sent.items() if text is not None})

    def exchange(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """Return what the token endpoint answers; each code is taken once, from its client, with its verifier."""
        shown, secret = form.get("client_id", ""), form.get("client_secret", "")
        if authorization.startswith("Basic "):
            pair = base64.b64decode(authorization[6:]).decode().partition(":")
            shown, secret = unquote_plus(pair[0]), unquote_plus(pair[2])
        if self.clients.get(shown) != secret:
            return 401, {"error": "invalid_client"}
        begun = self.codes.pop(form.get("code", ""), {})
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        fits = as_segment(digest) == begun.get("code_challenge") and begun.get("code_challenge_method") == "S256"
        if not fits or begun["client_id"] != shown or begun["redirect_uri"] != form.get("redirect_uri"):
            return 400, {"error": "invalid_grant"}
        claims = {"aud": shown, "nonce": begun["nonce"]} | self.extra_claims
        return 200, {"access_token": "opaque", "token_type": "Bearer", "id_token": self.token(RSA, **claims)}

    def token(self, pair: Pair = EC, *, headers: dict[str, Any] | None = None, **more: Any) -> str:
        """Return a token with sound claims, signed with ``pair``."""
        head = {"kid": pair.kid} | (headers or {})
        return jwt.encode(self.claims(**more), pair.private, algorithm=pair.algorithm, headers=head)


def signed_by_hand(head: dict[str, Any] | str, body: dict[str, Any] | str, pair: Pair = EC) -> str:
    """Return a token of any header and body, signed truly."""
    parts = [each if isinstance(each, str) else json.dumps(each) for each in (head, body)]
    signing_input = ".".join(as_segment(part.encode()) for part in parts)
    signature = jwt.get_algorithm_by_name(pair.algorithm).sign(signing_input.encode(), pair.private)
    return f"{signing_input}.{as_segment(signature)}"


def as_segment(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@contextmanager
def running_provider() -> Iterator[Provider]:
    """Serve a provider on a free port of loopback."""
    provider, app = Provider(), FastAPI()

    @app.get("/authorize")
    async def authorize(request: Request) -> Response:
        return RedirectResponse(provider.authorize(dict(request.query_params)), 302)

    @app.post("/token")
    async def exchange(request: Request) -> Response:
        form = dict(parse_qsl((await request.body()).decode()))
        status, answer = provider.exchange(form, request.headers.get("authorization", ""))
        return JSONResponse(answer, 503 if provider.away else status)

    @app.get("/{path:path}")
    async def describe(path: str) -> Response:
        provider.asked.append(f"/{path}")
        keys = provider.raw or json.dumps({"keys": provider.entries}).encode()
        body = keys if path == "keys" else json.dumps(provider.description).encode()
        return Response(body, 503 if provider.away else 200, media_type="application/json")

    with serving(app) as address:
        provider.issuer = address
        ends = {"authorization": "authorize", "token": "token", "end_session": "end"}
        provider.description = {"issuer": address, "jwks_uri": f"{address}/keys"}
        provider.description |= {f"{name}_endpoint": f"{address}/{path}" for name, path in ends.items()}
        yield provider
