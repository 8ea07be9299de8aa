"""A loader's name and arguments as they are typed, with secrets taken from the environment."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from contracts.errors import ConfigurationError, InvalidInput

_FROM_ENVIRONMENT = "env:"
_SECRET_NAME = re.compile(r"token|password|passwd|secret|api_?key|credential|auth|cookie", re.IGNORECASE)
_LEAST_SECRET_CHARACTERS = 4
_HIDDEN = "•••"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoaderCall:
    """Which loader is called, and with what. ``key`` tells calls of one loader apart; it holds no secret.

    ``arguments`` and ``secrets`` are left out of the representation, so that no log shows them.
    """

    loader: str
    key: str
    arguments: Mapping[str, Any] = field(repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def place(self) -> str:
        """What the paths of its documents begin with."""
        return f"loader://{self.loader.rpartition(':')[2]}/{self.key}/"

    def redact(self, text: str) -> str:
        """Return text, an error of the loader or an address, without the secrets."""
        for secret in self.secrets:
            text = text.replace(secret, _HIDDEN)
        return text


def parse_call(loader: str, typed: Sequence[str], environment: Mapping[str, str]) -> LoaderCall:
    """Parse arguments such as ``space_key=ENG``: values that are JSON are taken as such, others as text.

    A text ``env:NAME`` stands for the value of the environment variable NAME, at any depth of a JSON value.

    Raises:
        InvalidInput: an argument is not ``name=value``, or comes twice.
        ConfigurationError: a variable is not set.
    """
    raw: dict[str, Any] = {}
    for each in typed:
        name, equals, value = each.partition("=")
        if not equals or not name.isidentifier():
            # What was typed may be a secret.
            reason = f"--loader-arg takes name=value, and {name[:30]!r} is no name of an argument"
            raise InvalidInput(reason, field="loader_arg")
        if name in raw:
            raise InvalidInput(f"--loader-arg {name} is given twice", field="loader_arg")
        parsed = _parsed(value)
        # A key of digits only is no number.
        raw[name] = value if _SECRET_NAME.search(name) and isinstance(parsed, int | float) else parsed
    secrets: list[str] = []
    arguments = {name: _resolved(value, name, environment, secrets) for name, value in raw.items()}
    secrets += [value for name, value in arguments.items() if _SECRET_NAME.search(name) and isinstance(value, str)]
    known = sorted({each for each in secrets if len(each) >= _LEAST_SECRET_CHARACTERS}, key=len, reverse=True)
    return LoaderCall(loader=loader, key=_key_of(loader, raw), arguments=arguments, secrets=tuple(known))


def _parsed(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value


def _resolved(value: Any, name: str, environment: Mapping[str, str], secrets: list[str]) -> Any:
    if isinstance(value, dict):
        return {key: _resolved(each, f"{name}.{key}", environment, secrets) for key, each in value.items()}
    if isinstance(value, list):
        return [_resolved(each, name, environment, secrets) for each in value]
    if not isinstance(value, str) or not value.startswith(_FROM_ENVIRONMENT):
        return value
    variable = value.removeprefix(_FROM_ENVIRONMENT)
    if variable not in environment:
        raise ConfigurationError(f"--loader-arg {name} wants the environment variable {variable}, which is not set")
    secrets.append(environment[variable])
    return environment[variable]


def _key_of(loader: str, raw: Mapping[str, Any]) -> str:
    """Return eight characters that name the loader and its arguments; a secret may change without changing them."""
    plain = {name: value for name, value in raw.items() if not _SECRET_NAME.search(name)}
    named = json.dumps([loader, plain], sort_keys=True)
    return hashlib.sha256(named.encode("utf-8", "surrogateescape")).hexdigest()[:8]
