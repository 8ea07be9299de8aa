"""Document loaders of LangChain's ecosystem, by name: their documents are copied to files and read like a folder."""

import hashlib
import html
import importlib
import inspect
import json
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError, GoldenError, InvalidInput, Unavailable
from ingestion.remote_folders import Fetched, folder_name

_FROM_ENVIRONMENT = "env:"
_HIDDEN = "•••"
# Deprecation warnings of the packages are of no use to the user.
_quiet = partial(warnings.catch_warnings, action="ignore")
_COMMUNITY = "langchain_community.document_loaders"
_INSTALL = "pip install 'golden-retriever-bot[loaders]'"
_MOST_REASON_CHARACTERS = 500
# Metadata that identifies a document, the most permanent first.
_SOURCES = ("source", "url", "file_path", "path", "link", "permalink", "id", "doc_id", "key", "uri")
_TITLES = ("title", "name", "subject", "page_title", "file_name", "filename")
# Metadata that distinguishes documents from one source.
_PARTS = ("page", "page_number", "row", "slide", "seq_num", "chunk", "start_index", "element_id")
_HTML = re.compile(r"\s*(?:<!doctype html|<html[\s>]|<(?:p|div|h[1-6]|table|ul|ol|body)[\s>])", re.IGNORECASE)
_MARKDOWN = re.compile(r"^(?:#{1,6} \S|```|\|[ :-]+\|)", re.MULTILINE)
_PLAIN_SOURCE = re.compile(r"\.(?:txt|log|csv|tsv|json|ya?ml|py|sh|toml|ini|conf)(?:#.*)?$", re.IGNORECASE)
_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')
# A file's name may have at most 255 bytes.
_MOST_NAME_CHARACTERS = 60


class LoaderFolder:
    """The documents of the loader ``address``, with a copy below ``root``: one file each, named after its title.

    ``typed`` contains arguments such as ``space_key=ENG``: JSON values are parsed, others are text. A value
    ``env:NAME`` stands for the environment variable NAME; because it is a secret, it appears in no message or name.

    Raises:
        InvalidInput: an argument is not ``name=value``, or is given twice.
        ConfigurationError: a variable is not set.
    """

    def __init__(self, address: str, typed: Sequence[str], environment: Mapping[str, str], root: Path) -> None:
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
        self.address = address
        self._arguments = {**plain, **secrets}
        self._secrets = sorted(set(secrets.values()), key=len, reverse=True)
        digest = hashlib.sha256(json.dumps([address, plain], sort_keys=True).encode("utf-8", "surrogateescape"))
        self.copy = root / f"{address.rpartition(':')[2]}-{digest.hexdigest()[:8]}"

    def fetch(self) -> Fetched:
        """Update the copy. Blocking.

        Raises:
            InvalidInput: there is no such loader, or it does not take these arguments.
            Unavailable: a package is missing, or the loader failed or returned nothing; earlier files are kept.
        """
        done = Fetched()
        seen: Counter[str] = Counter()
        there: set[Path] = set()
        try:
            for document in self._documents():
                path, content = self._file_of(document, seen)
                there.add(path)
                if not path.is_file() or path.read_bytes() != content:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(content)
                    done.new += 1
        except GoldenError:
            raise
        except Exception as error:
            reason = self._redacted(" ".join(str(error).split()))[:_MOST_REASON_CHARACTERS]
            if isinstance(error, ImportError):
                raise Unavailable(f"{self.address} needs a package that is not installed: {reason}") from None
            why = f"{self.address} failed ({type(error).__name__}: {reason})"
            raise Unavailable(f"{why}; its earlier documents are kept") from None
        gone = [path for path in self.copy.rglob("*") if path.is_file() and path not in there]
        if gone and not there:
            raise Unavailable(f"{self.address} returned no documents at all; its earlier documents are kept")
        for path in gone:
            path.unlink()
            with suppress(OSError):
                path.parent.rmdir()
        done.gone = len(gone)
        return done

    def _documents(self) -> Iterator[Any]:
        named = _find_loader(self.address)
        # A loader of folders takes the loader for each file: loader_cls=TextLoader.
        arguments = {
            name: _find_loader(value) if name.endswith("_cls") and isinstance(value, str) else value
            for name, value in self._arguments.items()
        }
        try:
            with _quiet():
                made = named(**arguments)
        except TypeError as error:
            reason = f"{self._redacted(str(error))}; it takes {inspect.signature(named)}"
            raise InvalidInput(f"{self.address}: {reason}", field="loader_arg") from error
        if not hasattr(made, "lazy_load"):
            raise InvalidInput(f"{self.address} is not a document loader: it has no lazy_load", field="loader")
        yield from made.lazy_load()

    def _file_of(self, document: Any, seen: Counter[str]) -> tuple[Path, bytes]:
        """Return the path at which a document is stored, and its content; ``seen`` counts the documents per source."""
        text, metadata = self._redacted(document.page_content), document.metadata
        source = self._redacted(_first(metadata, _SOURCES) or str(document.id or ""))
        source = source or hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        source += "".join(f"#{name}={metadata[name]}" for name in _PARTS if isinstance(metadata.get(name), int | str))
        seen[source] += 1
        if seen[source] > 1:
            source = f"{source}#{seen[source]}"
        title = self._redacted(_first(metadata, _TITLES))
        suffix = _suffix_of(text, source)
        if title and suffix != ".txt":
            # The readers of these formats find the title there.
            text = f"<title>{html.escape(title)}</title>\n{text}" if suffix == ".html" else _titled(text, title)
        name = _NOT_IN_NAMES.sub("-", title or source.rstrip("/").rpartition("/")[2]).strip(" .~")
        name = name.removesuffix(suffix)[:_MOST_NAME_CHARACTERS].strip() or "document"
        # The byte order mark overrides an encoding that the page itself declares.
        return self.copy / folder_name(source) / f"{name}{suffix}", text.encode("utf-8-sig", "replace")

    def _redacted(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return text


def _parsed(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value


def _find_loader(name: str) -> Any:
    """Return the langchain_community loader called ``name``, or the class at ``package.module:Class``."""
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


def _suffix_of(text: str, source: str) -> str:
    """Return the suffix for a text: HTML and Markdown are recognised by their markup, the rest is plain text."""
    if _HTML.match(text):
        return ".html"
    return ".md" if _MARKDOWN.search(text) and not _PLAIN_SOURCE.search(source) else ".txt"


def _titled(text: str, title: str) -> str:
    """Put the title into front matter, unless the text has its own."""
    return text if text.startswith("---\n") else f"---\ntitle: {title}\n---\n{text}"


def _first(metadata: Mapping[str, Any], names: Iterable[str]) -> str:
    for name in names:
        value = metadata.get(name)
        text = " ".join(str(value).split()) if isinstance(value, str | int | Path) else ""
        if text:
            return text.encode("utf-8", "replace").decode("utf-8")
    return ""
