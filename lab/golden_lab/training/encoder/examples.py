"""Pairs and tagged texts that the encoder learns from, and the batches made of them."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from contracts.errors import ConfigurationError
from contracts.text import Span

Head = Literal["relevance", "answerability", "faithfulness"]
HEADS: tuple[Head, ...] = get_args(Head)
Use = Literal["train", "dev"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairExample:
    """A question or claim ``first`` with a passage ``second``. ``verdicts`` has a value for each judged head.

    ``source`` names the data set and the way the pair was made, ``group`` what must not be torn apart.
    """

    first: str
    second: str
    verdicts: tuple[tuple[Head, bool], ...]
    source: str
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TagExample:
    """A text and the spans of the terms of jargon in it."""

    text: str
    terms: tuple[Span, ...]
    source: str
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSource:
    """A file that was read: path below the data folder, SHA-256, licence, and which of its groups were used."""

    file: str
    sha256: str
    licence: str
    part: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderData:
    """All that one training sees: to learn from and, of other groups, to stop by."""

    train_pairs: tuple[PairExample, ...]
    dev_pairs: tuple[PairExample, ...]
    train_tags: tuple[TagExample, ...]
    dev_tags: tuple[TagExample, ...]
    sources: tuple[DataSource, ...] = ()


def count_verdicts(pairs: Sequence[PairExample]) -> dict[str, dict[str, dict[str, int]]]:
    """Count the verdicts of ``pairs`` by head, source, and "yes" or "no"."""
    counted = Counter(
        (head, each.source, "yes" if verdict else "no") for each in pairs for head, verdict in each.verdicts
    )
    found: dict[str, dict[str, dict[str, int]]] = {head: {} for head in HEADS}
    for (head, source, verdict), number in sorted(counted.items()):
        found[head].setdefault(source, {"yes": 0, "no": 0})[verdict] = number
    return found


Ints = NDArray[np.int64]
OUTSIDE, BEGINNING, INSIDE, IGNORED = 0, 1, 2, -100
# So many batches are drawn at once, sorted by length, and cut.
_BATCHES_A_DRAW = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """Tokens of a pair or of one text. ``verdicts`` is NaN where nothing is known; ``tags`` is a value a token."""

    ids: tuple[int, ...]
    second_from: int
    verdicts: tuple[float, ...] = (float("nan"),) * len(HEADS)
    tags: tuple[int, ...] = ()
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Inputs of shape (batch, tokens); ``verdicts`` (batch, heads); ``tags`` (batch, tokens), or None for pairs."""

    input_ids: Ints
    attention_mask: Ints
    token_type_ids: Ints
    verdicts: NDArray[np.float32]
    tags: Ints | None


