"""Short digests of the code and the data of a run: stored outcomes are reused only if both are unchanged."""

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import agent
import golden_lab
import golden_retriever
from golden_lab.results import SplitUse

# The packages that determine the outcome of a measurement: a change in any of them may change any outcome.
_PRODUCT = ("contracts", "database", "jargon_db", "library", "tools", "intrinsics", "agent", "ingestion", "evaluation")
_SUFFIXES = frozenset({".py", ".json", ".toml"})


@cache
def digest_of_code() -> str:
    """Return a digest of the .py, .json and .toml files of the product and the laboratory."""
    product = Path(str(agent.__file__)).parents[1]
    wiring = Path(str(golden_retriever.__file__)).parent / "wiring"
    digest = hashlib.sha256()
    for folder in (*(product / name for name in _PRODUCT), wiring, Path(str(golden_lab.__file__)).parent):
        for path in _files(folder):
            content = path.read_bytes()
            digest.update(f"{folder.name}/{path.relative_to(folder)}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def digest_of_data(data: Path, uses: Iterable[SplitUse]) -> str:
    """Return a digest of the files that a benchmark reads, by name, size and modification time."""
    lines = []
    for use in uses:
        path = place_of(data, use)
        for each in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if each.is_file():
                status = each.stat()
                lines.append(f"{use.file}\0{each.name}\0{status.st_size}\0{status.st_mtime_ns}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def place_of(data: Path, use: SplitUse) -> Path:
    """Return the path of the file of ``use``: in the laboratory if it has such a file, otherwise in ``data``."""
    own = Path(str(golden_lab.__file__)).parents[1] / use.file
    return own if own.exists() else data / use.file


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.suffix in _SUFFIXES and "__pycache__" not in path.parts)
