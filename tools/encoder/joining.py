"""Joining: what the features of the embedded engine and the trained encoder say together, as it was fitted."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from contracts.errors import ConfigurationError
from tools.evidence.model import FittedModel, load_model

CALIBRATION_FILE = "calibration.json"
FEATURES = ("embedded", "encoder")
# A probability of 0 or 1 has no logit; beyond these neither side can be outvoted by much.
_MOST_LOGIT = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedModel:
    """A probability from two logits: that of the embedded engine and that of the encoder."""

    model: FittedModel

    def probability(self, embedded: float, encoded: float) -> float:
        """Return the probability where the embedded one is ``embedded`` and the encoder's logit ``encoded``."""
        row = np.array([[clipped_logit(embedded), held(encoded)]])
        return float(self.model.probabilities(row)[0])


def clipped_logit(probability: float) -> float:
    """Return the logit of ``probability``, between -8 and 8."""
    inside = min(max(probability, 1e-9), 1.0 - 1e-9)
    return held(math.log(inside / (1.0 - inside)))


def held(logit: float) -> float:
    """Return ``logit``, held between -8 and 8."""
    return min(max(logit, -_MOST_LOGIT), _MOST_LOGIT)


def load_joined(folder: Path, judgement: str) -> JoinedModel:
    """Load how ``judgement`` joins both, from the calibration beside the weights in ``folder``.

    Raises:
        ConfigurationError: it is missing, damaged, or of another form.
    """
    return JoinedModel(model=load_model(folder / CALIBRATION_FILE, judgement, FEATURES))


def better_with_encoder(folder: Path) -> frozenset[str]:
    """Return the judgements that were measured to be better with the weights in ``folder`` than without.

    Raises:
        ConfigurationError: the calibration beside the weights is missing or damaged.
    """
    path = folder / CALIBRATION_FILE
    try:
        content: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return frozenset(str(each) for each in content["better"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"The calibration {path} of the trained encoder cannot be read ({error!r}): make it with "
            "golden-lab calibrate encoder."
        ) from error
