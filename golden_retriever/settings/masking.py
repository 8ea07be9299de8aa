"""Masking: what is secret in the settings, wherever it stands."""

import re

MASK = "********"
# What is called so holds a secret: some words wherever they stand in a name, others at its end (max_tokens is none).
_SECRET = (
    r"[\w.-]*(?:(?:pass(?:word|wd|phrase)|secret|credential)[\w.-]*|pwd|token|api[_-]?key|access[_-]?key|auth|"
    r"authorization)"
)
_PATTERNS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # Of an address: the password before the host, and parameters that are called like a secret.
        r"(?P<before>[a-z][a-z0-9+.-]*://[^\s/?#@:\"]*:)[^\s/?#\"]+(?=@)",
        rf"(?P<before>[?&;]{_SECRET}=)[^&;#\s\"]+",
        # Of JSON: members that are called like a secret, with any plain value that is not empty.
        rf'(?P<before>"{_SECRET}"\s*:\s*)"(?:[^"\\]|\\.)+"',
        # Whatever it is called: what a bearer token looks like, and our own keys.
        r"(?P<before>\b(?:Bearer|Basic)\s+)[\w.~+/=-]{6,}",
        r"(?P<before>\bgr_)[\w-]{20,}",
    )
]


def masked(text: str) -> str:
    """Return a JSON text with every secret masked."""
    for pattern in _PATTERNS:
        text = pattern.sub(lambda found: found["before"] + (f'"{MASK}"' if found[0].endswith('"') else MASK), text)
    return text
