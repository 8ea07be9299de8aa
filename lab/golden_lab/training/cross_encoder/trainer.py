"""Trains the cross-encoder, checks it at intervals, and resumes a run that was killed."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contracts.errors import InvalidInput
from golden_lab.metrics.classification import auroc
from golden_lab.training.cross_encoder.batches import NOWHERE, Batch, Encoded, batches, in_length_order, pad


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossEncoderRecipe:
    """The settings of one training run: ``passes`` over the examples, in batches of ``batch_tokens``.

    The learning rate rises over the first fraction ``warm_up`` of the steps, then decays linearly to 0. In the last
    fraction ``rounded_share``, the module computes in 8 bits. ``span_weight`` is the weight of the loss for locating
    the answer; ``tables_per_subject`` is the number of tables made up about each subject.
    """

    passes: int = 1
    batch_tokens: int = 3072
    learning_rate: float = 1e-4
    head_learning_rate: float = 5e-4
    weight_decay: float = 0.01
    warm_up: float = 0.05
    frozen_layers: int = 2
    dropout: float = 0.1
    rounded_share: float = 0.3
    max_tokens: int = 224
    span_weight: float = 0.4
    checks: int = 6
    tables_per_subject: int = 90
    seed: int = 7

    def rate(self, step: int, steps: int) -> float:
        """Return the fraction of the learning rate to use at ``step`` (from 1) of ``steps``."""
        rising = max(1, round(self.warm_up * steps))
        if step <= rising:
            return step / rising
        return max(0.0, (steps - step + 1) / (steps - rising + 1))


_STATE = "state.pt"
_STEPS_A_LINE = 50
_STEPS_A_SAVE = 200
OnEvent = Callable[[dict[str, Any]], None]


def train(
    module: Any,
    examples: Sequence[Encoded],
    dev: Sequence[Encoded],
    recipe: CrossEncoderRecipe,
    folder: Path,
    *,
    on_event: OnEvent,
) -> dict[str, Any]:
    """Train ``module``, on a CUDA GPU if there is one; return the final results on ``dev``, the steps and the seconds.

    The state is saved in ``folder``; a run that was killed resumes from there, and ends with the same weights as an
    uninterrupted one.

    Raises:
        InvalidInput: the folder holds the state of another training run.
    """
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    module.to("cuda" if torch.cuda.is_available() else "cpu")
    plan = [
        batch
        for turn in range(recipe.passes)
        for batch in batches(examples, tokens=recipe.batch_tokens, seed=recipe.seed + turn)
    ]
    optimizer = _optimizer(module, recipe)
    signature = json.dumps([asdict(recipe), len(examples)])
    at, seconds = _go_on(module, optimizer, signature, folder)
    started = time.monotonic() - seconds
    check_every = max(1, len(plan) // recipe.checks)
    figures: dict[str, Any] = {}
    losses: list[float] = []
    while at < len(plan):
        at += 1
        # So that a resumed run uses the same dropout as one that was not interrupted.
        torch.manual_seed(recipe.seed + at)
        module.rounded = at > (1.0 - recipe.rounded_share) * len(plan)
        share = recipe.rate(at, len(plan))
        rates = (recipe.learning_rate, recipe.head_learning_rate)
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate * share
        losses.append(_step(module, pad([examples[n] for n in plan[at - 1]]), recipe, optimizer))
        seconds = time.monotonic() - started
        if at % _STEPS_A_LINE == 0:
            loss = round(float(np.mean(losses[-_STEPS_A_LINE:])), 4)
            on_event({"step": at, "of": len(plan), "loss": loss, "seconds": round(seconds)})
        if at % check_every == 0 or at == len(plan):
            figures = measure(module, dev)
            on_event({"step": at, "of": len(plan), "dev": figures})
        if at % _STEPS_A_SAVE == 0 or at == len(plan):
            _save(module, optimizer, {"signature": signature, "at": at, "seconds": seconds}, folder)
    if not figures:
        # An earlier run did all steps: measure as it did after the last one.
        module.rounded = recipe.rounded_share > 0
        figures = measure(module, dev)
    return {**figures, "steps": at, "seconds": round(seconds)}


def _optimizer(module: Any, recipe: CrossEncoderRecipe) -> Any:
    import torch

    trained = [(name, value) for name, value in module.named_parameters() if value.requires_grad]
    heads = [value for name, value in trained if "_head" in name]
    body = [value for name, value in trained if "_head" not in name]
    return torch.optim.AdamW(
        [{"params": body}, {"params": heads}], lr=recipe.learning_rate, weight_decay=recipe.weight_decay
    )


def _go_on(module: Any, optimizer: Any, signature: str, folder: Path) -> tuple[int, float]:
    """Load the state in ``folder``, if there is one; return the steps done and the seconds they took."""
    import torch

    if not (folder / _STATE).is_file():
        return 0, 0.0
    state = torch.load(folder / _STATE, weights_only=True, map_location="cpu")
    if state["signature"] != signature:
        raise InvalidInput(
            f"{folder} contains the state of a training run with other settings or data: give another --out, or "
            "remove that folder to start again.",
            field="out",
        )
    module.load_state_dict(state["module"])
    optimizer.load_state_dict(state["optimizer"])
    return state["at"], state["seconds"]


def _save(module: Any, optimizer: Any, progress: dict[str, Any], folder: Path) -> None:
    import torch

    # Written atomically, because a run may be killed at any time.
    draft = folder / f".{_STATE}.unfinished"
    torch.save({**progress, "module": module.state_dict(), "optimizer": optimizer.state_dict()}, draft)
    draft.replace(folder / _STATE)


def _step(module: Any, batch: Batch, recipe: CrossEncoderRecipe, optimizer: Any) -> float:
    import torch

    module.train()
    answered, spans = _computed(module, batch)
    loss = _loss(answered, spans, batch, recipe.span_weight)
    loss.backward()
    torch.nn.utils.clip_grad_norm_([value for value in module.parameters() if value.requires_grad], 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return float(loss.detach())


def _computed(module: Any, batch: Batch) -> tuple[Any, Any]:
    """Return a batch's logits in float32, computed on the module's device."""
    import torch

    place = next(module.parameters()).device
    inputs = (batch.input_ids, batch.attention_mask, batch.token_type_ids)
    with torch.autocast(place.type, dtype=torch.bfloat16):
        answered, spans = module(*(torch.from_numpy(each).to(place) for each in inputs))
    return answered.float(), spans.float()


def _loss(answered: Any, spans: Any, batch: Batch, span_weight: float) -> Any:
    import torch
    from torch.nn import functional

    place = answered.device
    loss = functional.binary_cross_entropy_with_logits(answered, torch.from_numpy(batch.answered).to(place))
    if (batch.begins != NOWHERE).any():
        outside = torch.from_numpy(batch.token_type_ids).to(place) == 0
        places = spans.masked_fill(outside[:, :, None], -1e4)
        for side, truth in enumerate((batch.begins, batch.ends)):
            loss = loss + span_weight / 2 * functional.cross_entropy(
                places[:, :, side], torch.from_numpy(truth).to(place), ignore_index=NOWHERE
            )
    return loss


def measure(module: Any, examples: Sequence[Encoded]) -> dict[str, Any]:
    """Return the AUROC of "answered", overall and by source, and the share of spans that begin within 3 tokens."""
    import torch

    module.eval()
    logits = np.zeros(len(examples))
    hits: list[bool] = []
    for rows in in_length_order(examples, size=32):
        batch = pad([examples[n] for n in rows])
        with torch.no_grad():
            answered, spans = _computed(module, batch)
        logits[rows] = answered.cpu().numpy()
        begins = np.where(batch.token_type_ids == 1, spans[:, :, 0].cpu().numpy(), -1e9).argmax(1)
        hits += [abs(int(a) - int(b)) <= 3 for a, b in zip(begins, batch.begins, strict=True) if b != NOWHERE]
    return _by_source(logits, examples) | {"span_begin": round(float(np.mean(hits)), 4) if hits else None}


def _by_source(logits: NDArray[np.float64], examples: Sequence[Encoded]) -> dict[str, Any]:
    truth = np.array([each.answered for each in examples])
    names = np.array([each.source for each in examples])
    found: dict[str, Any] = {"auroc": round(auroc(logits.tolist(), truth.tolist()), 4)}
    for name in sorted(set(names[~truth].tolist())):
        # Compare each kind of near miss with the answered examples of the same data set.
        rows = (names == name) | (truth & np.char.startswith(names, name.split("/")[0] + "/"))
        if truth[rows].any():
            found[name] = round(auroc(logits[rows].tolist(), truth[rows].tolist()), 4)
    return found
