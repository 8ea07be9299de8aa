"""What the untrained sentence encoder makes of the pairs: the cosine of the two texts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from golden_lab.training.encoder.batches import Encoded
from golden_lab.training.encoder.examples import HEADS
from golden_lab.training.encoder.measuring import Floats, head_figures


def cosine_figures(module: Any, rows: Sequence[Encoded]) -> dict[str, Any]:
    """Return the figures of ``rows`` by the cosine of the mean vectors of the two texts, each read alone.

    ``module`` is an encoder of ``build_encoder`` that has not been trained. The F1 means nothing: a cosine has no zero
    to part by, and is left out.
    """
    first = _vectors(module, [row.ids[: row.second_from] for row in rows])
    second = _vectors(module, [(row.ids[0], *row.ids[row.second_from :]) for row in rows])
    cosines = (first * second).sum(axis=1, dtype=np.float32)
    figures = head_figures(np.repeat(cosines[:, None], len(HEADS), axis=1), rows)
    return {head: {name: value for name, value in each.items() if name != "f1"} for head, each in figures.items()}


def _vectors(module: Any, texts: Sequence[Sequence[int]]) -> Floats:
    import torch

    module.eval()
    found: list[Floats] = []
    with torch.no_grad():
        for ids in texts:
            tokens = torch.tensor([list(ids)])
            states = module.embeddings(tokens, torch.zeros_like(tokens))
            for layer in module.layers:
                states = layer(states, None)
            mean = states[0].mean(0)
            found.append((mean / mean.norm()).numpy())
    return np.stack(found)
