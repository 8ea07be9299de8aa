"""Discovery: how an identity provider describes itself, read from its own address and from nowhere else."""

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

import httpx

from serving.access import is_loopback

TIMEOUT_S = 5.0
_PLACE = "/.well-known/openid-configuration"
_MAX_BYTES = 1_048_576


async def discover(http: httpx.AsyncClient, issuer: str) -> dict[str, Any]:
    """Return what the provider says of itself.

    Raises:
        httpx.HTTPError: it does not answer.
        ValueError: it answers something else, or calls itself otherwise.

    Source: OpenID Connect Discovery 1.0, section 4.
    """
    described = await read_json(http, issuer.rstrip("/") + _PLACE)
    named = described.get("issuer")
    if named != issuer:
        # Else whoever answers here could lend another's keys.
        raise ValueError(f"it calls itself {named!r}: GOLDEN_OIDC_ISSUER must be spelled like that")
    return described


def safe_url_in(described: dict[str, Any], name: str) -> str:
    """Return an address of a description.

    Raises:
        ValueError: it has none of this name, or one that can be changed on its way.
    """
    url = described.get(name)
    if not isinstance(url, str) or not is_safe_url(url):
        raise ValueError(f"its {name} {url!r} is no https address")
    return url


def is_safe_url(url: str) -> bool:
    """Say whether what is read at ``url`` cannot be changed on its way: https, or this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host)))


async def read_json(http: httpx.AsyncClient, url: str) -> dict[str, Any]:
    """Return the JSON object at ``url``.

    Raises:
        httpx.HTTPError: nobody answers there.
        ValueError: it is no JSON object, or a large one.
    """
    return (await ask_json(http, "GET", url))[1]


async def ask_json(
    http: httpx.AsyncClient, method: str, url: str, *, ok_only: bool = True, **request: Any
) -> tuple[int, dict[str, Any]]:
    """Return the status and the JSON object that ``url`` answers a request with (``request`` as httpx takes it).

    Raises:
        httpx.HTTPError: nobody answers there.
        ValueError: it is no JSON object, or a large one; with ``ok_only``, the status is not 200.
    """
    body = bytearray()
    headers = {"accept": "application/json", **request.pop("headers", {})}
    # httpx bounds each read; a provider that drips bytes must not be waited for longer.
    async with asyncio.timeout(TIMEOUT_S), http.stream(method, url, headers=headers, **request) as response:
        if ok_only and response.status_code != httpx.codes.OK:
            raise ValueError(f"{url} answered {response.status_code}")
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > _MAX_BYTES:
                raise ValueError(f"{url} sent more than {_MAX_BYTES} bytes")
    try:
        read = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError(f"{url} sent no JSON") from None
    if not isinstance(read, dict):
        raise ValueError(f"{url} sent no JSON object")
    return response.status_code, read
