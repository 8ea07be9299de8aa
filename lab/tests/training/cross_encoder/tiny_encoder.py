"""A sentence encoder of two small layers with random weights, and questions that it can learn to answer."""

import random
from pathlib import Path

from contracts.text import Span
from golden_lab.training.cross_encoder.examples import CrossEncoderExample

THINGS = ("apple", "river", "engine", "teacher", "window", "garden")
_WORDS = ("where", "is", "the", "?", "here", "we", "see", "a", "of", "town", ".", "long", *THINGS)
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
        intermediate_size=64, max_position_embeddings=256, initializer_range=0.1,
    )  # fmt: skip
    BertModel(config, add_pooling_layer=False).save_pretrained(str(folder))
    return folder


def toy_examples(count: int, seed: int = 3) -> list[CrossEncoderExample]:
    """Make examples whose text names what the question asks for, or, every second, something else."""
    rng = random.Random(seed)
    found = []
    for at in range(count):
        asked, answered = rng.choice(THINGS), at % 2 == 0
        shown = asked if answered else rng.choice([each for each in THINGS if each != asked])
        text = f"here we see the {shown} of the town."
        start = text.index(shown)
        found.append(
            CrossEncoderExample(
                question=f"where is the {asked}?",
                place="town",
                text=text,
                answered=answered,
                source="toy/right" if answered else "toy/other",
                span=Span(start, start + len(shown)) if answered else None,
            )
        )
    return found
