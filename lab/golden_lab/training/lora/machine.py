"""What a training runs on: libraries and memory."""

import resource
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

_LIBRARIES = ("torch", "transformers", "peft", "accelerate", "tokenizers", "safetensors", "bitsandbytes")


def library_versions() -> tuple[tuple[str, str], ...]:
    """Return the versions of the libraries that took part, those that are installed."""
    found = []
    for name in _LIBRARIES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return (("python", sys.version.partition(" ")[0]), *found)


def peak_memory_bytes(device: Any) -> int:
    """Return the most memory that was taken: of the GPU for tensors, or of this process where there is no GPU."""
    import torch

    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # In KiB, but for macOS.
    return most if sys.platform == "darwin" else most * 1024
