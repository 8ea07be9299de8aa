"""A sentence encoder of two small layers with random weights, and pairs that it can learn."""

import random
from pathlib import Path

from contracts.text import Span
from golden_lab.training.encoder.examples import EncoderData, PairExample, TagExample

THINGS = ("apple", "river", "engine", "teacher", "window", "garden")
_WORDS = (
    "where", "is", "the", "?", "here", "we", "see", "a", "of", "town", ".", "what", "means", "ssd", "plr", *THINGS,
)  # fmt: skip
WIDTH, LAYERS = 32, 2


def write_tiny_encoder(folder: Path) -> Path:
    """Write a model in the layout of sentence-transformers, the same at every call."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import BertConfig, BertModel

    folder.mkdir(parents=True)
    vocabulary = {word: at for at, word in enumerate(("[PAD]", "[UNK]", "[CLS]", "[SEP]", *_WORDS))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=64, initializer_range=0.1,
    )  # fmt: skip
    BertModel(config, add_pooling_layer=False).save_pretrained(str(folder))
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
