"""Every way in, with everything that a request may bring: each opens what its scope names, and nothing else."""

import base64
import itertools
import json
import re
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from library.keys import new_key
from serving.identity.credentials import COOKIE
from tests.golden_retriever.keyed import PROXY, Keyed, Person, identity_of, keyed_server
from tests.golden_retriever.routes import every_route
from tests.serving.identity.provider import CLIENT_SECRET, EC, Provider, new_pair, running_provider, signed_by_hand
from ui.login.routes import BEGUN_COOKIE

# These tests start a whole server with every kind of authentication.
pytestmark = pytest.mark.slow

SCOPES = ("ask", "manage", "admin")
KEYS: dict[str, dict[str, Any]] = {f"key {scope}": {"scopes": [scope], "groups": None} for scope in SCOPES}
KEYS["key ask manage"] = {"scopes": ["ask", "manage"], "groups": None}
ROLES = '{"may-ask": ["ask"], "may-manage": ["manage"], "may-admin": ["admin"], "reads-all": ["all-groups"]}'
# Paths that need no scope, and paths that any scope opens.
LOGIN = {"/login", "/logout", "/login/oidc", "/login/oidc/callback"}
OPEN = frozenset({"/healthz", "/readyz", "/widget.js", *LOGIN})
ANY_SCOPE = frozenset({"/openapi.json"})
REFUSALS = frozenset({"forbidden", "invalid_api_key", "invalid_token", "missing_api_key"})
# The scopes that the tests expect in these areas; routes elsewhere must match the scope that they declare.
EXPECTED_SCOPES = {
    "/api/dictionary/readings": "ask",
    "/api/dictionary": "manage",
    "/api/documents/{document_id}/pages": "ask",
    "/api/documents/{document_id}/file": "ask",
    "/api/documents": "manage",
    # This route checks access itself: a monitor may have its own token.
    "/metrics": "admin",
    "/api/me": "ask",
    "/v1": "ask",
    "/gradio_api": "ask",
}

# The people who try every route: one for each set of scopes, by key and by session.
WHOLE = {"nothing", "every scope", "a session of a key to manage", *(f"a key to {scope}" for scope in SCOPES)}


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with running_provider() as running:
        yield running


@pytest.fixture(scope="module")
def server(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyed]:
    login = {"people_scopes": "-", "oidc_client_id": "golden-web", "oidc_client_secret": CLIENT_SECRET}
    known = identity_of(provider, ROLES) | login
    with keyed_server(tmp_path_factory.mktemp("ways"), KEYS, **known) as running:
        yield running


def bearer(text: str) -> Person:
    return Person(headers={"authorization": f"Bearer {text}"})


def proxied(user: str, groups: str, *, peer: str = PROXY) -> Person:
    return Person(headers={"x-forwarded-user": user, "x-forwarded-groups": groups}, peer=peer)


_PLACES = itertools.count(1)


def browser(server: Keyed) -> httpx.Client:
    """Return what behaves as a browser does on the server's own pages: each at an address, for logins are counted."""
    transport = httpx.HTTPTransport(local_address=f"127.0.1.{next(_PLACES)}")
    headers = {"origin": server.address}
    return httpx.Client(base_url=server.address, headers=headers, timeout=60, transport=transport)


def session_of(http: httpx.Client) -> Person:
    return Person(headers={"cookie": f"{COOKIE}={http.cookies[COOKIE]}"})


def logged_in(server: Keyed, key: str) -> Person:
    with browser(server) as http:
        assert http.post("/login", data={"key": key}).status_code == 303
        return session_of(http)


def arrived(server: Keyed, provider: Provider, *roles: str) -> Person:
    provider.extra_claims = {"roles": list(roles)}
    with browser(server) as http:
        back = httpx.get(http.get("/login/oidc").headers["location"]).headers["location"]
        assert http.get(back).status_code == 303
        return session_of(http)


def people_of(server: Keyed, provider: Provider) -> dict[str, tuple[Person, frozenset[str] | None]]:
    """Return who asks, by what they bring, each with the scopes that they have (None: they are not let in)."""
    gone = server.store.create("gone", scopes=SCOPES, groups=None)[0]
    of_gone = logged_in(server, gone)
    server.store.revoke("gone")
    # Late enough for all routes, however busy the machine is.
    late = int(time.time()) + 3_600
    every = ["may-ask", "may-manage", "may-admin", "reads-all"]
    unknown_key = new_pair("ES256", "ec-1")
    forged = signed_by_hand({"alg": "ES256", "kid": "ec-1"}, provider.claims(roles=every), unknown_key)
    listed: dict[str, tuple[Person, frozenset[str] | None]] = {
        "nothing": (Person(headers={}), None),
        "a revoked key": (bearer(gone), None),
        "a forged token": (bearer(forged), None),
        "a proxy's headers from elsewhere": (proxied("eve", ",".join(every), peer="127.0.0.1"), None),
        "a token without roles": (bearer(provider.token(roles=[], groups=every, exp=late)), frozenset()),
        "a session of a revoked key": (of_gone, None),
        "a session of a key to manage": (
            logged_in(server, server.keys["key ask manage"]),
            frozenset({"ask", "manage"}),
        ),
        "a session of a person to administer": (
            arrived(server, provider, "may-ask", "may-admin", "reads-all"),
            frozenset({"ask", "admin"}),
        ),
        "every scope": (bearer(provider.token(roles=every, exp=late)), frozenset(SCOPES)),
    }
    for scope in SCOPES:
        listed[f"a key to {scope}"] = (bearer(server.keys[f"key {scope}"]), frozenset({scope}))
        roles = [f"may-{scope}", "reads-all"]
        listed[f"a token to {scope}"] = (bearer(provider.token(EC, roles=roles, exp=late)), frozenset({scope}))
        listed[f"the proxy's person to {scope}"] = (proxied(scope, ",".join(roles)), frozenset({scope}))
    return listed


