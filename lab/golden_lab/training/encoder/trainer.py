"""The training of an encoder: its figures, its steps and checks, and going on after it was killed."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput
from golden_lab.training.encoder.examples import IGNORED, Batch, BatchStream, Encoded
from golden_lab.training.encoder.figures import Forward, chosen_figure, head_figures, score_pairs, term_f1


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderRecipe:
    """The figures of one training.

    ``epochs`` counts examples drawn by the number of examples there are; ``temperature`` is that of the sources (see
    ``BatchStream``). The learning rate rises over the first ``warm_up`` share of the steps and falls in a straight
    line to 0. ``patience`` checks without a better mean AUROC end the training.
    """

    epochs: float = 1.0
    batch_size: int = 32
    learning_rate: float = 1e-4
    head_learning_rate: float = 1e-3
    weight_decay: float = 0.01
    warm_up: float = 0.06
    temperature: float = 0.6
    frozen_layers: int = 2
    max_tokens: int = 256
    train_tokens: int = 192
    checks: int = 4
    patience: int = 3
    seed: int = 7
    tag_weight: float = 0.5

    def steps(self, examples: int) -> int:
        """Return how many batches ``epochs`` of so many examples are; at least 1."""
        return max(1, round(self.epochs * examples / self.batch_size))

    def rate(self, step: int, steps: int) -> float:
        """Return the share of the learning rate at ``step`` of ``steps``, both from 1."""
        rising = max(1, round(self.warm_up * steps))
        if step <= rising:
            return step / rising
        return max(0.0, (steps - step + 1) / (steps - rising + 1))


_STATE = "state.pt"
_BEST = "best.pt"
_STEPS_A_SAVE = 50
Told = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """How a training went: the best check's figures, and how many ``steps`` were made of those planned."""

    figures: dict[str, Any]
    best_step: int
    steps: int
    planned: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Encoded examples: to learn from, and to stop by."""

    train: Sequence[Encoded]
    dev_pairs: Sequence[Encoded]
    dev_tags: Sequence[Encoded]


def train(module: Any, material: Material, recipe: EncoderRecipe, folder: Path, *, told: Told) -> Learnt:
    """Train ``module`` and leave it with the weights of its best check; states lie in ``folder``.

    A training that was killed goes on from its last state and ends with the same weights as one that was not.

    Raises:
        InvalidInput: the folder holds the state of another training.
    """
    return _Training(module, material, recipe, folder, told).run()


class _Training:
    def __init__(self, module: Any, material: Material, recipe: EncoderRecipe, folder: Path, told: Told) -> None:
        import torch

        self._module, self._material, self._recipe, self._folder, self._told = module, material, recipe, folder, told
        self._steps = recipe.steps(len(material.train))
        self._check_every = max(1, -(-self._steps // recipe.checks))
        heads = [p for name, p in module.named_parameters() if p.requires_grad and "_head" in name]
        body = [p for name, p in module.named_parameters() if p.requires_grad and "_head" not in name]
        self._rates = (recipe.learning_rate, recipe.head_learning_rate)
        self._optimizer = torch.optim.AdamW(
            [{"params": body}, {"params": heads}], lr=1.0, weight_decay=recipe.weight_decay
        )
        self._at, self._best, self._best_step, self._bad = 0, -1.0, 0, 0
        self._figures: dict[str, Any] = {}
        self._seconds = 0.0

    def run(self) -> Learnt:
        import torch

        self._folder.mkdir(parents=True, exist_ok=True)
        self._go_on()
        started, before = time.monotonic(), self._seconds
        for batch in islice(self._batches(), self._steps - self._at):
            self._at += 1
            self._step(batch)
            self._seconds = before + time.monotonic() - started
            if self._at % self._check_every == 0 or self._at == self._steps:
                self._check()
            if self._at % _STEPS_A_SAVE == 0 or self._at % self._check_every == 0:
                self._save()
            if self._bad >= self._recipe.patience:
                break
        self._module.load_state_dict(torch.load(self._folder / _BEST, weights_only=True))
        return Learnt(
            figures=self._figures,
            best_step=self._best_step,
            steps=self._at,
            planned=self._steps,
            seconds=round(self._seconds, 1),
        )

    def _batches(self) -> Iterator[Batch]:
        recipe = self._recipe
        stream = BatchStream(
            self._material.train, batch_size=recipe.batch_size, temperature=recipe.temperature, seed=recipe.seed
        )
        return stream.batches(self._at)

    def _step(self, batch: Batch) -> None:
        import torch

        self._module.train()
        for group, rate in zip(self._optimizer.param_groups, self._rates, strict=True):
            group["lr"] = rate * self._recipe.rate(self._at, self._steps)
        loss = batch_loss(self._module, batch, tag_weight=self._recipe.tag_weight)
        loss.backward()
        torch.nn.utils.clip_grad_norm_([p for p in self._module.parameters() if p.requires_grad], 1.0)
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        if self._at % 20 == 0:
            self._tell(loss=round(float(loss.detach()), 4))

    def _check(self) -> None:
        import torch

        forward = torch_forward(self._module)
        figures = head_figures(score_pairs(forward, self._material.dev_pairs), self._material.dev_pairs)
        found = chosen_figure(figures)
        figures |= {"terms_f1": term_f1(forward, self._material.dev_tags), "mean_auroc": round(found, 4)}
        self._tell(dev=figures)
        if found > self._best:
            self._best, self._best_step, self._bad, self._figures = found, self._at, 0, figures
            _write(self._folder / _BEST, lambda path: torch.save(self._module.state_dict(), path))
        else:
            self._bad += 1

    def _save(self) -> None:
        import torch

        state = {
            "recipe": asdict(self._recipe), "examples": len(self._material.train), "at": self._at,
            "module": self._module.state_dict(), "optimizer": self._optimizer.state_dict(), "best": self._best,
            "best_step": self._best_step, "bad": self._bad, "figures": json.dumps(self._figures),
            "seconds": self._seconds,
        }  # fmt: skip
        _write(self._folder / _STATE, lambda path: torch.save(state, path))

    def _go_on(self) -> None:
        import torch

        path = self._folder / _STATE
        if not path.is_file():
            return
        state = torch.load(path, weights_only=True)
        same_layers = state["module"].keys() == self._module.state_dict().keys()
        same_figures = state["recipe"] == asdict(self._recipe) and state["examples"] == len(self._material.train)
        if not same_layers or not same_figures:
            raise InvalidInput(
                f"{self._folder} holds the state of a training with other figures or data: give another --out, or "
                "remove that folder to begin anew.",
                field="out",
            )
        self._module.load_state_dict(state["module"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._at, self._best, self._best_step = state["at"], state["best"], state["best_step"]
        self._bad, self._seconds, self._figures = state["bad"], state["seconds"], json.loads(state["figures"])
        self._tell(resumed=True)

    def _tell(self, **event: Any) -> None:
        self._told({"step": self._at, "of": self._steps, **event, "seconds": round(self._seconds, 1)})


def batch_loss(module: Any, batch: Batch, *, tag_weight: float) -> Any:
    """Return the loss of ``batch``: binary cross-entropy of the known verdicts, or cross-entropy of the tags."""
    import torch
    from torch.nn import functional

    pair_logits, tag_logits = module(*_tensors(batch))
    if batch.tags is not None:
        tags = torch.from_numpy(batch.tags)
        return tag_weight * functional.cross_entropy(tag_logits.flatten(0, 1), tags.flatten(), ignore_index=IGNORED)
    verdicts = torch.from_numpy(batch.verdicts)
    known = ~verdicts.isnan()
    return functional.binary_cross_entropy_with_logits(pair_logits[known], verdicts[known])


def torch_forward(module: Any) -> Forward:
    """Return ``module`` as a function of a batch, without gradients."""

    def forward(batch: Batch) -> Any:
        import torch

        module.eval()
        with torch.no_grad():
            pair_logits, tag_logits = module(*_tensors(batch))
        return pair_logits.numpy(), tag_logits.numpy()

    return forward


def _tensors(batch: Batch) -> tuple[Any, ...]:
    import torch

    return tuple(torch.from_numpy(each) for each in (batch.input_ids, batch.attention_mask, batch.token_type_ids))


def _write(path: Path, write: Callable[[Path], None]) -> None:
    # Whole or not at all: a training may be killed while it writes.
    draft = path.with_name(f".{path.name}.unfinished")
    write(draft)
    draft.replace(path)
