"""Random requests along the description of the routes: nothing gives a 5xx, and every error has the one form."""

import os
import re
import string
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from contracts.jargon import Context
from database.connection import open_database
from database.migrations import migrate
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.serving.dictionary.desk import LUN, OURS, build_app

METHODS = ("get", "post", "put", "patch", "delete")
# What breaks code that was not made for it, beside random text.
ODD_TEXTS = st.sampled_from(
    ["", " ", ".", "..", "/", "%", "%00", "\x00", "\ud800", "\u202e", "🙂", "' OR 1=1 --", "\\", "_%", "a" * 300, "é",
     "PLR", "LUN", "Test", "*", '"1.1"', '"1.2"', 'W/"1.1"', '"999999999999.1"', "1.1", "null", "[]", "{}", "\r\nx: y"]
)  # fmt: skip
TEXTS = st.one_of(ODD_TEXTS, st.text(max_size=30))
NUMBERS = st.one_of(st.integers(0, 12), st.sampled_from([-1, 2**31 - 1, 2**31, 2**63, 10**30, 0.5, -0.0]))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)
HEADERS = st.fixed_dictionaries(
    {},
    optional={
        "if-match": TEXTS,
        "x-golden-user": TEXTS,
        "origin": st.sampled_from(["null", "http://127.0.0.1:7860", "http://[", "https://evil.example"]),
        "sec-fetch-site": st.sampled_from(["same-origin", "none", "cross-site", ""]),
        "host": st.sampled_from(["127.0.0.1:7860", "[", "evil.example", "localhost"]),
    },
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    engine = open_database(f"sqlite:///{tmp_path_factory.mktemp('fuzz') / 'golden.db'}")
    migrate(engine, LIBRARY)
    migrate(engine, DICTIONARY)
    store = JargonStore(engine)
    store.add_sense("PLR", "Physical Layer Retransmission", context="Test", aliases=["retry"])
    store.put_context(Context(name="Test", description="Testing."))
    store.add_candidates([LUN])
    store.record_unknown("VPQ", "What is VPQ?", "")
    app = build_app(store, LibraryStore(engine))
    with TestClient(app, base_url="http://127.0.0.1:7860", raise_server_exceptions=False) as opened:
        yield opened
    engine.dispose()


class Described:
    """The routes as ``/openapi.json`` describes them, and random values that fit the description or nearly do."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._schemas = document["components"]["schemas"]
        self.calls = [
            (method, path, operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
            if method in METHODS and path.startswith("/api/dictionary")
        ]

    def body(self, operation: dict[str, Any]) -> st.SearchStrategy[Any]:
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        fitting = self._of(content["schema"]) if content else st.none()
        return st.one_of(fitting, fitting, fitting, JSON)

    def query(self, operation: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
        named = [each for each in operation.get("parameters", ()) if each["in"] == "query"]
        return st.fixed_dictionaries(
            {}, optional={each["name"]: st.one_of(self._of(each["schema"]), TEXTS, NUMBERS) for each in named}
        )

    def _of(self, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
        if "$ref" in schema:
            return self._of(self._schemas[schema["$ref"].rpartition("/")[2]])
        if "enum" in schema:
            return st.sampled_from(schema["enum"])
        if "anyOf" in schema:
            return st.one_of([self._of(each) for each in schema["anyOf"]])
        match schema.get("type"):
            case "object":
                fields = {name: self._of(each) for name, each in schema.get("properties", {}).items()}
                needed = {name: fields[name] for name in schema.get("required", ())}
                return st.fixed_dictionaries(
                    needed, optional={name: each for name, each in fields.items() if name not in needed}
                )
            case "array":
                return st.lists(self._of(schema["items"]), max_size=3)
            case "integer" | "number":
                return NUMBERS
            case "boolean":
                return st.booleans()
            case "null":
                return st.none()
        return TEXTS


def encoded(text: str) -> str:
    """Percent-encode every byte that is not a letter or a digit."""
    plain = string.ascii_letters + string.digits
    raw = text.encode("utf-8", errors="surrogatepass")
    return "".join(chr(byte) if chr(byte) in plain else f"%{byte:02X}" for byte in raw)


def sendable(headers: dict[str, str]) -> dict[str, bytes]:
    """Return headers as bytes, as far as a client can send them."""
    raw = {name: re.sub(r"[\r\n\x00]", "", value).encode("utf-8", errors="ignore") for name, value in headers.items()}
    return {name: value.strip() for name, value in raw.items()}


@settings(
    max_examples=int(os.environ.get("GOLDEN_FUZZ_EXAMPLES", "80")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_no_request_breaks_anything(client: TestClient, data: st.DataObject) -> None:
    described = Described(client.get("/openapi.json").json())
    method, path, operation = data.draw(st.sampled_from(described.calls))
    address = re.sub(r"\{\w+\}", lambda _: encoded(str(data.draw(st.one_of(st.integers(0, 12), TEXTS, NUMBERS)))), path)
    options: dict[str, Any] = {}
    if "multipart/form-data" in operation.get("requestBody", {}).get("content", {}):
        sheets = st.one_of(st.binary(max_size=200), TEXTS.map(lambda text: f"term,extended_name\n{text},{text}".encode(
            errors="ignore")))  # fmt: skip
        names = st.sampled_from(
            ["a.csv", "a.xlsx", "", "..", "a.csv\x00", "\ud800.csv".encode(errors="ignore").decode()]
        )
        parts = st.dictionaries(st.sampled_from(["terms", "contexts", "other"]), st.tuples(names, sheets), max_size=2)
        options["files"] = data.draw(parts) or None
    elif "requestBody" in operation:
        options["json"] = data.draw(described.body(operation))
    headers = data.draw(st.one_of(st.just({}), HEADERS))
    headers = OURS | ({"if-match": "*"} if data.draw(st.booleans()) else {}) | headers
    try:
        query = {
            name: str(value).encode(errors="ignore") for name, value in data.draw(described.query(operation)).items()
        }
        response = client.request(method, address, params=query, headers=sendable(headers), **options)
    except UnicodeEncodeError:
        # The client could not send it.
        return
    told = f"{method} {address} {query} {headers} {options}: {response.status_code} {response.text[:500]}"
    assert response.status_code < 500, told
    # An address with a line end is none: no route sees it.
    assert response.headers.get("cache-control") == "no-store" or "%0A" in address, told
    assert response.status_code >= 400 or str(response.status_code) in operation["responses"], told
    if response.status_code >= 400:
        error = response.json()["error"]
        assert error["message"], told
        assert set(error) <= {"message", "type", "param", "code", "lines", "current"}, told
        assert "Traceback" not in response.text, told
