"""An identity provider of our own: a real HTTP server with real keys, and tokens signed as one is asked to."""

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

AUDIENCE = "golden-retriever"
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
    told: Any = kind.to_jwk(private.public_key(), as_dict=True)
    return Pair(algorithm, private, {**told, "kid": kid, "use": "sig", "alg": algorithm})


# Made once: an RSA key costs a good part of a second.
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

    @property
    def jwks_url(self) -> str:
        return f"{self.issuer}/keys"

    def claims(self, **more: Any) -> dict[str, Any]:
        """Return sound claims, with ``more`` beside or in place of them; None leaves one out."""
        now = int(time.time())
        sound = {"iss": self.issuer, "aud": AUDIENCE, "sub": "f3a9", "preferred_username": "ada", "exp": now + 300}
        return {name: value for name, value in (sound | {"iat": now, "groups": ["lab"]} | more).items()
                if value is not None}  # fmt: skip

    def token(self, pair: Pair = EC, *, headers: dict[str, Any] | None = None, **more: Any) -> str:
        """Return a token with sound claims, signed with ``pair``."""
        head = {"kid": pair.kid} | (headers or {})
        return jwt.encode(self.claims(**more), pair.private, algorithm=pair.algorithm, headers=head)


def signed_by_hand(head: dict[str, Any] | str, body: dict[str, Any] | str, pair: Pair = EC) -> str:
    """Return a token of any header and body, signed truly."""
    parts = [each if isinstance(each, str) else json.dumps(each) for each in (head, body)]
    said = ".".join(as_segment(part.encode()) for part in parts)
    signature = jwt.get_algorithm_by_name(pair.algorithm).sign(said.encode(), pair.private)
    return f"{said}.{as_segment(signature)}"


def as_segment(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@contextmanager
def running_provider() -> Iterator[Provider]:
    """Serve a provider on a free port of loopback."""
    provider = Provider()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            provider.asked.append(self.path)
            told = provider.description if self.path.endswith("openid-configuration") else {"keys": provider.entries}
            body = provider.raw or json.dumps(told).encode()
            self.send_response(503 if provider.away else 200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    provider.description = {"issuer": provider.issuer, "jwks_uri": provider.jwks_url}
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
