"""The loss of a model on examples, without training on them."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from golden_lab.training.lora.formatting import IGNORED, TokenisedExample, collate


def mean_loss(model: Any, examples: Sequence[TokenisedExample], *, batch_size: int, pad: int) -> float:
    """Return the mean cross entropy, in nats, over all counted tokens of ``examples``: each token weighs the same.

    The model is in the same mode afterwards as before, and no random number is drawn.
    """
    import torch

    trains = model.training
    model.eval()
    total, counted = 0.0, 0
    # Alike lengths beside one another: less padding.
    rows = sorted(examples, key=len)
    try:
        # Not inference_mode: some models keep tensors of a forward pass, which training could not use then.
        with torch.no_grad(), autocast(model):
            for start in range(0, len(rows), batch_size):
                batch = collate(rows[start : start + batch_size], pad=pad)
                tokens = int((batch["labels"][:, 1:] != IGNORED).sum())
                loss = model(**{key: value.to(model.device) for key, value in batch.items()}).loss
                total += float(loss) * tokens
                counted += tokens
    finally:
        model.train(trains)
    return total / max(counted, 1)


def half_precision(model: Any) -> str:
    """Return "bfloat16" or "float16" where the model computes in it on a GPU, else ""."""
    import torch

    if model.device.type != "cuda":
        return ""
    named = {torch.bfloat16: "bfloat16", torch.float16: "float16"}
    four_bits = getattr(getattr(model, "config", None), "quantization_config", None)
    dtype = getattr(four_bits, "bnb_4bit_compute_dtype", None) or model.dtype
    return named.get(dtype, "")


def autocast(model: Any) -> AbstractContextManager[Any]:
    """Compute as training does: in half precision on a GPU whose model is in it."""
    import torch

    half = half_precision(model)
    return torch.autocast("cuda", getattr(torch, half) if half else None, enabled=bool(half))
