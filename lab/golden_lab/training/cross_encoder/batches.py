"""Examples as tokens, and batches of examples of similar length."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from golden_lab.training.cross_encoder.examples import CrossEncoderExample

Ints = NDArray[np.int64]
NOWHERE = -100


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """An example as tokens: ``[CLS] question [SEP] place and text [SEP]``; ``second_from`` is where the place starts.

    ``begin`` and ``end`` are the first and last token of the answer; ``NOWHERE`` if unknown or if there is none.
    """

    ids: NDArray[np.int32]
    second_from: int
    answered: bool
    begin: int = NOWHERE
    end: int = NOWHERE
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Inputs of shape (batch, tokens); ``answered``, ``begins`` and ``ends`` of shape (batch,)."""

    input_ids: Ints
    attention_mask: Ints
    token_type_ids: Ints
    answered: NDArray[np.float32]
    begins: Ints
    ends: Ints


def joined_text(place: str, text: str) -> str:
    """Return the model's second input: the place on its own line, then the text."""
    return f"{place}\n{text}" if place else text


class ExampleTokenizer:
    """Splits examples into word pieces; the end of a long text is cut off to fit ``max_tokens``."""

    def __init__(self, file: Path, *, max_tokens: int) -> None:
        from tokenizers import Tokenizer

        self._tokenizer: Any = Tokenizer.from_file(str(file))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._max_tokens = max_tokens

    def encode(self, examples: Sequence[CrossEncoderExample]) -> list[Encoded]:
        """Encode ``examples``; the order is kept."""
        questions = self._tokenizer.encode_batch([each.question for each in examples], add_special_tokens=False)
        texts = self._tokenizer.encode_batch(
            [joined_text(each.place, each.text) for each in examples], add_special_tokens=False
        )
        return [self._one(*each) for each in zip(examples, questions, texts, strict=True)]

    def _one(self, example: CrossEncoderExample, question: Any, text: Any) -> Encoded:
        asked = question.ids[: self._max_tokens // 3]
        text_ids = text.ids[: self._max_tokens - len(asked) - 3]
        start = len(asked) + 2
        begin = end = NOWHERE
        if example.span is not None:
            shift = len(joined_text(example.place, "")) if example.place else 0
            first, last = (
                text.char_to_token(example.span.start + shift),
                text.char_to_token(example.span.end + shift - 1),
            )
            if first is not None and last is not None and last < len(text_ids):
                begin, end = start + first, start + last
        cls, sep = self._tokenizer.token_to_id("[CLS]"), self._tokenizer.token_to_id("[SEP]")
        return Encoded(
            ids=np.array([cls, *asked, sep, *text_ids, sep], dtype=np.int32),
            second_from=start,
            answered=example.answered,
            begin=begin,
            end=end,
            source=example.source,
        )


def batches(examples: Sequence[Encoded], *, tokens: int, seed: int) -> list[list[int]]:
    """Return batches of indexes, each of up to about ``tokens`` tokens with padding, in an order set by ``seed``."""
    rng = random.Random(seed)
    order = sorted(range(len(examples)), key=lambda at: len(examples[at].ids) + rng.random() * 6)
    found: list[list[int]] = [[]]
    for at in order:
        if found[-1] and (len(found[-1]) + 1) * len(examples[at].ids) > tokens:
            found.append([])
        found[-1].append(at)
    rng.shuffle(found)
    return found


def pad(examples: Sequence[Encoded]) -> Batch:
    """Return examples as one batch, padded to the longest."""
    longest = max(len(each.ids) for each in examples)
    ids = np.zeros((len(examples), longest), dtype=np.int64)
    mask, types = np.zeros_like(ids), np.zeros_like(ids)
    for row, each in enumerate(examples):
        ids[row, : len(each.ids)] = each.ids
        mask[row, : len(each.ids)] = 1
        types[row, each.second_from : len(each.ids)] = 1
    return Batch(
        input_ids=ids,
        attention_mask=mask,
        token_type_ids=types,
        answered=np.array([each.answered for each in examples], dtype=np.float32),
        begins=np.array([each.begin for each in examples], dtype=np.int64),
        ends=np.array([each.end for each in examples], dtype=np.int64),
    )


def in_length_order(examples: Sequence[Encoded], *, size: int) -> Iterator[list[int]]:
    """Yield batches of indexes for evaluation, the shortest examples first."""
    order = sorted(range(len(examples)), key=lambda at: len(examples[at].ids))
    for start in range(0, len(order), size):
        yield order[start : start + size]
