"""The card of the weights: what they are called and how much they read."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError

WEIGHTS_FILE = "model.onnx"
CARD_FILE = "card.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsCard:
    """``revision`` is the first 12 hex digits of the weights' SHA-256, ``max_tokens`` counts special tokens too."""

    name: str
    revision: str
    max_tokens: int


def read_card(folder: Path) -> WeightsCard:
    """Read the card in ``folder`` and compare the weights beside it with the digest that it names.

    Raises:
        ConfigurationError: the card or the weights are missing, damaged, or do not belong together.
    """
    path, weights = folder / CARD_FILE, folder / WEIGHTS_FILE
    try:
        content: dict[str, Any] = json.loads(path.read_text("utf-8"))
        name, told, max_tokens = str(content["name"]), str(content["sha256"]), int(content["max_tokens"])
        with weights.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ConfigurationError(f"The cross-encoder lacks {error.filename}: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"The card {path} of the cross-encoder cannot be read ({error!r}): install the weights again."
        ) from error
    if digest != told:
        raise ConfigurationError(
            f"The weights {weights} are not those of their card (SHA-256 {digest[:12]}, not {told[:12]}): they are "
            "damaged or from another training. Install them again."
        )
    return WeightsCard(name=name, revision=digest[:12], max_tokens=max_tokens)
