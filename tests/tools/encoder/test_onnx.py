"""The trained encoder on ONNX Runtime: windows, many callers, and weights that are not what they should be."""

import asyncio
import threading
from pathlib import Path

import numpy as np
import pytest

from contracts.errors import ConfigurationError
from tests.tools.encoder.made_weights import HEADS, TOKENIZER, write_weights
from tools.encoder import TextPair
from tools.encoder.onnx import OnnxPairEncoder

QUESTION = "Which voltage does the pump need?"
ANSWER = "The pump needs a voltage of twelve volts."
FILLER = " ".join(f"The hall number {at} is closed on the following Sunday afternoon." for at in range(40))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_weights(tmp_path_factory.mktemp("encoder") / "weights")


@pytest.fixture(scope="module")
def encoder(folder: Path) -> OnnxPairEncoder:
    return OnnxPairEncoder(folder, TOKENIZER, threads=1)


async def test_what_says_the_question_scores_higher(encoder: OnnxPairEncoder) -> None:
    scores = await encoder.score([TextPair(QUESTION, ANSWER), TextPair(QUESTION, "Cats sleep.")])
    assert scores.shape == (2, len(HEADS))
    assert (scores[0] > 0).all()
    assert (scores[1] < 0).all()


@pytest.mark.parametrize("text", [f"{FILLER} {ANSWER}", f"{ANSWER} {FILLER}", f"{FILLER} {ANSWER} {FILLER}"])
async def test_a_long_passage_loses_nothing_by_its_length(encoder: OnnxPairEncoder, text: str) -> None:
    found, beside = await encoder.score([TextPair(QUESTION, text), TextPair(QUESTION, FILLER)])
    (alone,) = await encoder.score([TextPair(QUESTION, ANSWER)])
    assert found == pytest.approx(alone, abs=1.0)
    assert (found > beside + 1.0).all()


async def test_a_pair_scores_the_same_whoever_is_beside_it(folder: Path, encoder: OnnxPairEncoder) -> None:
    pairs = [TextPair(QUESTION, text) for text in (ANSWER, FILLER, "", "x" * 3_000, "\x00\ud800", ANSWER * 3)]
    together = await OnnxPairEncoder(folder, TOKENIZER, threads=3).score(pairs)
    alone = [(await encoder.score([pair]))[0] for pair in pairs]
    np.testing.assert_array_equal(together, np.stack(alone))
    assert np.isfinite(together).all()


async def test_a_question_as_long_as_a_book_leaves_room_for_the_passage(encoder: OnnxPairEncoder) -> None:
    (row,) = await encoder.score([TextPair(f"{QUESTION} " * 200, ANSWER)])
    assert np.isfinite(row).all()


async def test_every_token_is_tagged_where_it_stands(encoder: OnnxPairEncoder) -> None:
    text = f"{QUESTION} {FILLER}"
    short, long, none = await encoder.tag([QUESTION, text, ""])
    assert len(short.logits) == len(short.spans) > 5
    assert [QUESTION[span.start : span.end] for span in short.spans][:2] == ["Which", "voltage"]
    assert len(long.logits) == len(long.spans) > 300
    np.testing.assert_array_equal(long.logits[: len(short.logits)], short.logits)
    assert none.logits.shape == (0, 3)


async def test_several_callers_at_once_get_their_own_scores(folder: Path) -> None:
    encoder = OnnxPairEncoder(folder, TOKENIZER, threads=2)
    texts = [f"{ANSWER} {number}" for number in range(12)]
    many = await asyncio.gather(*(encoder.score([TextPair(QUESTION, text)]) for text in texts))
    one = await encoder.score([TextPair(QUESTION, text) for text in texts])
    np.testing.assert_array_equal(np.concatenate(many), one)


async def test_nothing_is_computed_in_the_loop(encoder: OnnxPairEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    run = encoder._run

    def noting(texts):  # type: ignore[no-untyped-def]
        seen.append(threading.get_ident())
        return run(texts)

    monkeypatch.setattr(encoder, "_run", noting)
    await encoder.score([TextPair(QUESTION, ANSWER)])
    await encoder.tag([QUESTION])
    assert len(seen) == 2
    assert threading.get_ident() not in seen


async def _fails(folder: Path, tokenizer: Path = TOKENIZER) -> str:
    with pytest.raises(ConfigurationError) as caught:
        await OnnxPairEncoder(folder, tokenizer, threads=1).score([TextPair(QUESTION, ANSWER)])
    return str(caught.value)


async def test_missing_files_are_named(tmp_path: Path) -> None:
    assert "card.json" in await _fails(tmp_path)
    folder = write_weights(tmp_path / "a")
    (folder / "model.onnx").unlink()
    assert "model.onnx" in await _fails(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pair_heads": 3}', "\x00"])
async def test_a_damaged_card_is_refused_by_name(tmp_path: Path, content: str) -> None:
    folder = write_weights(tmp_path)
    (folder / "card.json").write_text(content)
    assert "card.json" in await _fails(folder)


async def test_a_card_without_our_heads_is_refused(tmp_path: Path) -> None:
    said = await _fails(write_weights(tmp_path, card={"pair_heads": ["relevance", "likeness"]}))
    assert "answerability, faithfulness" in said


async def test_a_card_of_other_heads_than_the_weights_is_refused(tmp_path: Path) -> None:
    assert "2 scores a pair" in await _fails(write_weights(tmp_path, heads=2))


async def test_weights_that_are_cut_short_are_refused(tmp_path: Path) -> None:
    folder = write_weights(tmp_path)
    whole = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(whole[: len(whole) // 2])
    assert "cannot be opened" in await _fails(folder)


async def test_weights_of_another_card_are_refused(tmp_path: Path) -> None:
    assert "not those of their card" in await _fails(write_weights(tmp_path, card={"sha256": "0" * 64}))


async def test_another_tokenizer_is_refused(tmp_path: Path) -> None:
    folder = write_weights(tmp_path)
    (folder / "tokenizer.json").write_text("{}")
    assert "tokenizer" in await _fails(folder)
