"""The places of tokens, by a tokenizer's file."""

from golden_lab.training.data.conditions import token_spans
from tools.embedding.weights import find_default_model


def test_tokens_cover_a_text_that_is_longer_than_its_encoder_looks() -> None:
    spans_of = token_spans(find_default_model())
    text = " ".join(f"Pump number {at} runs." for at in range(400))
    spans = spans_of(text)
    assert len(spans) > 1_600
    assert "".join(text[span.start : span.end] for span in spans) == text.replace(" ", "")
    assert spans_of("") == []
