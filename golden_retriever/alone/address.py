"""The address of a server, as people write it."""

from urllib.parse import urlsplit

from contracts.errors import InvalidInput


def server_address(text: str) -> str:
    """Return the server's address, without a "/" at its end.

    Raises:
        InvalidInput: it is none.
    """
    try:
        parts = urlsplit(text.strip())
        whole = parts.scheme in ("http", "https") and parts.hostname and not (parts.query or parts.fragment)
        port = parts.port
    except ValueError:
        whole, port = False, None
    if not whole or port == 0 or parts.username is not None:
        raise InvalidInput(
            f"{text!r} is no address of a server: write http://127.0.0.1:7860, or https://bot.example/golden with the "
            "server's path prefix.",
            field="server",
        )
    return text.strip().rstrip("/")
