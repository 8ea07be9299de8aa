"""A causal language model in this process, with what attribution needs of it: embeddings in, logits out."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from contracts.errors import ConfigurationError, InvalidInput
from golden_lab.causal_attribution.passages import Floats

_EXTRA = 'install it with: pip install "golden-retriever-lab[training]"'


class LocalCausalModel:
    """A model of transformers (or any torch module of its form) with its tokenizer, on one device. Blocking.

    The module takes ``inputs_embeds`` of the shape ``(1, tokens, width)`` and returns an object with ``logits`` of the
    shape ``(1, tokens, vocabulary)``; its parameters get no gradients here.
    """

    def __init__(self, module: Any, tokenizer: Any = None, *, name: str, most_tokens: int = 0) -> None:
        self.module = module.eval()
        self.tokenizer = tokenizer
        self.name = name
        self.most_tokens = most_tokens
        for parameter in module.parameters():
            parameter.requires_grad_(False)

    @classmethod
    def load(cls, folder: str, *, device: str = "", dtype: str = "auto") -> "LocalCausalModel":
        """Load a model from a folder of this machine (or by a name that transformers knows).

        ``device`` is torch's name of one ("" for a GPU where there is one); ``dtype`` as transformers takes it.

        Raises:
            ConfigurationError: torch or transformers is not installed, or the model cannot be loaded.
        """
        try:
            import torch
            from transformers import AutoModelForCausalLM, AutoTokenizer
        except ImportError as error:
            raise ConfigurationError(f"attribution needs torch and transformers: {_EXTRA}") from error
        place = device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder)
            module: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype)
            module = module.to(place)
        except (OSError, ValueError, RuntimeError) as error:
            raise ConfigurationError(f"{folder}: no causal language model can be loaded from there: {error}") from error
        most = int(getattr(module.config, "max_position_embeddings", 0) or 0)
        return cls(module, tokenizer, name=Path(folder).name, most_tokens=most)

    @cached_property
    def device(self) -> Any:
        """The device of the model's parameters."""
        return next(self.module.parameters()).device

    def embed(self, ids: Sequence[int]) -> Any:
        """Return the input embeddings of ``ids``: a tensor of the shape ``(1, tokens, width)``, without gradient."""
        import torch

        table = self.module.get_input_embeddings()
        with torch.no_grad():
            return table(torch.tensor([list(ids)], device=self.device)).detach()

    def mean_embedding(self) -> Any:
        """Return the mean of the vocabulary's embeddings: a tensor of the shape ``(width,)``."""
        return self.module.get_input_embeddings().weight.detach().mean(dim=0)

    def logits(self, embeddings: Any) -> Any:
        """Return the logits at each place: ``(tokens, vocabulary)``."""
        return self.module(inputs_embeds=embeddings).logits[0]

    def confidence(self, embeddings: Any, target: int, *, as_logit: bool = False) -> float:
        """Return the probability (or the logit) of ``target`` behind the last place."""
        import torch

        with torch.no_grad():
            last = self.logits(embeddings)[-1].double()
            return float(last[target] if as_logit else torch.softmax(last, dim=-1)[target])

    def next_ids(self, ids: Sequence[int], count: int) -> tuple[int, ...]:
        """Return the ``count`` most probable next tokens, each after the ones before it (greedy)."""
        import torch

        written: list[int] = []
        for _ in range(count):
            with torch.no_grad():
                written.append(int(self.logits(self.embed([*ids, *written]))[-1].argmax()))
        return tuple(written)

    def check_lengths(self, prompt: Sequence[int], answer: Sequence[int]) -> None:
        """See that a prompt and an answer can be attributed.

        Raises:
            InvalidInput: one of them is empty, or they are longer together than the model reads.
        """
        if not prompt or not answer:
            raise InvalidInput("attribution needs a prompt and an answer of at least one token each")
        if self.most_tokens and len(prompt) + len(answer) > self.most_tokens:
            raise InvalidInput(
                f"{len(prompt)} tokens of prompt and {len(answer)} of answer are more than the {self.most_tokens} that "
                f"{self.name} reads: give fewer or shorter passages"
            )


def as_floats(tensor: Any) -> Floats:
    """Return a tensor as float64 in this process's memory."""
    return np.asarray(tensor.detach().double().cpu().numpy(), dtype=np.float64)
