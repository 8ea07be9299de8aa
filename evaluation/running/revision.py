"""Which code and which data a run measures, as short digests and a name for people."""

import ast
import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import evaluation
from evaluation.splits import SplitUse

# What a judgement is made of: a change in any of these may change any outcome.
_PRODUCT = ("contracts", "database", "jargon_db", "library", "tools", "intrinsics", "agent", "ingestion")
_BENCH = ("evaluation.", "golden_lab.")
_SUFFIXES = frozenset({".py", ".json", ".toml"})


def digest_of_product() -> str:
    """Return a digest of the product's code: the .py, .json and .toml files of every part that judges or fetches."""
    root = _root()
    wiring = next(
        (each for each in (root / "golden_retriever" / "wiring", root.parent / "wiring") if each.is_dir()), None
    )
    folders = [root / name for name in _PRODUCT] + ([wiring] if wiring else [])
    return _digest((f"{folder.name}/{path.relative_to(folder)}", path) for folder in folders for path in _files(folder))


def digest_of_benchmark(benchmark: Any) -> str:
    """Return a digest of the benchmark's source: its class, the functions it is given, and all that they import.

    Only modules of the bench are followed; what lies below is the product's.
    """
    found: dict[str, Path] = {}
    waiting = sorted(_modules(benchmark))
    while waiting:
        name = waiting.pop()
        path = _source(name)
        if name in found or path is None:
            continue
        found[name] = path
        waiting += [each for each in _imports(path) if each.startswith(_BENCH)]
    return _digest(sorted(found.items()))


def digest_of_data(data: Path, uses: Iterable[SplitUse]) -> str:
    """Return a digest of the files that a benchmark reads, by name, size and time of change."""
    lines = []
    for use in uses:
        path = place_of(data, use)
        for each in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if each.is_file():
                status = each.stat()
                lines.append(f"{use.file}\0{each.name}\0{status.st_size}\0{status.st_mtime_ns}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def place_of(data: Path, use: SplitUse) -> Path:
    """Return where the file of ``use`` lies: with the project, for labels of its own, or below ``data``."""
    own = _beside_package(use.file.partition("/")[0]) / use.file
    return own if own.exists() else data / use.file


def revision() -> str:
    """Name the code for people: git's description in a checkout, else the package's version and a digest."""
    root = _root()
    if (root / ".git").exists():
        command = ["git", "describe", "--tags", "--always", "--dirty"]
        try:
            result = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=10, check=False)
        except (OSError, subprocess.TimeoutExpired):
            pass
        else:
            if result.returncode == 0:
                return result.stdout.strip()
    try:
        package = version("golden-retriever-bot")
    except PackageNotFoundError:
        package = "unversioned"
    return f"{package}+{digest_of_product()}"


def machine() -> str:
    """Say in a line what the run ran on."""
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def _root() -> Path:
    return Path(str(evaluation.__file__)).resolve().parents[1]


def _beside_package(name: str) -> Path:
    """Return the folder that holds the package ``name``; that of this package where no such package is imported."""
    found = getattr(sys.modules.get(name), "__path__", None)
    return Path(next(iter(found))).resolve().parent if found else _root()


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.suffix in _SUFFIXES and "__pycache__" not in path.parts)


def _digest(files: Iterable[tuple[str, Path]]) -> str:
    digest = hashlib.sha256()
    for name, path in files:
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def _modules(benchmark: Any) -> set[str]:
    parts = [type(benchmark)]
    if is_dataclass(benchmark):
        parts += [getattr(benchmark, each.name) for each in fields(benchmark)]
    unwrapped = (each.func if isinstance(each, partial) else each for each in parts)
    return {name for each in unwrapped if isinstance(name := getattr(each, "__module__", None), str)}


def _source(module: str) -> Path | None:
    # By the files, not by the import system: asking that for a submodule imports its package.
    path = _beside_package(module.partition(".")[0]).joinpath(*module.split("."))
    return next((each for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file()), None)


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
