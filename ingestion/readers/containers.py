"""Guards before a file is opened: its size, and what a zipped format unpacks to."""

import zipfile
from pathlib import Path

from contracts.errors import UnreadableFile
from ingestion.limits import IngestionLimits

_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def check_size(path: Path, limits: IngestionLimits) -> None:
    """Refuse a file that is missing, empty, or larger than allowed.

    Raises:
        UnreadableFile: says which.
    """
    try:
        size = path.stat().st_size
        with path.open("rb"):
            pass
    except OSError as error:
        raise UnreadableFile(str(path), f"it cannot be opened ({error.strerror or error})") from error
    if size == 0:
        raise UnreadableFile(str(path), "it is empty (0 bytes)")
    if size > limits.file_bytes:
        raise UnreadableFile(
            str(path),
            f"it has {size:,} bytes, more than the {limits.file_bytes:,} allowed; split it or raise the limit",
        )


def check_container(path: Path, limits: IngestionLimits, required: str) -> None:
    """Refuse a zipped document that is damaged, encrypted, of another kind, or unpacks to too much.

    ``required`` names the part that every file of the format has. The unpacked size is that of the zip's directory,
    which the zip library holds every part to while it unpacks.

    Raises:
        UnreadableFile: says which.
    """
    with path.open("rb") as file:
        if file.read(8) == _OLE_MAGIC:
            raise UnreadableFile(
                str(path), "it is encrypted, or in the old binary format; save it anew without password"
            )
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise UnreadableFile(str(path), f"it is damaged or cut off ({error})") from error
    unpacked = sum(part.file_size for part in parts)
    packed = max(1, sum(part.compress_size for part in parts))
    too_dense = unpacked > 64 * 1024 * 1024 and unpacked > limits.packing_ratio * packed
    if unpacked > limits.unpacked_bytes or too_dense:
        raise UnreadableFile(str(path), f"it unpacks to {unpacked:,} bytes: a zip bomb, or far too large")
    if not any(part.filename == required for part in parts):
        raise UnreadableFile(str(path), f"it is not what its name says: it has no {required}")
