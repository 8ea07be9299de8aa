"""Masking: what is secret in a setting, wherever it stands."""

import re
from pathlib import Path
from typing import Any

from pydantic import SecretStr

MASK = "********"
# What is called so holds a secret: some words wherever they stand in a name, others at its end (max_tokens is none).
_SECRET = (
    r"[\w.-]*(?:(?:pass(?:word|wd|phrase)|secret|credential)[\w.-]*|pwd|token|api[_-]?key|access[_-]?key|auth|"
    r"authorization)"
)
# Of an address: the password before the host, and parameters that are called like a secret.
_USER_INFO = re.compile(r"(?P<before>[a-z][a-z0-9+.-]*://[^\s/?#@:]*:)[^\s/?#]*(?=@)", re.IGNORECASE)
_PARAMETER = re.compile(rf"(?P<before>[?&;]{_SECRET}=)[^&;#\s]+", re.IGNORECASE)
# Of JSON in a setting: members that are called like a secret, with any plain value.
_MEMBER = re.compile(rf'(?P<before>"{_SECRET}"\s*:\s*)(?:"(?:[^"\\]|\\.)*"|[^\s,{{}}\[\]"]+)', re.IGNORECASE)
# Whatever it is called: what a bearer token looks like, and our own keys.
_BEARER = re.compile(r"(?P<before>\b(?:Bearer|Basic)\s+)[\w.~+/=-]{6,}", re.IGNORECASE)
_OWN_KEY = re.compile(r"(?P<before>\bgr_)[0-9A-Za-z]{20,}")
_PATTERNS = (_USER_INFO, _PARAMETER, _MEMBER, _BEARER, _OWN_KEY)


def masked(value: Any) -> tuple[Any, bool]:
    """Return a setting's value as JSON takes it, and whether something of it is masked."""
    if isinstance(value, SecretStr):
        there = bool(value.get_secret_value())
        return (MASK if there else ""), there
    if isinstance(value, Path):
        value = str(value)
    if isinstance(value, str):
        shown = value
        for pattern in _PATTERNS:
            shown = pattern.sub(rf"\g<before>{MASK}", shown)
        return shown, shown != value
    if isinstance(value, dict):
        members = {str(key): masked(each) for key, each in value.items()}
        return {key: shown for key, (shown, _) in members.items()}, any(hidden for _, hidden in members.values())
    if isinstance(value, list | tuple | set | frozenset):
        parts = [masked(each) for each in value]
        return [shown for shown, _ in parts], any(hidden for _, hidden in parts)
    return value if value is None or isinstance(value, bool | int | float) else str(value), False
