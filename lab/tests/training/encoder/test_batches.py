"""Examples as batches, and figures of what was said of them."""

import math

import numpy as np
import pytest

from contracts.text import Span
from golden_lab.training.encoder.examples import (
    BatchStream,
    Encoded,
    collate,
    token_tags,
)
from golden_lab.training.encoder.figures import chosen_figure, head_figures, term_f1


def row(length: int, source: str = "a/b", verdict: float = 1.0, tags: tuple[int, ...] = ()) -> Encoded:
    verdicts = (verdict, math.nan, math.nan)
    return Encoded(ids=(2, *[9] * (length - 2), 3), second_from=2, verdicts=verdicts, tags=tags, source=source)


def test_a_batch_is_padded_and_marks_the_second_text():
    batch = collate([row(3), row(5)])
    assert batch.input_ids.tolist() == [[2, 9, 3, 0, 0], [2, 9, 9, 9, 3]]
    assert batch.attention_mask.tolist() == [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]
    assert batch.token_type_ids.tolist() == [[0, 0, 1, 0, 0], [0, 0, 1, 1, 1]]
    assert batch.tags is None


def test_tags_begin_at_a_terms_first_piece_and_go_on_to_its_last():
    pieces = [(0, 4), (5, 7), (7, 9), (10, 14)]
    assert token_tags(pieces, [Span(5, 9)]) == [0, 1, 2, 0]
    assert token_tags(pieces, []) == [0, 0, 0, 0]


def test_a_stream_is_the_same_by_its_seed_and_can_be_entered_anywhere():
    stream = BatchStream([row(3 + at % 7) for at in range(50)], batch_size=4, temperature=0.5, seed=1)
    first = [batch.input_ids for batch, _ in zip(stream.batches(), range(60), strict=False)]
    later = next(stream.batches(45)).input_ids
    assert np.array_equal(first[45], later)


def test_small_sources_are_drawn_more_often_than_their_share_and_tagged_texts_stay_apart():
    rows = [row(5, "big/x") for _ in range(900)] + [row(5, "small/x", 0.0) for _ in range(90)]
    rows += [row(4, "tags/x", math.nan, tags=(-100, 0, 1, -100)) for _ in range(10)]
    drawn = [
        batch
        for batch, _ in zip(
            BatchStream(rows, batch_size=8, temperature=0.5, seed=2).batches(), range(240), strict=False
        )
    ]
    said = np.concatenate([batch.verdicts[:, 0] for batch in drawn if batch.tags is None])
    assert 0.18 < (said == 0.0).mean() < 0.30
    assert any(batch.tags is not None for batch in drawn)


def test_heads_are_measured_on_what_was_judged_and_chosen_by_the_mean_of_their_sets():
    rows = [row(4, "mtrag/judged", float(at % 2)) for at in range(40)]
    logits = np.array([[1.0 if at % 2 else -1.0, 0.0, 0.0] for at in range(40)], dtype=np.float32)
    figures = head_figures(logits, rows)
    assert figures["relevance"] == {"n": 40, "auroc": 1.0, "auroc_by_set": {"mtrag": 1.0}}
    assert figures["answerability"]["n"] == 0
    assert chosen_figure(figures) == 1.0


def test_terms_count_where_both_their_ends_are_right():
    rows = [row(6, tags=(-100, 1, 2, 0, 1, -100))]

    def forward(batch):
        marks = np.zeros((1, 6, 3), dtype=np.float32)
        for at, mark in enumerate((0, 1, 2, 0, 0, 0)):
            marks[0, at, mark] = 1.0
        return np.zeros((1, 3), dtype=np.float32), marks

    assert term_f1(forward, rows) == pytest.approx(2 / 3, abs=1e-4)
