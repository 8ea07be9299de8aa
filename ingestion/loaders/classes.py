"""Loader classes by name: those of langchain_community, and any other by its module."""

import difflib
import importlib
import importlib.util
import inspect
import warnings
from collections.abc import Iterator
from typing import Any

from contracts.errors import GoldenError, InvalidInput, Unavailable
from ingestion.loaders.arguments import LoaderCall

_COMMUNITY = "langchain_community.document_loaders"
_EXTRA = "pip install 'golden-retriever-bot[loaders]'"
_CLASS_ARGUMENT = "_cls"
_MOST_REASON_CHARACTERS = 500


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
        with _Quiet():
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
        with _Quiet():
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


class _Quiet(warnings.catch_warnings):
    """Keeps what the packages say of their own future from the user, who can do nothing about it."""

    def __enter__(self) -> None:
        super().__enter__()
        warnings.simplefilter("ignore")
