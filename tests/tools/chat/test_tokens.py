"""Counting tokens by an estimate that does not fall short of a tokenizer."""

from pathlib import Path

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from tools.chat.tokens import EstimatingTokenCounter

PROSE = (
    "The page buffer holds the data that a program operation writes, and the controller checks it before the next "
    "operation begins. When the supply falls below its level, the device stops and keeps what it has written. "
)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A byte-level tokenizer that learned nothing but the prose."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=600, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    made.train_from_iterator([PROSE] * 20, trainer)
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    made.save(str(path))
    return path


def test_the_estimate_of_prose_is_not_below_what_a_trained_tokenizer_needs(tokenizer: Path) -> None:
    exact = len(Tokenizer.from_file(str(tokenizer)).encode(PROSE).ids)
    estimate = EstimatingTokenCounter().count(PROSE)
    assert exact <= estimate <= 2 * exact


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("page", 1),
        ("pages", 2),
        ("VCCQ", 2),
        ("tPROG", 3),
        ("1.5", 3),
        ("one two", 2),
        ("(a)", 3),
        ("µs", 2),
        ("a\n\nb", 3),
    ],
)
def test_the_estimate_by_hand(text: str, tokens: int) -> None:
    assert EstimatingTokenCounter().count(text) == tokens
