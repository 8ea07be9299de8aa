"""The cross-encoder: transformers' BERT with one head for whether a text answers, and one for where."""

from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError

# The features: [CLS], the mean of each text, and the elementwise difference and product of the two means.
_VIEWS = 5


def build_cross_encoder_module(folder: Path, *, frozen_layers: int = 0, dropout: float = 0.0) -> Any:
    """Build the cross-encoder from the weights of the sentence encoder in ``folder``; its heads start at zero.

    The module maps ``input_ids``, ``attention_mask`` and ``token_type_ids`` of shape (batch, tokens) to logits of shape
    (batch,), above 0 if the second text answers the first, and to logits of shape (batch, tokens, 2) for the first and
    last token of the answer. The embeddings and the lowest ``frozen_layers`` layers are not trained. While its
    attribute ``rounded`` is true, it rounds weights and states to 8 bits, as the exported graph does.

    Raises:
        ConfigurationError: the file does not exist, or lacks a tensor of a BERT encoder.
    """
    import torch
    from torch import nn

    class CrossEncoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rounded = False
            self.bert = _load_bert(folder, dropout)
            self.width = self.bert.config.hidden_size
            self.answer_head = nn.Linear(_VIEWS * self.width, 1)
            self.span_head = nn.Linear(self.width, 2)
            for head in (self.answer_head, self.span_head):
                nn.init.zeros_(head.weight)
                nn.init.zeros_(head.bias)

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            present = attention_mask.float()
            # BERT adds a mask with four dimensions to the attention scores unchanged.
            mask = (1.0 - present)[:, None, None, :] * -1e4
            states = self.bert(input_ids, attention_mask=mask, token_type_ids=token_type_ids).last_hidden_state
            states = states.float()
            views = self._views(states, present, token_type_ids.float())
            return self.answer_head(views).squeeze(-1), self.span_head(states)

        def _views(self, states: Any, present: Any, second: Any) -> Any:
            means = []
            for weight in (present * (1.0 - second), present * second):
                mean = (states * weight[:, :, None]).sum(1) / weight.sum(1, keepdim=True).clamp(min=1.0)
                # Scaled to the square root of the width, so that the values are about 1 in size.
                means.append(mean * (self.width**0.5) / mean.norm(dim=1, keepdim=True).clamp(min=1e-6))
            one, two = means
            return torch.cat([states[:, 0], one, two, (one - two).abs(), one * two], dim=1)

    class RoundedLinear(nn.Linear):
        def forward(self, input: Any) -> Any:
            if not module.rounded:
                return super().forward(input)
            with torch.autocast(input.device.type, enabled=False):
                states, weight = _rounded_states(input.float()), _rounded_weight(self.weight)
            return nn.functional.linear(states, weight, self.bias)

    module = CrossEncoder()
    for layer in module.bert.encoder.modules():
        if type(layer) is nn.Linear:
            layer.__class__ = RoundedLinear
    for part in (module.bert.embeddings, *module.bert.encoder.layer[:frozen_layers]):
        part.requires_grad_(requires_grad=False)
    return module


def _rounded_states(states: Any) -> Any:
    """Round to 256 levels between each text's smallest and largest value; the gradient passes through unchanged."""
    import torch

    least = states.detach().amin(dim=(1, 2), keepdim=True).clamp(max=0.0)
    step = ((states.detach().amax(dim=(1, 2), keepdim=True).clamp(min=0.0) - least) / 255).clamp(min=1e-8)
    zero = torch.round(-least / step)
    rounded = (torch.clamp(torch.round(states.detach() / step) + zero, 0, 255) - zero) * step
    return states + (rounded - states).detach()


def _rounded_weight(weight: Any) -> Any:
    """Round each row to 255 levels around 0; the gradient passes through unchanged."""
    import torch

    step = (weight.detach().abs().amax(1, keepdim=True) / 127).clamp(min=1e-8)
    return weight + (torch.round(weight.detach() / step) * step - weight).detach()


def _load_bert(folder: Path, dropout: float) -> Any:
    from transformers import BertModel

    load: Any = BertModel.from_pretrained
    try:
        bert, found = load(
            str(folder),
            add_pooling_layer=False,
            hidden_dropout_prob=dropout,
            attention_probs_dropout_prob=0.0,
            output_loading_info=True,
            local_files_only=True,
        )
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"The initial weights cannot be loaded from {folder}: {error}") from error
    if found["missing_keys"]:
        missing = sorted(found["missing_keys"])[0]
        raise ConfigurationError(f"{folder} lacks the tensor {missing}: it is not a BERT encoder.")
    return bert
