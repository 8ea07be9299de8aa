"""The cross-encoder on ONNX Runtime: the weights that come along, and weights that are not what they should be."""

import asyncio
import hashlib
import json
import shutil
from pathlib import Path

import pytest
from onnx import TensorProto, helper, save_model

from contracts.errors import ConfigurationError
from golden_retriever.wiring.engines import build_cross_encoder
from tools.cross_encoder.base import PlacedText
from tools.cross_encoder.onnx import OnnxAnswerScorer
from tools.embedding.weights import find_default_model

SHIPPED = Path(__file__).parents[3] / "tools" / "cross_encoder" / "weights"
TOKENIZER = find_default_model() / "tokenizer.json"
QUESTION = "Which voltage does the pump need?"
ANSWER = PlacedText("The hall is closed. The pump needs a voltage of twelve volts.", "Handbook > Pumps")
CATS = PlacedText("Cats sleep.")


@pytest.fixture(scope="module")
def scorer() -> OnnxAnswerScorer:
    return OnnxAnswerScorer(SHIPPED, TOKENIZER, threads=1)


async def test_shipped_weights_distinguish_an_answer_from_other_text(scorer: OnnxAnswerScorer) -> None:
    answer, other = await scorer.score(QUESTION, [ANSWER, CATS])
    assert answer.logit > other.logit
    assert scorer.name.startswith("cross-encoder@")
    assert build_cross_encoder().name == scorer.name


async def test_answer_span_is_within_its_text(scorer: OnnxAnswerScorer) -> None:
    texts = [ANSWER, CATS, PlacedText("x" * 3_000), PlacedText("\x00\ud800"), PlacedText("船" * 400, "船" * 200)]
    for text, score in zip(texts, await scorer.score(QUESTION, texts), strict=True):
        assert 0 <= score.span.start < score.span.end <= len(text.text)
    empty, nothing_asked = await scorer.score("", [PlacedText("", "Pumps"), ANSWER])
    assert (empty.span.start, empty.span.end) == (0, 0)
    assert nothing_asked.logit == pytest.approx(nothing_asked.logit)
    assert await scorer.score(QUESTION, []) == ()
    # Even a question as long as a book leaves room for the text.
    (score,) = await scorer.score(f"{QUESTION} " * 200, [ANSWER])
    assert score.span.end > score.span.start


async def test_score_of_a_text_does_not_depend_on_other_texts(scorer: OnnxAnswerScorer) -> None:
    texts = [ANSWER, CATS, PlacedText("x" * 3_000), *(PlacedText(f"{ANSWER.text} {number}") for number in range(6))]
    alone = [(await OnnxAnswerScorer(SHIPPED, TOKENIZER, threads=1).score(QUESTION, [text]))[0] for text in texts[:2]]
    alone += [(await scorer.score(QUESTION, [text]))[0] for text in texts[2:]]
    beside = OnnxAnswerScorer(SHIPPED, TOKENIZER, threads=3)
    together = await asyncio.gather(*(beside.score(QUESTION, part) for part in (texts, texts[::-1], [*texts, *texts])))
    assert together[0] == tuple(alone)
    assert together[1] == tuple(alone[::-1])
    assert together[2] == (*alone, *alone)


async def _refusal(folder: Path) -> str:
    with pytest.raises(ConfigurationError) as caught:
        await OnnxAnswerScorer(folder, TOKENIZER, threads=1).score(QUESTION, [CATS])
    return str(caught.value)


def _write(folder: Path, weights: bytes, **card: object) -> Path:
    (folder / "model.onnx").write_bytes(weights)
    fields = {"name": "made", "max_tokens": 64, "sha256": hashlib.sha256(weights).hexdigest(), **card}
    (folder / "card.json").write_text(json.dumps(fields), "utf-8")
    return folder


async def test_missing_truncated_and_invalid_files_are_refused(tmp_path: Path) -> None:
    assert "card.json" in await _refusal(tmp_path)
    with pytest.raises(ConfigurationError, match=r"lacks .*card\.json"):
        assert build_cross_encoder(tmp_path).name
    shutil.copy(SHIPPED / "card.json", tmp_path)
    assert "model.onnx" in await _refusal(tmp_path)
    (tmp_path / "model.onnx").write_bytes((SHIPPED / "model.onnx").read_bytes()[:1_000_000])
    assert "do not match their card" in await _refusal(tmp_path)
    assert "cannot be opened" in await _refusal(_write(tmp_path, b"no model"))
    for content in ["", "[]", '{"name": "x"}', '{"name": 1, "sha256": "", "max_tokens": "many"}']:
        (tmp_path / "card.json").write_text(content, "utf-8")
        assert "card.json of the cross-encoder cannot be read" in await _refusal(tmp_path), content


async def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "other", outputs[:1], outputs[1:])
    save_model(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(tmp_path / "other")
    )
    folder = _write(tmp_path, (tmp_path / "other").read_bytes())
    assert "not a cross-encoder: the inputs are x and the outputs y" in await _refusal(folder)
