"""Document loaders of LangChain's ecosystem by name, and the arguments and secrets that they are called with."""

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from contracts.errors import ConfigurationError, GoldenError, InvalidInput, Unavailable

_FROM_ENVIRONMENT = "env:"
_SECRET_NAME = re.compile(r"token|password|passwd|secret|api_?key|credential|auth|cookie", re.IGNORECASE)
_LEAST_SECRET_CHARACTERS = 4
_HIDDEN = "•••"

_COMMUNITY = "langchain_community.document_loaders"
_EXTRA = "pip install 'golden-retriever-bot[loaders]'"
_CLASS_ARGUMENT = "_cls"
_MOST_REASON_CHARACTERS = 500
# What the packages say of their own future is of no use to the user, who can do nothing about it.
_quiet = partial(warnings.catch_warnings, action="ignore")


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


def open_loader(call: LoaderCall) -> Iterator[Any]:
    """Make the loader of a call and return its stream of LangChain documents.

    Raises:
        InvalidInput: there is no such loader, or it does not take these arguments.
        Unavailable: the extra, or a package that the loader needs, is not installed.
    """
    named = find_loader(call.loader)
    arguments = dict(call.arguments)
    for name, value in arguments.items():
        # A loader of files takes the loader of each: loader_cls=TextLoader.
        if name.endswith(_CLASS_ARGUMENT) and isinstance(value, str):
            arguments[name] = find_loader(value)
    _check_arguments(named, arguments)
    try:
        with _quiet():
            made = named(**arguments)
    except Exception as error:
        raise refusal(call, error) from error
    stream = getattr(made, "lazy_load", None) or getattr(made, "load", None)
    if not callable(stream):
        raise InvalidInput(f"{call.loader} is no document loader: it has neither lazy_load nor load", field="loader")
    return _streamed(stream)


def _streamed(stream: Any) -> Iterator[Any]:
    # Inside of a generator, so that a loader that does its work at once fails like one that streams.
    yield from stream()


def find_loader(name: str) -> Any:
    """Return the class ``name`` of langchain_community's loaders, or ``package.module:Class``.

    Raises:
        InvalidInput: there is none.
        Unavailable: langchain_community, or what the module needs, is not installed.
    """
    module, colon, attribute = name.rpartition(":")
    if not colon:
        module, attribute = _COMMUNITY, name
        if importlib.util.find_spec("langchain_community") is None:
            raise Unavailable(f"loaders by name need the package langchain-community: {_EXTRA}")
    try:
        with _quiet():
            loaded = importlib.import_module(module)
            found = getattr(loaded, attribute, None) if attribute.isidentifier() else None
    except ModuleNotFoundError as error:
        if colon and error.name is not None and (module == error.name or module.startswith(f"{error.name}.")):
            raise InvalidInput(
                f"there is no module {module!r}; name it package.module:Class", field="loader"
            ) from error
        raise Unavailable(f"{name} needs a package that is not installed: {error}") from error
    except ImportError as error:
        raise Unavailable(f"{name} needs a package that is not installed: {error}") from error
    if not inspect.isclass(found):
        raise InvalidInput(_unknown(name, attribute, getattr(loaded, "__all__", dir(loaded))), field="loader")
    return found


def refusal(call: LoaderCall, error: Exception) -> GoldenError:
    """Say why a loader failed, without the secrets it was given."""
    reason = call.redact(" ".join(str(error).split()))[:_MOST_REASON_CHARACTERS]
    if isinstance(error, ImportError):
        return Unavailable(f"{call.loader} needs a package that is not installed: {reason}")
    return InvalidInput(f"{call.loader} failed ({type(error).__name__}: {reason})", field="loader")


def _check_arguments(named: Any, arguments: dict[str, Any]) -> None:
    try:
        signature = inspect.signature(named)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(**arguments)
    except TypeError as error:
        kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        taken = [each for each in signature.parameters.values() if each.kind not in kinds]
        listed = ", ".join(f"{each.name}{'' if each.default is each.empty else ' (optional)'}" for each in taken)
        reason = f"{named.__name__}: {error}; it takes {listed or 'no arguments'}"
        raise InvalidInput(reason, field="loader_arg") from error


def _unknown(name: str, attribute: str, names: Any) -> str:
    loaders = [each for each in names if each.endswith("Loader")]
    lowered = {each.lower(): each for each in loaders}
    near = difflib.get_close_matches(attribute.lower(), lowered, n=4, cutoff=0.6)
    near += [each for each in lowered if attribute.lower().removesuffix("loader") in each and each not in near][:4]
    suggested = f"; near it: {', '.join(lowered[each] for each in near[:6])}" if near else ""
    return f"there is no document loader {name!r}{suggested}"
