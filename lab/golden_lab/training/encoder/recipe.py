"""How an encoder is trained: every number of it."""

from dataclasses import dataclass


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
