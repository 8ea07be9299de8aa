"""Language model servers that listen on this machine, each with its address for ``GOLDEN_LLM``."""

import asyncio
import shlex
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import httpx

# Default ports. If several kinds of servers use a port, the list of models may show the kind; if not, a URL is needed.
_PORTS: Mapping[int, str] = MappingProxyType({11434: "ollama", 1234: "lmstudio", 8000: "", 8080: ""})
_TIME_S = 2.0
_CONNECT_S = 0.5


async def find_servers(ports: Mapping[int, str] = _PORTS) -> list[str]:
    """Return the addresses for ``GOLDEN_LLM`` of the servers on loopback ``ports``, quoted for a shell.

    ``ports`` maps each port to the kind of server that uses it, "" if several kinds do. Servers are only asked for
    their models; those without a chat model, and other Golden Retrievers, are left out.
    """
    # Proxies in the environment are for other hosts, and certificates take half a second to load.
    timeout = httpx.Timeout(_TIME_S, connect=_CONNECT_S)
    async with httpx.AsyncClient(timeout=timeout, trust_env=False, verify=False) as client:
        found = await asyncio.gather(*(_found(client, *place) for place in ports.items()))
    return [each for each in found if each]


async def _found(client: httpx.AsyncClient, port: int, kind: str) -> str:
    url = f"http://127.0.0.1:{port}/v1"
    try:
        async with asyncio.timeout(_TIME_S):
            answer = await client.get(f"{url}/models")
        listed = _named(answer.json()) if answer.status_code == 200 else {}
    except (httpx.HTTPError, TimeoutError, ValueError):
        return ""
    if "golden" in listed:
        return ""
    name, owner = next(((name, owner) for name, owner in listed.items() if "embed" not in name.lower()), ("", ""))
    if not name:
        return ""
    kind = kind or ("vllm" if owner == "vllm" and port == 8000 else "")
    return shlex.quote(f"{kind}:{name}" if kind else f"{url}#{name}")


def _named(listing: Any) -> dict[str, str]:
    """Return the models that a server lists, each with its owner."""
    cards = listing.get("data") if isinstance(listing, dict) else None
    named = [card for card in cards if isinstance(card, dict)] if isinstance(cards, list) else []
    return {card["id"]: str(card.get("owned_by", "")) for card in named if isinstance(card.get("id"), str)}
