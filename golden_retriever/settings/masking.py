"""Masking of all secrets in the settings."""

import re

MASK = "********"
# Names of secrets: some words match anywhere in a name, others only at its end (max_tokens is not a secret).
_SECRET = (
    r"[\w.-]*(?:(?:pass(?:word|wd|phrase)|secret|credential)[\w.-]*|pwd|token|api[_-]?key|access[_-]?key|auth|"
    r"authorization)"
)
_PATTERNS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # In addresses: the password before the host, and parameters named like a secret.
        r"(?P<before>[a-z][a-z0-9+.-]*://[^\s/?#@:\"]*:)[^\s/?#\"]+(?=@)",
        rf"(?P<before>[?&;]{_SECRET}=)[^&;#\s\"]+",
        # In JSON: members named like a secret, with any non-empty scalar value.
        rf'(?P<before>"{_SECRET}"\s*:\s*)"(?:[^"\\]|\\.)+"',
        # Under any name: text that looks like a bearer token, and our own keys.
        r"(?P<before>\b(?:Bearer|Basic)\s+)[\w.~+/=-]{6,}",
        r"(?P<before>\bgr_)[\w-]{20,}",
    )
]


def masked(text: str) -> str:
    """Return a JSON text with every secret masked."""
    for pattern in _PATTERNS:
        text = pattern.sub(lambda found: found["before"] + (f'"{MASK}"' if found[0].endswith('"') else MASK), text)
    return text
