"""An encoder that gives every pair the same score."""

from collections.abc import Sequence

import numpy as np

from tools.encoder.base import Logits, TextPair, TokenTags
from tools.encoder.card import HEADS


class ConstantPairEncoder:
    """Gives every pair the same ``logit`` for every head, and finds no terms."""

    def __init__(self, logit: float) -> None:
        self._logit = logit

    @property
    def name(self) -> str:
        """The logit."""
        return f"constant@{self._logit:g}"

    @property
    def heads(self) -> tuple[str, ...]:
        """Those of every encoder."""
        return HEADS

    async def score(self, pairs: Sequence[TextPair]) -> Logits:
        """Return the logit for each pair and head."""
        return np.full((len(pairs), len(HEADS)), self._logit, dtype=np.float32)

    async def tag(self, texts: Sequence[str]) -> tuple[TokenTags, ...]:
        """Find no tokens."""
        return tuple(TokenTags(logits=np.zeros((0, 3), dtype=np.float32), spans=()) for _ in texts)
