"""Tiny models whose attribution is known: one that is linear in its inputs, and a Llama of random weights."""

from types import SimpleNamespace
from typing import Any

import torch

from golden_lab.causal_attribution.model import LocalCausalModel

VOCABULARY, WIDTH = 12, 5


class LinearCausalModule(torch.nn.Module):
    """At each place, the logits are a matrix times the weighted sum of the embeddings up to there.

    By hand: the relevance of token i for the logit of y is ``weight[i] * (E[i] . W[y])``, and the sum over i is the
    logit.
    """

    def __init__(self, *, vocabulary: int = VOCABULARY, seed: int = 7) -> None:
        super().__init__()
        made = torch.Generator().manual_seed(seed)
        self.table = torch.nn.Embedding(vocabulary, WIDTH)
        self.table.weight.data = torch.randn((vocabulary, WIDTH), generator=made, dtype=torch.float64)
        self.out = torch.nn.Parameter(torch.randn((vocabulary, WIDTH), generator=made, dtype=torch.float64))

    def get_input_embeddings(self) -> torch.nn.Embedding:
        return self.table

    @staticmethod
    def weight(places: int) -> torch.Tensor:
        return 1.0 / torch.arange(1, places + 1, dtype=torch.float64)

    def forward(self, inputs_embeds: torch.Tensor) -> Any:
        weighted = inputs_embeds * self.weight(inputs_embeds.shape[1])[None, :, None]
        return SimpleNamespace(logits=weighted.cumsum(dim=1) @ self.out.T)


class SquareCausalModule(LinearCausalModule):
    """As the linear one, with the logits squared: gradients change on the way from no input to the input."""

    def forward(self, inputs_embeds: torch.Tensor) -> Any:
        return SimpleNamespace(logits=super().forward(inputs_embeds).logits ** 2)


def linear_model() -> LocalCausalModel:
    return LocalCausalModel(LinearCausalModule(), name="linear")


def square_model() -> LocalCausalModel:
    return LocalCausalModel(SquareCausalModule(), name="square")


def tiny_llama(tokenizer: Any = None, *, vocabulary: int = 64, most_tokens: int = 256) -> LocalCausalModel:
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(3)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=most_tokens,
    )
    return LocalCausalModel(LlamaForCausalLM(config), tokenizer, name="tiny-llama", most_tokens=most_tokens)
