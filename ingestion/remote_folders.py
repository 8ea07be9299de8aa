"""Folders on other machines (HTTP, S3, WebDAV and others that fsspec supports), copied and read like local ones."""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from contracts.errors import ConfigurationError, InvalidInput, Unavailable
from ingestion.limits import IngestionLimits

_INSTALL = "pip install 'golden-retriever-bot[remote]'"
_AT_ONCE = 8
# Attributes that identify a file's version, under the names used by fsspec's file systems.
_VERSION_ATTRIBUTES = (
    "size", "ETag", "etag", "e_tag", "mtime", "LastModified", "Last-Modified", "modified", "Content-MD5", "md5Hash",
)  # fmt: skip


@dataclass(slots=True, kw_only=True)
class Fetched:
    """The result of a check of a remote folder: how many files are new or changed, and how many are gone.

    ``failed`` has the reason for each file that could not be fetched; its last copy stays.
    """

    new: int = 0
    gone: int = 0
    failed: dict[str, str] = field(default_factory=dict)


def is_remote(path: str) -> bool:
    """Return whether ``path`` is an address such as ``s3://bucket/folder``."""
    return "://" in path


class RemoteFolder:
    """The folder at an address, with a copy below ``root``.

    A file is fetched if its size, time or ETag differs from the last fetch, and every time if the server reports
    neither time nor ETag. Credentials are found as fsspec usually finds them: in the environment of the provider's
    client (``AWS_ACCESS_KEY_ID``), or in variables such as ``FSSPEC_WEBDAV_BASE_URL``.

    Raises:
        ConfigurationError: the package for this kind of address is not installed, or its settings are wrong.
    """

    def __init__(self, address: str, root: Path, limits: IngestionLimits | None = None) -> None:
        self.address = address
        self.copy = root / folder_name(address)
        # The version of each file by name. Stored next to the copy, because every file in the copy is a document.
        self._manifest = self.copy.with_suffix(self.copy.suffix + ".json")
        self._most_bytes = (limits or IngestionLimits()).file_bytes
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            raise ConfigurationError(f"{address} needs the package fsspec: {_INSTALL}") from error
        try:
            self._files, path = url_to_fs(address)
        except (ImportError, ValueError, TypeError) as error:
            raise ConfigurationError(f"{address} cannot be opened: {error}") from error
        self._root = str(path).rstrip("/")

    def fetch(self) -> Fetched:
        """Update the copy. Blocking.

        Raises:
            Unavailable: the folder cannot be listed completely, or lists none of the earlier files; the copy is kept.
        """
        # The version of each file of the copy.
        known: dict[str, str] = json.loads(self._manifest.read_text("utf-8")) if self._manifest.is_file() else {}
        try:
            self._files.invalidate_cache()
            there = dict(self._listed())
        except Exception as error:
            reason = str(error) or type(error).__name__
            raise Unavailable(
                f"{self.address} cannot be listed: {reason}. Check the address and the credentials."
            ) from error
        if known and not known.keys() & there.keys():
            # A login page, or a share that is not mounted, must not delete the files of the copy.
            raise Unavailable(
                f"{self.address} cannot be listed: none of the {len(known)} earlier files is there. If they are gone, "
                f"delete {self.copy} and {self._manifest.name} next to it."
            )
        self.copy.mkdir(parents=True, exist_ok=True)
        done = Fetched()
        try:
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                work = {name: pool.submit(self._fetch_one, name, info, known.get(name)) for name, info in there.items()}
                for name, task in work.items():
                    try:
                        version = task.result()
                    except Exception as error:
                        done.failed[name] = str(error) or type(error).__name__
                        continue
                    if version is not None:
                        done.new += 1
                        known[name] = version
            done.gone = self._remove(known.keys() - there.keys())
        finally:
            unfinished = self._manifest.with_suffix(".unfinished")
            unfinished.write_text(json.dumps({name: known[name] for name in known if name in there}), "utf-8")
            unfinished.replace(self._manifest)
        return done

    def _listed(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the files below the folder: their relative paths, and the attributes in the listing."""
        if not self._files.isdir(self._root) and self._files.isfile(self._root):
            yield PurePosixPath(self._root).name, self._files.info(self._root)
            return
        for _, _, files in self._files.walk(self._root, detail=True, on_error="raise"):
            for info in files.values():
                path = str(info["name"])
                name = path.removeprefix(self._root).lstrip("/")
                # The header of Apache's listings links to the same folder in another order.
                if name and "?" not in name and path.startswith(self._root):
                    yield unquote(name) if path.startswith(("http://", "https://")) else name, info

    def _fetch_one(self, name: str, listed: Mapping[str, Any], known: str | None) -> str | None:
        """Fetch a file; return its version, None if the copy has it already."""
        target = self.copy / _checked(name)
        path = str(listed["name"])
        info = listed if _version_of(listed) else {**listed, **self._files.info(path)}
        size = info.get("size")
        if size is not None and size > self._most_bytes:
            raise InvalidInput(f"it has {size:,} bytes, more than the {self._most_bytes:,} allowed")
        version = _version_of(info)
        if version and version == known and target.is_file():
            return None
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished = target.with_name(f".{target.name}.unfinished")
        try:
            self._files.get_file(path, str(unfinished))
            if not version and target.is_file() and target.read_bytes() == unfinished.read_bytes():
                return None
            os.replace(unfinished, target)
        finally:
            unfinished.unlink(missing_ok=True)
        return version

    def _remove(self, names: "set[str]") -> int:
        for name in names:
            path = self.copy / _checked(name)
            path.unlink(missing_ok=True)
            for parent in path.parents:
                if parent == self.copy or any(parent.iterdir()):
                    break
                parent.rmdir()
        return len(names)


def folder_name(address: str) -> str:
    """Return a readable folder name that is unique to an address."""
    readable = re.sub(r"[^A-Za-z0-9.-]+", "-", address.split("://", 1)[-1]).strip("-.")[-60:]
    return f"{readable}-{hashlib.sha256(address.encode()).hexdigest()[:8]}"


def _checked(name: str) -> PurePosixPath:
    """Return the path of a file below the copy. Raises ``InvalidInput`` if it would be outside the copy."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name:
        raise InvalidInput(f"its name points outside the folder: {name}")
    return path


def _version_of(info: Mapping[str, Any]) -> str:
    """Return an identifier for the version of a file, "" if there is neither a time nor a digest."""
    attributes = {name: str(info[name]) for name in _VERSION_ATTRIBUTES if info.get(name) is not None}
    return json.dumps(attributes, sort_keys=True) if attributes.keys() - {"size"} else ""
