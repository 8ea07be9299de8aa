"""Every implementation of PairEncoder keeps the contract."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.tools.encoder.constant import ConstantPairEncoder
from tests.tools.encoder.made_weights import TOKENIZER, write_weights
from tools.encoder import PairEncoder, TextPair
from tools.encoder.card import HEADS
from tools.encoder.onnx import OnnxPairEncoder

PAIRS = [
    TextPair("Which voltage does the pump need?", "The pump needs a voltage of twelve volts."),
    TextPair("Which voltage does the pump need?", ""),
    TextPair("", "Cats sleep."),
    TextPair("\x00\ud800", "船" * 400),
]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_weights(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(
    params=[
        lambda weights: ConstantPairEncoder(1.0),
        lambda weights: OnnxPairEncoder(weights, TOKENIZER, threads=1),
    ],
    ids=["constant", "onnx"],
)
def encoder(request: pytest.FixtureRequest, weights: Path) -> PairEncoder:
    make: Callable[[Path], PairEncoder] = request.param
    return make(weights)


async def test_a_row_a_pair_and_a_column_a_head(encoder: PairEncoder) -> None:
    assert set(HEADS) <= set(encoder.heads)
    assert encoder.name
    scores = await encoder.score(PAIRS)
    assert scores.shape == (len(PAIRS), len(encoder.heads))
    assert scores.dtype == np.float32
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(await encoder.score(PAIRS[::-1]), scores[::-1])
    assert (await encoder.score([])).shape == (0, len(encoder.heads))


async def test_tags_stand_in_their_text(encoder: PairEncoder) -> None:
    texts = ["Which VCCQ does it need?", ""]
    found = await encoder.tag(texts)
    assert len(found) == len(texts)
    for text, tags in zip(texts, found, strict=True):
        assert tags.logits.shape == (len(tags.spans), 3)
        assert all(0 <= span.start < span.end <= len(text) for span in tags.spans)
    assert await encoder.tag([]) == ()
