"""The corpora of manuals, taken from Debian's documentation packages."""

import gzip
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Container
from importlib import resources
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from contracts.errors import Unavailable
from golden_lab.manuals.questions import read_questions


class CorpusFiles(BaseModel):
    """Files of one package: a glob, a prefix for names in the corpus, a pattern of names to leave out, a size limit."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    package: str
    files: str
    prefix: str = ""
    leave_out: str = ""
    most_bytes: int = 1 << 30


def read_corpora() -> dict[str, tuple[CorpusFiles, ...]]:
    """Return the files that make up each corpus, by corpus name."""
    stored = tomllib.loads(resources.files("golden_lab.manuals").joinpath("corpora.toml").read_text("utf-8"))
    return {name: tuple(CorpusFiles.model_validate(each) for each in files) for name, files in stored.items()}


def build_corpora(folder: Path) -> dict[str, int]:
    """Download the packages, write each corpus into its own subfolder of ``folder``, and return the file counts.

    Raises:
        Unavailable: a package cannot be downloaded, or this is not a Debian machine.
    """
    counts = {}
    for name, parts in read_corpora().items():
        place = folder / name
        place.mkdir(parents=True, exist_ok=True)
        only = {each.document for each in read_questions("training")} if name == "training" else None
        for part in parts:
            with tempfile.TemporaryDirectory() as scratch:
                copy_files(part, _unpacked(part.package, Path(scratch)), place, only=only)
        counts[name] = sum(1 for _ in place.iterdir())
    return counts


def copy_files(part: CorpusFiles, unpacked: Path, place: Path, *, only: Container[str] | None = None) -> None:
    """Copy the files of an unpacked package into the folder of a corpus; folder names become part of file names.

    ``only`` lists the names (in the corpus) of the files to copy; None copies all.
    """
    base = unpacked / part.files.split("*", 1)[0].rsplit("/", 1)[0]
    for path in sorted(unpacked.glob(part.files)):
        left_out = part.leave_out and re.search(part.leave_out, path.name)
        if path.is_file() and not left_out and path.stat().st_size <= part.most_bytes:
            inner = path.relative_to(base) if ".pdf" not in path.suffixes else Path(path.name)
            name = f"{part.prefix}{'-'.join(inner.parts)}".removesuffix(".gz")
            if only is not None and name not in only:
                continue
            if path.suffix == ".gz":
                (place / name).write_bytes(gzip.decompress(path.read_bytes()))
            else:
                shutil.copyfile(path, place / name)


def _unpacked(package: str, scratch: Path) -> Path:
    try:
        subprocess.run(["apt-get", "download", package], cwd=scratch, check=True, capture_output=True, text=True)
        archive = next(scratch.glob("*.deb"))
        subprocess.run(["dpkg-deb", "-x", str(archive), str(scratch / "unpacked")], check=True, capture_output=True)
    except FileNotFoundError as error:
        raise Unavailable(f"The corpora come from Debian packages, and {error.filename} is not installed.") from error
    except subprocess.CalledProcessError as error:
        said = (error.stderr or "").strip().splitlines()
        raise Unavailable(f"The package {package} cannot be downloaded: {said[-1] if said else error}.") from error
    return scratch / "unpacked"
