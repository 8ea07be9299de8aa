"""Places of this machine that no setting names."""

import os
from functools import lru_cache
from pathlib import Path

from contracts.errors import ConfigurationError


@lru_cache(maxsize=1)
def cache_folder() -> Path:
    """Return the folder for what can be made again, such as the model's ONNX graph; it is created.

    Raises:
        ConfigurationError: it cannot be made.
    """
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "golden-retriever"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"the cache folder {folder} cannot be made ({error.strerror or error}): set XDG_CACHE_HOME to another place"
        ) from error
    return folder
