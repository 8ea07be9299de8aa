"""Document loaders of LangChain's ecosystem, by name: what they return becomes documents of the library."""

import asyncio
import hashlib
import importlib
import inspect
import json
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.errors import ConfigurationError, GoldenError, InvalidInput, Unavailable
from ingestion.files.found_files import FoundFile
from ingestion.reports import FileReport, Hear, IngestionReport, Progress
from ingestion.scratch import scratch_folder

if TYPE_CHECKING:
    from ingestion.pipeline import IngestionPipeline

_FROM_ENVIRONMENT = "env:"
_HIDDEN = "•••"
# Deprecation warnings of the packages are of no use to the user.
_quiet = partial(warnings.catch_warnings, action="ignore")
_COMMUNITY = "langchain_community.document_loaders"
_INSTALL = "pip install 'golden-retriever-bot[loaders]'"
_MOST_REASON_CHARACTERS = 500
# The most permanent names of a document first.
_SOURCES = ("source", "url", "file_path", "path", "link", "permalink", "id", "doc_id", "key", "uri")
_TITLES = ("title", "name", "subject", "page_title", "file_name", "filename")
# Metadata that distinguish documents of one source.
_PARTS = ("page", "page_number", "row", "slide", "seq_num", "chunk", "start_index", "element_id")
_HTML = re.compile(r"\s*(?:<!doctype html|<html[\s>]|<(?:p|div|h[1-6]|table|ul|ol|body)[\s>])", re.IGNORECASE)
_MARKDOWN = re.compile(r"^(?:#{1,6} \S|```|\|[ :-]+\|)", re.MULTILINE)
_PLAIN_SOURCE = re.compile(r"\.(?:txt|log|csv|tsv|json|ya?ml|py|sh|toml|ini|conf)(?:#.*)?$", re.IGNORECASE)
_MOST_PLACE_CHARACTERS = 400
_MOST_NAME_CHARACTERS = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class LoaderCall:
    """Which loader is called, and with what. ``key`` distinguishes calls of one loader; it contains no secret.

    ``arguments`` and ``secrets`` are left out of the representation, so that no log shows them.
    """

    loader: str
    key: str
    arguments: Mapping[str, Any] = field(repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def place(self) -> str:
        """The beginning of the paths of its documents."""
        return f"loader://{self.loader.rpartition(':')[2]}/{self.key}/"

    def redact(self, text: str) -> str:
        """Return text, an error of the loader or an address, without the secrets."""
        for secret in self.secrets:
            text = text.replace(secret, _HIDDEN)
        return text


def parse_call(loader: str, typed: Sequence[str], environment: Mapping[str, str]) -> LoaderCall:
    """Parse arguments such as ``space_key=ENG``: JSON values are parsed, others are text.

    A value ``env:NAME`` stands for the value of the environment variable NAME, which is a secret.

    Raises:
        InvalidInput: an argument is not ``name=value``, or is given twice.
        ConfigurationError: a variable is not set.
    """
    plain: dict[str, Any] = {}
    secrets: dict[str, str] = {}
    for each in typed:
        name, equals, value = each.partition("=")
        if not equals or not name.isidentifier() or name in plain or name in secrets:
            # The input may be a secret.
            reason = f"--loader-arg takes name=value, each name once; {name[:30]!r} is not such an argument"
            raise InvalidInput(reason, field="loader_arg")
        variable = value.removeprefix(_FROM_ENVIRONMENT)
        if variable == value:
            plain[name] = _parsed(value)
            continue
        secrets[name] = environment.get(variable, "")
        if not secrets[name]:
            raise ConfigurationError(f"--loader-arg {name} needs the variable {variable}, which is not set")
    named = json.dumps([loader, plain], sort_keys=True).encode("utf-8", "surrogateescape")
    key = hashlib.sha256(named).hexdigest()[:8]
    longest_first = tuple(sorted(set(secrets.values()), key=len, reverse=True))
    return LoaderCall(loader=loader, key=key, arguments={**plain, **secrets}, secrets=longest_first)


def _parsed(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value


async def ingest_loader(
    pipeline: "IngestionPipeline",
    call: LoaderCall,
    *,
    group: str = "everyone",
    prune: bool = False,
    on_event: Hear | None = None,
) -> tuple[IngestionReport, str]:
    """Ingest the documents of a loader for the readers of ``group``; unchanged ones are skipped.

    With ``prune``, documents that the same loader with the same arguments returned in an earlier run, but no longer
    returns, are removed, unless it failed or returned nothing at all. Returns the report, and why the loader stopped
    before its end or nothing was removed, "" if all went well.

    Raises:
        InvalidInput: there is no such loader, it does not take these arguments, or it failed before its first document.
        Unavailable: a package is missing, or the database or the embedding model is not available.
    """
    with scratch_folder() as folder:
        files, failure = await _fetch(folder, call, on_event)
        if failure is not None and not files:
            raise failure
        report = await pipeline.ingest_found(files, group=group, on_event=on_event)
    if failure is not None:
        return report, f"{failure}; nothing was removed" if prune else str(failure)
    if prune and not files:
        return report, "nothing was removed, because the loader returned no documents at all"
    given = {file.place for file in files}
    for document in await asyncio.to_thread(pipeline.store.documents) if prune else ():
        if document.path.startswith(call.place) and document.path not in given:
            reason = "the loader no longer returns it"
            await pipeline.remove(document.id, reason=reason)
            if on_event is not None:
                on_event(FileReport(path=document.path, status="removed", document_id=document.id, reason=reason))
    return report, ""


async def _fetch(folder: Path, call: LoaderCall, on_event: Hear | None) -> tuple[list[FoundFile], GoldenError | None]:
    """Run the loader in a separate thread; return the files written, and its error."""
    files: list[FoundFile] = []
    stopped = False

    def fill() -> GoldenError | None:
        seen: Counter[str] = Counter()
        try:
            for document in _open_loader(call):
                files.append(_write(document, folder / f"{len(files):08d}", call, seen))
                if on_event is not None:
                    on_event(Progress(phase="finding", files_done=0, files_total=len(files), current=files[-1].place))
                if stopped:
                    break
        except GoldenError as error:
            return error
        except Exception as error:
            return _refusal(call, error)
        return None

    try:
        return files, await asyncio.to_thread(fill)
    finally:
        # The thread of a cancelled ingestion ends at its next document.
        stopped = True


def _open_loader(call: LoaderCall) -> Iterator[Any]:
    named = _find_loader(call.loader)
    # A loader of folders takes the loader for each file: loader_cls=TextLoader.
    arguments = {
        name: _find_loader(value) if name.endswith("_cls") and isinstance(value, str) else value
        for name, value in call.arguments.items()
    }
    try:
        with _quiet():
            made = named(**arguments)
    except TypeError as error:
        reason = f"{call.redact(str(error))}; it takes {inspect.signature(named)}"
        raise InvalidInput(f"{call.loader}: {reason}", field="loader_arg") from error
    if not hasattr(made, "lazy_load"):
        raise InvalidInput(f"{call.loader} is not a document loader: it has no lazy_load", field="loader")
    yield from made.lazy_load()


def _find_loader(name: str) -> Any:
    """Return the class ``name`` of langchain_community's loaders, or ``package.module:Class``."""
    module, _, attribute = name.rpartition(":")
    try:
        with _quiet():
            found = getattr(importlib.import_module(module or _COMMUNITY), attribute, None)
    except ImportError as error:
        install = f"; loaders by name need langchain-community: {_INSTALL}" if not module else ""
        raise Unavailable(f"{name} needs a module that is not installed: {error}{install}") from error
    if not inspect.isclass(found):
        raise InvalidInput(f"there is no document loader {name!r}", field="loader")
    return found


def _refusal(call: LoaderCall, error: Exception) -> GoldenError:
    """Say why a loader failed, without the secrets it was given."""
    reason = call.redact(" ".join(str(error).split()))[:_MOST_REASON_CHARACTERS]
    if isinstance(error, ImportError):
        return Unavailable(f"{call.loader} needs a package that is not installed: {reason}")
    return InvalidInput(f"{call.loader} failed ({type(error).__name__}: {reason})", field="loader")


def _write(document: Any, path: Path, call: LoaderCall, seen: Counter[str]) -> FoundFile:
    """Write a document to be read as a file; ``seen`` counts the documents of each source."""
    text, metadata = call.redact(document.page_content), document.metadata
    source = call.redact(_first(metadata, _SOURCES) or str(document.id or ""))
    if not source or len(source) > _MOST_PLACE_CHARACTERS:
        digest = hashlib.sha256((source or text).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        source = f"{source[:_MOST_PLACE_CHARACTERS]}…{digest}" if source else digest
    source += "".join(f"#{name}={metadata[name]}" for name in _PARTS if isinstance(metadata.get(name), int | str))
    seen[source] += 1
    if seen[source] > 1:
        source = f"{source}#{seen[source]}"
    title = call.redact(_first(metadata, _TITLES))[:_MOST_NAME_CHARACTERS]
    # An encoding that the page itself declares must be ignored.
    content = text.encode("utf-8-sig", "replace")
    path = path.with_suffix(_suffix_of(text, source))
    path.write_bytes(content)
    return FoundFile(
        path=path,
        skipped="" if text.strip() else "the loader returned no text for it",
        stored_path=f"{call.place}{source}",
        stored_name=title or source.rstrip("/").rpartition("/")[2][-_MOST_NAME_CHARACTERS:],
        title=title,
        size_bytes=len(content),
    )


def _suffix_of(text: str, source: str) -> str:
    """Return the suffix for a text: HTML and Markdown are recognised by their marks, the rest is plain text."""
    if _HTML.match(text):
        return ".html"
    return ".md" if _MARKDOWN.search(text) and not _PLAIN_SOURCE.search(source) else ".txt"


def _first(metadata: Mapping[str, Any], names: Iterable[str]) -> str:
    for name in names:
        value = metadata.get(name)
        text = " ".join(str(value).split()) if isinstance(value, str | int | Path) else ""
        if text:
            return text.encode("utf-8", "replace").decode("utf-8")
    return ""
