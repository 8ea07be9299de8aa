"""The trained encoder on ONNX Runtime."""

import asyncio
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from contracts.errors import ConfigurationError
from contracts.text import Span
from tools.cores import usable_cores
from tools.encoder.base import Logits, TextPair, TokenTags
from tools.encoder.card import WEIGHTS_FILE, EncoderCard, read_card
from tools.language import split_sentences
from tools.telemetry import refuse_telemetry
from tools.tokenizer_files import open_tokenizer, special_token

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_TAGS = 3


class OnnxPairEncoder:
    """Runs weights of the form that ``golden-lab train encoder`` exports; thread-safe; opened at the first text.

    ``folder`` holds ``model.onnx``, ``card.json`` and, where it is not the default model's, ``tokenizer.json``;
    ``tokenizer`` is the file to read else. The pairs of a call are shared among ``threads`` threads (as many as there
    are cores by default), and each pair is computed by itself on one of them: a batch would be padded, 8-bit weights
    round what they are given by the greatest value in the batch, and one pair fills a core as well as four do.
    """

    def __init__(self, folder: Path, tokenizer: Path, *, threads: int | None = None) -> None:
        own = folder / "tokenizer.json"
        self._folder = folder
        self._tokenizer_file = own if own.is_file() else tokenizer
        self._threads = threads or usable_cores()
        self._opening = threading.Lock()
        self._opened: tuple[InferenceSession, Tokenizer] | None = None

    @cached_property
    def _card(self) -> EncoderCard:
        return read_card(self._folder)

    @property
    def name(self) -> str:
        """The weights' name and the digest of their file: ``encoder@0123456789ab``.

        Raises:
            ConfigurationError: the card or the weights are missing or damaged.
        """
        return f"{self._card.name}@{self._card.revision}"

    @property
    def heads(self) -> tuple[str, ...]:
        """The columns of ``score``, as the card names them. Raises as ``name`` does."""
        return self._card.pair_heads

    async def score(self, pairs: Sequence[TextPair]) -> Logits:
        """Return a logit for each pair and head, shape ``(pairs, heads)``; above 0 is yes.

        Raises:
            ConfigurationError: the weights are missing or damaged.
        """
        if not pairs:
            return np.zeros((0, len(self.heads)), dtype=np.float32)
        shares = min(self._threads, len(pairs))
        parts = [pairs[share::shares] for share in range(shares)]
        scored = await asyncio.gather(*(asyncio.to_thread(self._score, part) for part in parts))
        found = np.zeros((len(pairs), len(self.heads)), dtype=np.float32)
        for share, rows in enumerate(scored):
            found[share::shares] = rows
        return found

    async def tag(self, texts: Sequence[str]) -> tuple[TokenTags, ...]:
        """Say of each token of each text whether a term begins or goes on there. Raises as ``score`` does."""
        return await asyncio.to_thread(lambda: tuple(self._tags(text) for text in texts))

    def _score(self, pairs: Sequence[TextPair]) -> list[Logits]:
        return [self._best(pair) for pair in pairs]

    def _best(self, pair: TextPair) -> Logits:
        _, tokenizer = self._open()
        room = self._card.max_tokens - 3
        # Half of the room at least is left to the second text, however long the first one is.
        first = tokenizer.encode(_sound(pair.first), add_special_tokens=False).ids[: room // 2]
        windows = self._windows(_sound(pair.second), room - len(first))
        rows = [self._run([first, second])[0][0] for second in windows]
        return np.asarray(np.max(rows, axis=0), dtype=np.float32)

    def _windows(self, text: str, limit: int) -> list[list[int]]:
        """Return the tokens of each window of ``text``; a sentence above the limit comes in parts."""
        _, tokenizer = self._open()
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        if len(ids) <= limit:
            return [ids]
        sentences = [text[span.start : span.end] for span in split_sentences(text)]
        encoded = [each.ids for each in tokenizer.encode_batch(sentences, add_special_tokens=False)]
        pieces = [ids[start : start + limit] for ids in encoded for start in range(0, len(ids), limit)]
        windows = cut_windows([len(piece) for piece in pieces], limit)
        return [[one for piece in pieces[start:end] for one in piece] for start, end in windows]

    def _tags(self, text: str) -> TokenTags:
        _, tokenizer = self._open()
        encoding = tokenizer.encode(_sound(text), add_special_tokens=False)
        limit = self._card.max_tokens - 2
        rows = [
            self._run([encoding.ids[start : start + limit]])[1][0, 1:-1] for start in range(0, len(encoding.ids), limit)
        ]
        logits = np.concatenate(rows) if rows else np.zeros((0, _TAGS), dtype=np.float32)
        return TokenTags(logits=logits, spans=tuple(Span(*offsets) for offsets in encoding.offsets))

    def _run(self, texts: Sequence[Sequence[int]]) -> tuple[Logits, Logits]:
        """Return pair logits of shape ``(1, heads)`` and tag logits of shape ``(1, tokens, 3)``."""
        session, tokenizer = self._open()
        begin, part = (special_token(tokenizer, token, self._tokenizer_file) for token in ("[CLS]", "[SEP]"))
        ids, types = [begin], [0]
        for number, text in enumerate(texts):
            ids += [*text, part]
            types += [number] * (len(text) + 1)
        inputs = {
            "input_ids": np.array([ids], dtype=np.int64),
            "attention_mask": np.ones((1, len(ids)), dtype=np.int64),
            "token_type_ids": np.array([types], dtype=np.int64),
        }
        pair, tags = session.run(["pair_logits", "tag_logits"], inputs)
        if pair.shape != (1, len(self.heads)) or tags.shape != (1, len(ids), _TAGS):
            raise ConfigurationError(
                f"The weights in {self._folder} give {pair.shape[-1]} scores a pair and {tags.shape[-1]} a token, "
                f"their card speaks of {len(self.heads)} and {_TAGS}: install weights and card together."
            )
        return pair, tags

    def _open(self) -> "tuple[InferenceSession, Tokenizer]":
        with self._opening:
            if self._opened is None:
                self._opened = self._open_session(), open_tokenizer(self._tokenizer_file)
            return self._opened

    def _open_session(self) -> "InferenceSession":
        refuse_telemetry()
        import onnxruntime

        weights = self._folder / WEIGHTS_FILE
        self._card  # noqa: B018 - a damaged file is told of before it is opened
        options: Any = onnxruntime.SessionOptions()
        # Each pair is computed in the thread that asks for it; see the class.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise ConfigurationError(
                f"The weights {weights} cannot be opened ({str(error)[:120]}): install them again."
            ) from error
        given = {each.name for each in session.get_inputs()}
        made = {each.name for each in session.get_outputs()}
        if given != set(_INPUTS) or not {"pair_logits", "tag_logits"} <= made:
            raise ConfigurationError(
                f"The weights {weights} are no trained encoder: they take {', '.join(sorted(given))} and give "
                f"{', '.join(sorted(made))}."
            )
        return session


def _sound(text: str) -> str:
    """Return ``text`` with a question mark for each half of a character, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def cut_windows(lengths: Sequence[int], limit: int) -> tuple[tuple[int, int], ...]:
    """Return windows over sentences of so many tokens, each [first, past the last), of at most ``limit`` tokens.

    Windows follow one another; the last one reaches back as far as it can, since what stands before a sentence often
    says what it is about. A sentence above the limit is a window by itself.
    """
    windows: list[tuple[int, int]] = []
    start = taken = 0
    for at, length in enumerate(lengths):
        if at > start and taken + length > limit:
            windows.append((start, at))
            start, taken = at, 0
        taken += length
    if not windows:
        return ((0, len(lengths)),) if lengths else ()
    while start > 0 and taken + lengths[start - 1] <= limit:
        start -= 1
        taken += lengths[start]
    return (*windows, (start, len(lengths)))
