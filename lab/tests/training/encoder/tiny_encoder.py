"""A sentence encoder of two small layers with random weights, and pairs that it can learn."""

import json
import random
from pathlib import Path

from contracts.text import Span
from golden_lab.training.encoder.examples import EncoderData, PairExample, TagExample

THINGS = ("apple", "river", "engine", "teacher", "window", "garden")
_WORDS = (
    "where",
    "is",
    "the",
    "?",
    "here",
    "we",
    "see",
    "a",
    "of",
    "town",
    ".",
    "what",
    "means",
    "ssd",
    "plr",
    *THINGS,
)
WIDTH, LAYERS = 32, 2


def write_tiny_encoder(folder: Path) -> Path:
    """Write a model in the layout of sentence-transformers, the same at every call."""
    import torch
    from safetensors.torch import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    folder.mkdir(parents=True)
    vocabulary = {word: at for at, word in enumerate(("[PAD]", "[UNK]", "[CLS]", "[SEP]", *_WORDS))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    shape = {
        "model_type": "bert", "hidden_act": "gelu", "num_hidden_layers": LAYERS, "num_attention_heads": 4,
        "hidden_size": WIDTH, "layer_norm_eps": 1e-12, "max_position_embeddings": 64,
        "intermediate_size": 64, "vocab_size": len(vocabulary),
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(shape))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 64}))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True}))
    made = torch.Generator().manual_seed(5)
    gain = "LayerNorm.weight"
    save_file(
        {
            name: torch.randn(size, generator=made) * 0.1 if len(size) > 1 else torch.full(size, float(gain in name))
            for name, size in _sizes(len(vocabulary)).items()
        },
        str(folder / "model.safetensors"),
    )
    return folder


def toy_data(seed: int = 3, *, train: int = 120, dev: int = 60) -> EncoderData:
    """Make pairs in which the passage names what the question asks for, or something else."""
    rng = random.Random(seed)
    return EncoderData(
        train_pairs=tuple(_pair(rng, f"train {at}", at) for at in range(train)),
        dev_pairs=tuple(_pair(rng, f"dev {at}", at) for at in range(dev)),
        train_tags=tuple(_tagged(rng, f"train {at}") for at in range(40)),
        dev_tags=tuple(_tagged(rng, f"dev {at}") for at in range(10)),
    )


def _pair(rng: random.Random, group: str, at: int) -> PairExample:
    asked = rng.choice(THINGS)
    same = at % 2 == 0
    shown = asked if same else rng.choice([each for each in THINGS if each != asked])
    verdicts = (("relevance", same), ("answerability", same)) if at % 3 else (("faithfulness", same),)
    return PairExample(
        first=f"where is the {asked}?", second=f"here we see the {shown} of the town.", verdicts=verdicts,
        source="toy/pairs", group=group,
    )  # fmt: skip


def _tagged(rng: random.Random, group: str) -> TagExample:
    term = rng.choice(("SSD", "PLR"))
    thing = rng.choice(THINGS)
    return TagExample(text=f"what means {term} of the {thing}?", terms=(Span(11, 14),), source="toy/texts", group=group)


def _sizes(words: int) -> dict[str, tuple[int, ...]]:
    sizes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (words, WIDTH),
        "embeddings.position_embeddings.weight": (64, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
    }
    for layer in range(LAYERS):
        place = f"encoder.layer.{layer}"
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            sizes |= {f"{place}.{part}.weight": (WIDTH, WIDTH), f"{place}.{part}.bias": (WIDTH,)}
        sizes |= {f"{place}.intermediate.dense.weight": (64, WIDTH), f"{place}.intermediate.dense.bias": (64,)}
        sizes |= {f"{place}.output.dense.weight": (WIDTH, 64), f"{place}.output.dense.bias": (WIDTH,)}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            sizes |= {f"{place}.{part}.weight": (WIDTH,), f"{place}.{part}.bias": (WIDTH,)}
    return sizes
