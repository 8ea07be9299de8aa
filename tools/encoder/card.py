"""The card of trained weights: what their outputs mean, and what they were trained on."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError

WEIGHTS_FILE = "model.onnx"
CARD_FILE = "card.json"
# What the judgements ask for; weights may have more heads, in any order.
HEADS = ("relevance", "answerability", "faithfulness")


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderCard:
    """``pair_heads`` names the columns of the pair logits, ``revision`` is the first 12 hex digits of the SHA-256.

    ``max_tokens`` is how many tokens the model looks at, special ones included.
    """

    name: str
    revision: str
    pair_heads: tuple[str, ...]
    max_tokens: int


def read_card(folder: Path) -> EncoderCard:
    """Read the card in ``folder`` and hold the weights beside it against the digest that it names, if any.

    Raises:
        ConfigurationError: the card or the weights are missing, damaged, or do not belong together.
    """
    path, weights = folder / CARD_FILE, folder / WEIGHTS_FILE
    try:
        content: dict[str, Any] = json.loads(path.read_text("utf-8"))
        heads = tuple(str(each) for each in content["pair_heads"])
        max_tokens = int(content.get("max_tokens", 256))
        told = str(content.get("sha256") or "")
        name = str(content.get("name") or "encoder")
    except OSError as error:
        raise ConfigurationError(f"The trained encoder lacks its card {path}: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigurationError(
            f"The card {path} of the trained encoder cannot be read ({error!r}): install the weights again."
        ) from error
    if lacking := [head for head in HEADS if head not in heads]:
        raise ConfigurationError(
            f"The card {path} names no head for {', '.join(lacking)}: these weights were trained for something else."
        )
    digest = _digest(weights)
    if told and digest != told:
        raise ConfigurationError(
            f"The weights {weights} are not those of their card (SHA-256 {digest[:12]}, not {told[:12]}): they are "
            "damaged or of another training. Install them again."
        )
    return EncoderCard(name=name, revision=digest[:12], pair_heads=heads, max_tokens=max_tokens)


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ConfigurationError(f"The trained encoder lacks its weights {path}: {error.strerror}.") from error
