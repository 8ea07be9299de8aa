"""The settings in force: each with where it comes from, and nothing secret in it."""

import os
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from golden_retriever.settings.loading import Settings, config_file

if TYPE_CHECKING:
    from serving.settings import SettingInForce, SettingSource

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


def settings_in_force(settings: Settings) -> "tuple[SettingInForce, ...]":
    """Return every setting in the order of the documentation, masked where it is secret.

    The source "argument" is the command's, such as that of ``--port``; it wins over the environment, and that over the
    file.
    """
    from serving.settings import SettingInForce

    in_file = _names_in(config_file())
    found = []
    for name, field in type(settings).model_fields.items():
        value, hidden = masked(getattr(settings, name))
        default, _ = masked(field.get_default(call_default_factory=True))
        found.append(
            SettingInForce(
                name=name,
                variable=f"GOLDEN_{name.upper()}",
                value=value,
                default=default,
                source=_source(settings, name, field, in_file),
                description=field.description or "",
                secret=hidden or isinstance(field.default, SecretStr),
            )
        )
    return tuple(found)


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


def _source(settings: Settings, name: str, field: FieldInfo, in_file: frozenset[str]) -> "SettingSource":
    if name in settings.given:
        return "argument"
    if any(each.upper() == f"GOLDEN_{name.upper()}" and value for each, value in os.environ.items()):
        return "environment"
    if name in in_file:
        return "file"
    changed = getattr(settings, name) != field.get_default(call_default_factory=True)
    return "argument" if changed and name in settings.model_fields_set else "default"


def _names_in(path: Path | None) -> frozenset[str]:
    if path is None:
        return frozenset()
    try:
        return frozenset(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        # It was changed since the settings were read.
        return frozenset()