def declared_scopes(server: Keyed) -> dict[tuple[str, str], str]:
    """Return the scope that the description gives each operation that has one."""
    with server.client("key ask") as http:
        paths = http.get("/openapi.json").json()["paths"]
    found = {}
    for path, operations in paths.items():
        for method, operation in operations.items():
            ways = operation.get("security", [])
            if ways:
                ((scope,),) = {tuple(*way.values()) for way in ways}
                found[method.upper(), path] = scope
            else:
                assert path in OPEN | EXPECTED_SCOPES.keys(), f"{path} declares no scope: add one, or list it as open"
    return found


def needed(method: str, path: str, declared: dict[tuple[str, str], str]) -> str:
    """Return the scope that a route needs: its own, else "ask"."""
    known = next((found for prefix, found in EXPECTED_SCOPES.items() if path.startswith(prefix)), "")
    scope = declared.get((method, path), known or "ask")
    assert known in ("", scope), (method, path)
    return scope


def outcome(http: httpx.Client, method: str, path: str) -> tuple[int, str]:
    """Return the status of a request that changes nothing, and the code of its error."""
    address = re.sub(r"{[^}]*}", "none", path)
    body: dict[str, Any] = {} if method in ("GET", "HEAD") else {"json": {"no-such-field": 1}}
    with http.stream(method, address, **body) as response:
        if "json" not in response.headers.get("content-type", "") or method == "HEAD":
            return response.status_code, ""
        read: Any = response.read() and response.json()
    error = read.get("error") if isinstance(read, dict) else None
    return response.status_code, error.get("code", "") if isinstance(error, dict) else ""


def test_each_kind_of_authentication_opens_the_routes_of_its_scope(server: Keyed, provider: Provider) -> None:
    declared = declared_scopes(server)
    routes = sorted(set(every_route(server.web.routes)) | set(declared))
    described = {path for _, path in declared}
    assert described <= {path for _, path in routes}
    assert len(routes) > 100
    people = people_of(server, provider)
    server.people.update({name: person for name, (person, _) in people.items()})
    opened = dict.fromkeys(people, 0)
    for place, (name, (_, scopes)) in enumerate(people.items()):
        # People who differ only in how they authenticate try a third of the routes each, and the one that needs
        # "admin".
        tried = routes if name in WHOLE else [*routes[place % 3 :: 3], ("GET", "/metrics")]
        with server.client(name) as http:
            # The logout comes last, because it ends the session.
            for method, path in sorted(tried, key=lambda route: route == ("POST", "/logout")):
                status, code = outcome(http, method, path)
                case = (name, method, path, status, code)
                if path in OPEN:
                    assert status not in (401, 403), case
                elif scopes is None:
                    assert status == 401, case
                elif path in ANY_SCOPE:
                    assert status == 200, case
                elif needed(method, path, declared) in scopes:
                    # Gradio's own refusals have another shape.
                    assert code not in REFUSALS, case
                    opened[name] += 1
                else:
                    assert status == 403, case
    for name, (_, scopes) in people.items():
        assert bool(opened[name]) == bool(scopes), name


def test_log_contains_no_secret_after_any_request(server: Keyed, provider: Provider) -> None:
    secrets = {name: server.keys[name] for name in KEYS}
    secrets["token"] = provider.token(roles=["may-ask", "may-manage"], preferred_username="ada")
    secrets["expired"] = provider.token(exp=1_700_000_000)
    secrets["huge"] = provider.token(groups=["x" * 20_000])
    secrets["unknown"] = new_key()
    secrets["other"] = "sk-verysecretandlong"
    before = len(server.log.getvalue())
    asked = {"messages": [{"role": "user", "content": "What does the PLR hold, says xylograph?"}]}
    for name, secret in secrets.items():
        server.people[f"log {name}"] = bearer(secret)
        with server.client(f"log {name}") as http:
            for path in ("/v1/models", "/", "/config", "/api/documents", "/api/dictionary", "/nowhere"):
                http.get(path)
            http.post("/v1/chat/completions", json=asked)
            http.post("/v1/chat/completions", json={**asked, "stream": True})
            http.post("/v1/chat/completions", content=b"{")
            http.post("/api/documents", files={"files": ("a.exe", b"MZ")})
    for secret in (*(server.keys[name] for name in KEYS), secrets["unknown"]):
        with browser(server) as http:
            http.post("/login", data={"key": secret})
            http.get("/", headers={"accept": "text/html"})
            if COOKIE in http.cookies:
                secrets[f"session {secret[-4:]}"] = f"gs_{http.cookies[COOKIE]}"
    provider.extra_claims = {"roles": ["may-ask"]}
    with browser(server) as http:
        there = http.get("/login/oidc").headers["location"]
        begun = http.cookies[BEGUN_COOKIE]
        back = httpx.get(there).headers["location"]
        assert http.get(back).status_code == 303
        secrets["session of a person"] = f"gs_{http.cookies[COOKIE]}"
        http.get("/api/me")
        http.get(back)
    verifier = json.loads(base64.urlsafe_b64decode(begun + "=" * (-len(begun) % 4)))["verifier"]
    # State and code are part of addresses, which the server does not log, and can be used only once.
    secrets |= {"client": f"___{CLIENT_SECRET}", "verifier": f"___{verifier}"}
    logged = server.log.getvalue()[before:]
    assert logged, "something is logged at this level"
    for name, secret in secrets.items():
        # The secret part: all keys begin alike, and so do all tokens.
        for part in (secret[3:], secret.rpartition(".")[2]):
            assert part not in logged, name
    assert "xylograph" not in logged, "a question's text is logged only if that is enabled"
