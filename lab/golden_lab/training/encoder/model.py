"""The encoder: transformers' BERT with heads for pairs of texts and for the words of one."""

from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError
from golden_lab.training.encoder.examples import HEADS

TAGS = 3
# [CLS], the mean of each text, how far the two means lie apart, and their product, dimension by dimension.
_VIEWS = 5


def build_encoder(folder: Path, *, frozen_layers: int = 0) -> Any:
    """Build the encoder with the weights of the sentence encoder in ``folder``; its heads begin at zero.

    The module maps ``input_ids``, ``attention_mask`` and ``token_type_ids`` of shape (batch, tokens) to logits of
    shapes (batch, 3) for the heads and (batch, tokens, 3) for outside, beginning and inside of a term. The
    embeddings are not trained, nor are the lowest ``frozen_layers`` layers. Nothing is dropped out.

    Raises:
        ConfigurationError: the file is not there, or lacks a tensor of a BERT encoder.
    """
    import torch
    from torch import nn

    class Encoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bert = _load_bert(folder)
            self.width = self.bert.config.hidden_size
            self.pair_head = nn.Linear(_VIEWS * self.width, len(HEADS))
            self.tag_head = nn.Linear(self.width, TAGS)
            for head in (self.pair_head, self.tag_head):
                nn.init.zeros_(head.weight)
                nn.init.zeros_(head.bias)

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            present = attention_mask.float()
            # A mask of four dimensions is taken as it is.
            mask = (1.0 - present)[:, None, None, :] * -1e4
            states = self.bert(input_ids, attention_mask=mask, token_type_ids=token_type_ids).last_hidden_state
            return self.pair_head(self.views(states, present, token_type_ids.float())), self.tag_head(states)

        def views(self, states: Any, present: Any, second: Any) -> Any:
            means = []
            for weight in (present * (1.0 - second), present * second):
                mean = (states * weight[:, :, None]).sum(1) / weight.sum(1, keepdim=True).clamp(min=1.0)
                # To the length of the square root of the width, so that each dimension is about 1 in size.
                means.append(mean * (self.width**0.5) / mean.norm(dim=1, keepdim=True).clamp(min=1e-6))
            one, two = means
            return torch.cat([states[:, 0], one, two, (one - two).abs(), one * two], dim=1)

    module = Encoder()
    for part in (module.bert.embeddings, *module.bert.encoder.layer[:frozen_layers]):
        part.requires_grad_(requires_grad=False)
    return module


def _load_bert(folder: Path) -> Any:
    from transformers import BertModel

    load: Any = BertModel.from_pretrained
    try:
        bert, found = load(
            str(folder),
            add_pooling_layer=False,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            output_loading_info=True,
            local_files_only=True,
        )
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"The weights to begin with are not in {folder}: {error}") from error
    if found["missing_keys"]:
        missing = sorted(found["missing_keys"])[0]
        raise ConfigurationError(f"{folder} lacks the tensor {missing}: no BERT encoder.")
    return bert
