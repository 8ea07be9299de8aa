"""A cache before any encoder: a pair that several judgements look at is scored once."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from tools.encoder.base import Logits, PairEncoder, TextPair, TokenTags


class CachedPairEncoder:
    """Remembers the scores of the ``capacity`` pairs that it saw last. Safe to share between threads and event loops.

    The text of a pair is kept with it: 4 096 pairs are some 5 MB.
    """

    def __init__(self, inner: PairEncoder, capacity: int = 4_096) -> None:
        self._inner = inner
        self._capacity = capacity
        self._kept: OrderedDict[TextPair, Logits] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The inner encoder's name: the scores are the same."""
        return self._inner.name

    @property
    def heads(self) -> tuple[str, ...]:
        """The inner encoder's heads."""
        return self._inner.heads

    async def score(self, pairs: Sequence[TextPair]) -> Logits:
        """Score pairs; only those not seen before reach the inner encoder, each once."""
        found: dict[TextPair, Logits] = {}
        with self._lock:
            for pair in pairs:
                if pair in self._kept:
                    self._kept.move_to_end(pair)
                    found[pair] = self._kept[pair]
        lacking = [pair for pair in dict.fromkeys(pairs) if pair not in found]
        if lacking:
            made = dict(zip(lacking, await self._inner.score(lacking), strict=True))
            self._keep(made)
            found |= made
        if not pairs:
            return np.zeros((0, len(self.heads)), dtype=np.float32)
        return np.stack([found[pair] for pair in pairs])

    async def tag(self, texts: Sequence[str]) -> tuple[TokenTags, ...]:
        """Tag texts: questions, each of which comes once."""
        return await self._inner.tag(texts)

    def _keep(self, made: dict[TextPair, Logits]) -> None:
        with self._lock:
            for pair, row in made.items():
                # A row of the matrix would keep the whole of it in memory.
                self._kept[pair] = row.copy()
            while len(self._kept) > self._capacity:
                self._kept.popitem(last=False)
