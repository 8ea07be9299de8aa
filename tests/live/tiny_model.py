"""A language model of a megabyte with random weights: it proves the protocol, not the wisdom."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer

from tests.live.gguf_file import GgufValue, write_gguf

ROOT = Path(__file__).resolve().parents[2]

_BEGINS, _ENDS = "<|im_start|>", "<|im_end|>"
_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_VOCABULARY = 1_500
_WIDTH, _LAYERS, _HEADS, _INNER = 64, 2, 2, 128
_WINDOW = 32_768
_NORMAL, _CONTROL = 1, 3
# What random weights would almost never write, and what ends a reply, a string, a list or an object.
_LOUD = (_ENDS, '"', '"}', '"]', "]", "}", "Ġ", ".")
_LOUDNESS = 2.5


@dataclass(frozen=True, slots=True, kw_only=True)
class TinyModel:
    """Where the model is, and its tokenizer."""

    gguf: Path
    tokenizer: Path


def make_tiny_model(folder: Path, *, seed: int = 7) -> TinyModel:
    """Train a tokenizer on the examples' texts, draw weights at random, and write both into ``folder``.

    The architecture is Llama's, with two layers. The tokens that end something have larger weights than the others:
    so texts end at random places, as a rule before their limit.
    """
    tokenizer = _trained(_texts())
    model = TinyModel(gguf=folder / "tiny.gguf", tokenizer=folder / "tokenizer.json")
    tokenizer.save(str(model.tokenizer))
    state = json.loads(tokenizer.to_str())
    vocabulary: dict[str, int] = {**state["model"]["vocab"]}
    tokens = sorted(vocabulary, key=lambda token: vocabulary[token])
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in state["model"]["merges"]]
    values: dict[str, GgufValue] = {
        "general.architecture": "llama",
        "general.name": "tiny",
        "general.alignment": 32,
        "llama.context_length": _WINDOW,
        "llama.embedding_length": _WIDTH,
        "llama.block_count": _LAYERS,
        "llama.feed_forward_length": _INNER,
        "llama.attention.head_count": _HEADS,
        "llama.attention.head_count_kv": _HEADS,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": _WIDTH // _HEADS,
        "llama.vocab_size": len(tokens),
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [_CONTROL if token in (_BEGINS, _ENDS) else _NORMAL for token in tokens],
        "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.bos_token_id": vocabulary[_BEGINS],
        "tokenizer.ggml.eos_token_id": vocabulary[_ENDS],
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": _TEMPLATE,
    }
    write_gguf(model.gguf, values, _weights(tokens, seed))
    return model


def _texts() -> Iterable[str]:
    """Return the examples' texts: they seldom change, and the model changes with them."""
    for pattern in ("examples/*.csv", "examples/*.jsonl", "examples/documents/*.md", "examples/source/*.md"):
        for path in sorted(ROOT.glob(pattern)):
            yield path.read_text(encoding="utf-8")


def _trained(texts: Iterable[str]) -> Tokenizer:
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = ByteLevelDecoder()
    trainer = BpeTrainer(
        vocab_size=_VOCABULARY,
        special_tokens=[_BEGINS, _ENDS],
        initial_alphabet=ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def _weights(tokens: list[str], seed: int) -> dict[str, NDArray[np.float32]]:
    chance = np.random.default_rng(seed)

    def drawn(outputs: int, inputs: int) -> NDArray[np.float32]:
        return np.asarray(chance.standard_normal((outputs, inputs)) / np.sqrt(inputs), dtype=np.float32)

    def ones() -> NDArray[np.float32]:
        return np.ones(_WIDTH, dtype=np.float32)

    output = 3.0 * drawn(len(tokens), _WIDTH)
    output[[index for index, token in enumerate(tokens) if token in _LOUD]] *= _LOUDNESS
    weights = {
        "token_embd.weight": chance.standard_normal((len(tokens), _WIDTH)).astype(np.float32),
        "output_norm.weight": ones(),
        "output.weight": output,
    }
    for layer in range(_LAYERS):
        block = f"blk.{layer}"
        weights |= {f"{block}.attn_norm.weight": ones(), f"{block}.ffn_norm.weight": ones()}
        weights |= {f"{block}.attn_{name}.weight": drawn(_WIDTH, _WIDTH) for name in ("q", "k", "v", "output")}
        weights |= {f"{block}.ffn_{name}.weight": drawn(_INNER, _WIDTH) for name in ("gate", "up")}
        weights[f"{block}.ffn_down.weight"] = drawn(_WIDTH, _INNER)
    return weights
