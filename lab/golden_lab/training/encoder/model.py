"""The encoder: a BERT with heads for pairs of texts and for the words of one."""

from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError
from golden_lab.training.encoder.examples import HEADS
from tools.embedding.weights import ModelShape

TAGS = 3
# [CLS], the mean of each text, how far the two means lie apart, and their product, dimension by dimension.
_VIEWS = 5


def build_encoder(folder: Path, shape: ModelShape, *, frozen_layers: int = 0) -> Any:
    """Build the encoder with the weights of the sentence encoder in ``folder``; its heads begin at zero.

    The module maps ``input_ids``, ``attention_mask`` and ``token_type_ids`` of shape (batch, tokens) to logits of
    shapes (batch, 3) for the heads and (batch, tokens, 3) for outside, beginning and inside of a term. The
    embeddings are not trained, nor are the lowest ``frozen_layers`` layers.

    Raises:
        ConfigurationError: the file is not there, or lacks a tensor of a BERT encoder.
    """
    from safetensors.torch import load_file

    path = folder / "model.safetensors"
    if not path.is_file():
        raise ConfigurationError(f"The weights to begin with are not there: {path}.")
    weights = {name.removeprefix("bert."): value for name, value in load_file(path).items()}
    module = _module(weights, shape)
    _load(module, weights, path)
    for part in (module.embeddings, *module.layers[:frozen_layers]):
        part.requires_grad_(requires_grad=False)
    return module


def _module(weights: dict[str, Any], shape: ModelShape) -> Any:
    import torch
    from torch import nn
    from torch.nn import functional

    width, epsilon = shape.dimensions, shape.layer_norm_epsilon
    wide = weights["encoder.layer.0.intermediate.dense.weight"].shape[0]

    def table(name: str) -> Any:
        return nn.Embedding(weights[f"embeddings.{name}_embeddings.weight"].shape[0], width)

    class Embeddings(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.word_embeddings, self.position_embeddings = table("word"), table("position")
            self.token_type_embeddings = table("token_type")
            self.LayerNorm = nn.LayerNorm(width, eps=epsilon)

        def forward(self, ids: Any, types: Any) -> Any:
            places = torch.arange(ids.shape[1], device=ids.device)[None, :]
            summed = self.word_embeddings(ids) + self.position_embeddings(places) + self.token_type_embeddings(types)
            return self.LayerNorm(summed)

    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
            self.attended, self.attended_norm = nn.Linear(width, width), nn.LayerNorm(width, eps=epsilon)
            self.widened, self.narrowed = nn.Linear(width, wide), nn.Linear(wide, width)
            self.narrowed_norm = nn.LayerNorm(width, eps=epsilon)

        def forward(self, states: Any, mask: Any) -> Any:
            batch, tokens, _ = states.shape
            query, key, value = (
                part(states).view(batch, tokens, shape.heads, width // shape.heads).transpose(1, 2)
                for part in (self.query, self.key, self.value)
            )
            seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
            seen = self.attended(seen.transpose(1, 2).reshape(batch, tokens, width))
            states = self.attended_norm(states + seen)
            return self.narrowed_norm(states + self.narrowed(functional.gelu(self.widened(states))))

    class Encoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embeddings = Embeddings()
            self.layers = nn.ModuleList(Layer() for _ in range(shape.layers))
            self.pair_head = nn.Linear(_VIEWS * width, len(HEADS))
            self.tag_head = nn.Linear(width, TAGS)
            for head in (self.pair_head, self.tag_head):
                nn.init.zeros_(head.weight)
                nn.init.zeros_(head.bias)

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            states = self.embeddings(input_ids, token_type_ids)
            present = attention_mask.to(states.dtype)
            mask = (1.0 - present)[:, None, None, :] * -1e4
            for layer in self.layers:
                states = layer(states, mask)
            return self.pair_head(_views(states, present, token_type_ids.to(states.dtype))), self.tag_head(states)

    def _views(states: Any, present: Any, second: Any) -> Any:
        means = []
        for weight in (present * (1.0 - second), present * second):
            mean = (states * weight[:, :, None]).sum(1) / weight.sum(1, keepdim=True).clamp(min=1.0)
            # To the length of the square root of the width, so that each dimension is about 1 in size.
            means.append(mean * (width**0.5) / mean.norm(dim=1, keepdim=True).clamp(min=1e-6))
        one, two = means
        return torch.cat([states[:, 0], one, two, (one - two).abs(), one * two], dim=1)

    return Encoder()


_NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "attended_norm": "attention.output.LayerNorm",
    "widened": "intermediate.dense",
    "narrowed": "output.dense",
    "narrowed_norm": "output.LayerNorm",
}


def _load(module: Any, weights: dict[str, Any], path: Path) -> None:
    own = dict(module.state_dict())
    for name in own:
        part, *rest = name.split(".")
        if part == "layers":
            theirs = f"encoder.layer.{rest[0]}.{_NAMES[rest[1]]}.{rest[2]}"
        elif part == "embeddings":
            theirs = name
        else:
            continue
        if theirs not in weights or weights[theirs].shape != own[name].shape:
            raise ConfigurationError(f"{path} lacks the tensor {theirs} in the shape of its config: no BERT encoder.")
        own[name] = weights[theirs]
    module.load_state_dict(own)
