"""When a verdict on answerability lies close to the gate."""

import math

from contracts.verdicts import AnswerabilityVerdict
from tools.evidence.question import is_code

# In logits (0.32 to 0.68 around a gate of 0.5): so near to it the embedded judge is wrong in one case of four and more.
# Source: ``python -m golden_lab.calibration.ties``, on SQuAD articles and manuals.
CLOSE_TO_GATE = 0.75
_NEVER = 1e-6


def distance_from(threshold: float, probability: float) -> float:
    """Return how far ``probability`` is from ``threshold``, in logits: 0 or more."""
    return abs(_logit(probability) - _logit(threshold))


class NearGate:
    """Says whether a verdict lies close to the gate at ``threshold``, a probability."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold

    async def is_close(self, verdict: AnswerabilityVerdict, *asked: object, **more: object) -> bool:
        """Say whether the verdict might as well have fallen on the other side of the gate.

        Where the passages never name a code of the question, code has decided, and nobody is asked again.
        """
        if any(is_code(term) for term in verdict.missing):
            return False
        return distance_from(self._threshold, verdict.probability) < CLOSE_TO_GATE


def _logit(probability: float) -> float:
    inside = min(max(probability, _NEVER), 1.0 - _NEVER)
    return math.log(inside / (1.0 - inside))
