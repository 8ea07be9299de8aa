"""The training of an encoder: its figures, its steps and checks, and going on after it was killed."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from contracts.errors import InvalidInput
from golden_lab.training.encoder.examples import HEADS, IGNORED, Batch, BatchStream, Encoded
from golden_lab.training.encoder.measuring import Floats, Forward, chosen_figure, head_figures, score_pairs, term_f1


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
            mean = module.bert(torch.tensor([list(ids)])).last_hidden_state[0].mean(0)
            found.append((mean / mean.norm()).numpy())
    return np.stack(found)


_STATE = "state.pt"
_BEST = "best.pt"
_PROGRESS = "progress.jsonl"
_STEPS_A_SAVE = 50
Told = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """How a training went: the best check's figures, and how many ``steps`` were made of those planned."""

    figures: dict[str, Any]
    best_step: int
    steps: int
    planned: int
    losses: tuple[float, ...]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Encoded examples: to learn from, and to stop by."""

    train: Sequence[Encoded]
    dev_pairs: Sequence[Encoded]
    dev_tags: Sequence[Encoded]


def train(
    module: Any, material: Material, recipe: EncoderRecipe, folder: Path, *, told: Told, minutes: float | None = None
) -> Learnt:
    """Train ``module`` and leave it with the weights of its best check; states lie in ``folder``.

    A training that was killed goes on from its last state and ends with the same weights as one that was not. With
    ``minutes`` the training ends after that time, at the best check so far.

    Raises:
        InvalidInput: the folder holds the state of another training.
    """
    return _Training(module, material, recipe, folder, told).run(minutes)


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
        self._best_figures: dict[str, Any] = {}
        self._losses: list[float] = []
        self._seconds = 0.0

    def run(self, minutes: float | None) -> Learnt:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._go_on()
        started, before = time.monotonic(), self._seconds
        for batch in islice(self._batches(), self._steps - self._at):
            self._at += 1
            loss = self._step(batch)
            self._losses.append(loss)
            self._seconds = before + time.monotonic() - started
            out_of_time = minutes is not None and self._seconds > minutes * 60
            if self._at % self._check_every == 0 or self._at == self._steps or out_of_time:
                self._check()
            if self._at % _STEPS_A_SAVE == 0 or self._at % self._check_every == 0:
                self._save()
            if out_of_time or self._bad >= self._recipe.patience:
                break
        return self._end()

    def _batches(self) -> Iterator[Batch]:
        recipe = self._recipe
        stream = BatchStream(
            self._material.train, batch_size=recipe.batch_size, temperature=recipe.temperature, seed=recipe.seed
        )
        return stream.batches(self._at)

    def _step(self, batch: Batch) -> float:
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
            self._tell({"step": self._at, "of": self._steps, "loss": round(float(loss.detach()), 4)})
        return float(loss.detach())

    def _check(self) -> None:
        import torch

        forward = torch_forward(self._module)
        figures = head_figures(score_pairs(forward, self._material.dev_pairs), self._material.dev_pairs)
        found = chosen_figure(figures)
        all_figures = {**figures, "terms_f1": term_f1(forward, self._material.dev_tags), "mean_auroc": round(found, 4)}
        self._tell({"step": self._at, "of": self._steps, "dev": all_figures})
        if found > self._best:
            self._best, self._best_step, self._bad, self._best_figures = found, self._at, 0, all_figures
            _write(self._folder / _BEST, lambda path: torch.save(self._module.state_dict(), path))
        else:
            self._bad += 1

    def _save(self) -> None:
        import torch

        state = {
            "recipe": asdict(self._recipe), "examples": len(self._material.train), "at": self._at,
            "module": self._module.state_dict(), "optimizer": self._optimizer.state_dict(), "best": self._best,
            "best_step": self._best_step, "bad": self._bad, "figures": json.dumps(self._best_figures),
            "losses": self._losses, "seconds": self._seconds,
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
        self._bad, self._losses, self._seconds = state["bad"], state["losses"], state["seconds"]
        self._best_figures = json.loads(state["figures"])
        self._tell({"step": self._at, "of": self._steps, "resumed": True})

    def _end(self) -> Learnt:
        import torch

        best = self._folder / _BEST
        if best.is_file():
            self._module.load_state_dict(torch.load(best, weights_only=True))
        every = max(1, len(self._losses) // 20)
        return Learnt(
            figures=self._best_figures,
            best_step=self._best_step,
            steps=self._at,
            planned=self._steps,
            losses=tuple(
                round(sum(part) / len(part), 4)
                for part in (self._losses[at : at + every] for at in range(0, len(self._losses), every))
            ),
            seconds=round(self._seconds, 1),
        )

    def _tell(self, event: dict[str, Any]) -> None:
        event = {**event, "seconds": round(self._seconds, 1)}
        with (self._folder / _PROGRESS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(event) + "\n")
        self._told(event)


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
