"""Names of origins: read from a setting, spelled as browsers send them. Light: every command reads settings."""

import re
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}
# Names beyond ASCII reach the wire as xn--…; an IPv6 address holds colons.
_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+", re.ASCII)


def origins_named_in(text: str) -> tuple[str, ...]:
    """Return the origins of a comma-separated list, spelled as browsers send them: lower case, no default port.

    Raises:
        ValueError: one is no origin: not http or https, no host, or with a path, a name, a wildcard or the like.
    """
    return tuple(dict.fromkeys(_origin(each.strip()) for each in text.split(",") if each.strip()))


def _origin(text: str) -> str:
    form = f"{text!r} is no origin: write scheme://host or scheme://host:port, such as https://intranet.example"
    if "*" in text:
        raise ValueError(f"{text!r} holds a wildcard: name each origin exactly, such as https://intranet.example")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise ValueError(f"{form} ({error})") from None
    # Whatever an origin does not have would make one that no browser ever sends.
    exact = parts.netloc and text.lower() == f"{parts.scheme}://{parts.netloc.lower()}"
    if parts.scheme not in _PORTS or not exact or not _HOST.fullmatch(host) or "@" in parts.netloc:
        raise ValueError(form)
    if parts.netloc.endswith(":") or port == 0:
        raise ValueError(f"{form}; the port is missing or 0")
    place = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{place}" + (f":{port}" if port not in (None, _PORTS[parts.scheme]) else "")
