"""The cross-encoder on ONNX Runtime."""

import asyncio
import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from contracts.errors import ConfigurationError
from contracts.text import Span
from tools.cores import usable_cores
from tools.cross_encoder.base import AnswerScore, PlacedText
from tools.telemetry import refuse_telemetry
from tools.tokenizer_files import open_tokenizer, special_token

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

WEIGHTS_FILE = "model.onnx"
CARD_FILE = "card.json"
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_OUTPUTS = ("answer_logit", "span_logits")
# An answer span is at most this many tokens long.
_LONGEST_SPAN = 40
# Different judgements of a question score the same pairs. A kept score takes about 200 bytes.
_KEPT_SCORES = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsCard:
    """``revision`` is the first 12 hex digits of the weights' SHA-256; ``max_tokens`` includes special tokens."""

    name: str
    revision: str
    max_tokens: int


def read_card(folder: Path) -> WeightsCard:
    """Read the card in ``folder``, and check that the weights next to it have the digest on the card.

    Raises:
        ConfigurationError: the card or the weights are missing or damaged, or do not belong together.
    """
    path, weights = folder / CARD_FILE, folder / WEIGHTS_FILE
    try:
        content: dict[str, Any] = json.loads(path.read_text("utf-8"))
        name, expected, max_tokens = str(content["name"]), str(content["sha256"]), int(content["max_tokens"])
        with weights.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ConfigurationError(f"The cross-encoder lacks {error.filename}: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"The card {path} of the cross-encoder cannot be read ({error!r}): install the weights again."
        ) from error
    if digest != expected:
        raise ConfigurationError(
            f"The weights {weights} do not match their card (SHA-256 {digest[:12]}, not {expected[:12]}): they are "
            "damaged or from another training run. Install them again."
        )
    return WeightsCard(name=name, revision=digest[:12], max_tokens=max_tokens)


class OnnxAnswerScorer:
    """Runs weights exported by ``golden-lab train cross-encoder``. Thread-safe; the weights are loaded on first use.

    ``folder`` contains ``model.onnx`` and ``card.json``; ``tokenizer`` is the tokenizer's file. The texts of a call are
    distributed over ``threads`` threads (by default one per core), and each text is scored separately: a batch would
    need padding, and 8-bit rounding depends on the largest value in the batch.
    """

    def __init__(self, folder: Path, tokenizer: Path, *, threads: int | None = None) -> None:
        self._folder = folder
        self._tokenizer_file = tokenizer
        self._threads = threads or usable_cores()
        self._opening = threading.Lock()
        self._opened: tuple[InferenceSession, Tokenizer] | None = None
        self._keeping = threading.Lock()
        self._kept: OrderedDict[tuple[str, PlacedText], AnswerScore] = OrderedDict()

    @cached_property
    def _card(self) -> WeightsCard:
        return read_card(self._folder)

    @property
    def name(self) -> str:
        return f"{self._card.name}@{self._card.revision}"

    async def score(self, question: str, texts: Sequence[PlacedText]) -> tuple[AnswerScore, ...]:
        with self._keeping:
            known = {text: self._kept[question, text] for text in texts if (question, text) in self._kept}
        fresh = sorted({text for text in texts if text not in known}, key=lambda text: len(text.text))
        shares = max(1, min(self._threads, len(fresh)))
        parts = [fresh[share::shares] for share in range(shares)]
        scored = await asyncio.gather(*(asyncio.to_thread(self._score, question, part) for part in parts))
        for part, scores in zip(parts, scored, strict=True):
            known |= dict(zip(part, scores, strict=True))
        with self._keeping:
            for text in texts:
                self._kept[question, text] = known[text]
                self._kept.move_to_end((question, text))
            while len(self._kept) > _KEPT_SCORES:
                self._kept.popitem(last=False)
        return tuple(known[text] for text in texts)

    def _score(self, question: str, texts: Sequence[PlacedText]) -> list[AnswerScore]:
        _, tokenizer = self._open()
        asked = tokenizer.encode(_sound(question), add_special_tokens=False).ids[: self._card.max_tokens // 3]
        return [self._one(asked, text) for text in texts]

    def _one(self, asked: list[int], text: PlacedText) -> AnswerScore:
        session, tokenizer = self._open()
        place = f"{text.place}\n" if text.place else ""
        encoding = tokenizer.encode(_sound(place + text.text), add_special_tokens=False)
        begin, part = (special_token(tokenizer, token, self._tokenizer_file) for token in ("[CLS]", "[SEP]"))
        text_ids = encoding.ids[: self._card.max_tokens - len(asked) - 3]
        ids = [begin, *asked, part, *text_ids, part]
        first = len(asked) + 2
        inputs = {
            "input_ids": np.array([ids], dtype=np.int64),
            "attention_mask": np.ones((1, len(ids)), dtype=np.int64),
            "token_type_ids": np.array([[0] * first + [1] * (len(text_ids) + 1)], dtype=np.int64),
        }
        logit, spans = session.run(list(_OUTPUTS), inputs)
        offsets = [(start - len(place), end - len(place)) for start, end in encoding.offsets[: len(text_ids)]]
        inside = [at for at, (start, _) in enumerate(offsets) if start >= 0]
        if not inside:
            return AnswerScore(float(logit[0]), Span(0, len(text.text)), 0.0)
        low, high, sure = _best_span(spans[0, first : first + len(text_ids)][inside])
        return AnswerScore(float(logit[0]), Span(offsets[inside[low]][0], offsets[inside[high]][1]), sure)

    def _open(self) -> "tuple[InferenceSession, Tokenizer]":
        with self._opening:
            if self._opened is None:
                self._opened = self._open_session(), open_tokenizer(self._tokenizer_file)
            return self._opened

    def _open_session(self) -> "InferenceSession":
        refuse_telemetry()
        import onnxruntime

        weights = self._folder / WEIGHTS_FILE
        self._card  # noqa: B018 - damaged weights are refused before they are opened
        options: Any = onnxruntime.SessionOptions()
        # Each text is computed in the calling thread; the docstring of the class explains why.
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
        if given != set(_INPUTS) or not set(_OUTPUTS) <= made:
            raise ConfigurationError(
                f"The weights {weights} are not a cross-encoder: the inputs are {', '.join(sorted(given))} and the "
                f"outputs {', '.join(sorted(made))}."
            )
        return session


def _best_span(logits: NDArray[np.float32]) -> tuple[int, int, float]:
    """Return the first and last token of the most likely span, and the sum of their ``logits`` (tokens, 2)."""
    begins, ends = logits[:, 0], logits[:, 1]
    best = (0, 0, -np.inf)
    for at in np.argsort(-begins)[:5].tolist():
        last = at + int(np.argmax(ends[at : at + _LONGEST_SPAN]))
        total = float(begins[at] + ends[last])
        if total > best[2]:
            best = (at, last, total)
    return best


def _sound(text: str) -> str:
    """Return ``text`` with lone surrogates, which no tokenizer accepts, replaced by question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