class PairTokenizer:
    """Cuts texts into word pieces: [CLS] first [SEP] second [SEP], at most ``max_tokens``; the second text is cut."""

    def __init__(self, file: Path, *, max_tokens: int) -> None:
        from tokenizers import Tokenizer

        if not file.is_file():
            raise ConfigurationError(f"The tokenizer is not there: {file}.")
        self._tokenizer: Any = Tokenizer.from_file(str(file))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._begin, self._part = (self._tokenizer.token_to_id(each) for each in ("[CLS]", "[SEP]"))
        self._max_tokens = max_tokens

    def pairs(self, examples: Sequence[PairExample]) -> list[Encoded]:
        """Encode pairs; half of the room at least is left to the second text."""
        firsts, seconds = (
            [one.ids for one in self._tokenizer.encode_batch(texts, add_special_tokens=False)]
            for texts in ([each.first for each in examples], [each.second for each in examples])
        )
        found = []
        for example, first, second in zip(examples, firsts, seconds, strict=True):
            room = self._max_tokens - 3
            first = first[: room // 2]
            ids = [self._begin, *first, self._part, *second[: room - len(first)], self._part]
            known = dict(example.verdicts)
            verdicts = tuple(float(known[head]) if head in known else float("nan") for head in HEADS)
            found.append(Encoded(ids=tuple(ids), second_from=len(first) + 2, verdicts=verdicts, source=example.source))
        return found

    def tags(self, examples: Sequence[TagExample]) -> list[Encoded]:
        """Encode texts with a tag a token; special tokens are ignored."""
        found = []
        encodings = self._tokenizer.encode_batch([each.text for each in examples], add_special_tokens=False)
        for example, encoding in zip(examples, encodings, strict=True):
            room = self._max_tokens - 2
            ids = [self._begin, *encoding.ids[:room], self._part]
            marks = token_tags(encoding.offsets[:room], example.terms)
            tags = (IGNORED, *marks, IGNORED)
            found.append(Encoded(ids=tuple(ids), second_from=len(ids), tags=tags, source=example.source))
        return found


def token_tags(offsets: Sequence[tuple[int, int]], terms: Sequence[Span]) -> list[int]:
    """Return outside, beginning or inside for each token, by the terms' spans in the text."""
    marks = [OUTSIDE] * len(offsets)
    for term in terms:
        touched = [at for at, (start, end) in enumerate(offsets) if start < term.end and end > term.start]
        for number, at in enumerate(touched):
            marks[at] = INSIDE if number else BEGINNING
    return marks


def collate(rows: Sequence[Encoded]) -> Batch:
    """Pad ``rows`` to the longest of them."""
    longest = max(len(each.ids) for each in rows)
    ids, mask, types = (np.zeros((len(rows), longest), dtype=np.int64) for _ in range(3))
    tags = np.full((len(rows), longest), IGNORED, dtype=np.int64)
    for at, each in enumerate(rows):
        ids[at, : len(each.ids)] = each.ids
        mask[at, : len(each.ids)] = 1
        types[at, each.second_from : len(each.ids)] = 1
        tags[at, : len(each.tags)] = each.tags
    return Batch(
        input_ids=ids,
        attention_mask=mask,
        token_type_ids=types,
        verdicts=np.array([each.verdicts for each in rows], dtype=np.float32),
        tags=tags if rows[0].tags else None,
    )


class BatchStream:
    """An endless order of batches, the same for the same ``seed``: batch ``n`` can be asked for at once.

    A source is drawn from by its size to the power ``temperature``: 1 as they come, 0 all alike. Each source is gone
    through whole before a row of it comes again.
    """

    def __init__(self, rows: Sequence[Encoded], *, batch_size: int, temperature: float, seed: int) -> None:
        self._by_source: dict[str, list[Encoded]] = {}
        for row in rows:
            self._by_source.setdefault(row.source, []).append(row)
        self._weights = [len(each) ** temperature for each in self._by_source.values()]
        self._batch_size, self._seed = batch_size, seed

    def batches(self, start: int = 0) -> Iterator[Batch]:
        """Yield the batches from number ``start`` on."""
        rng = random.Random(self._seed)
        queues = {name: _Queue(rows, rng) for name, rows in self._by_source.items()}
        number = 0
        while True:
            cut = self._draw(queues, rng)
            for rows in cut:
                if number >= start:
                    yield collate(rows)
                number += 1

    def _draw(self, queues: dict[str, "_Queue"], rng: random.Random) -> list[list[Encoded]]:
        wanted = self._batch_size * _BATCHES_A_DRAW
        names = rng.choices(list(queues), weights=self._weights, k=wanted)
        drawn = [queues[name].next() for name in names]
        # Pairs and tagged texts never share a batch: their losses differ.
        cut: list[list[Encoded]] = []
        for tagged in (False, True):
            rows = sorted((each for each in drawn if bool(each.tags) == tagged), key=lambda each: len(each.ids))
            cut += [rows[at : at + self._batch_size] for at in range(0, len(rows), self._batch_size)]
        rng.shuffle(cut)
        return cut


class _Queue:
    def __init__(self, rows: Sequence[Encoded], rng: random.Random) -> None:
        self._rows, self._rng = rows, rng
        self._order: list[int] = []

    def next(self) -> Encoded:
        if not self._order:
            self._order = list(range(len(self._rows)))
            self._rng.shuffle(self._order)
        return self._rows[self._order.pop()]
