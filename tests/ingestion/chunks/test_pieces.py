"""Pieces: the places and the confidences of words go with the words."""

import pytest

from contracts.text import Block, PageBox, Span, TextBox, reading_confidence
from ingestion.chunks.pieces import cut, join, piece_of

BOX = PageBox(page=1, x0=1, top=2, x1=3, bottom=4)
SCANNED = Block(
    kind="paragraph",
    text="Grease the bearings twice a year.",
    boxes=(
        TextBox(span=Span(0, 19), box=BOX, confidences=(0.9, 0.8, 0.4)),
        TextBox(span=Span(20, 33), box=BOX, confidences=(0.7, 1.0, 0.6)),
    ),
)


def test_cut_and_joined_pieces_keep_the_confidences_of_their_words() -> None:
    piece = cut(piece_of(SCANNED), 7, 25)
    assert piece.text == "the bearings twice"
    assert [(box.span, box.confidences) for box in piece.boxes] == [
        (Span(0, 12), (0.8, 0.4)),
        (Span(13, 18), (0.7,)),
    ]
    assert reading_confidence(piece.boxes) == pytest.approx(1.9 / 3)
    piece = piece_of(SCANNED)
    whole = join([piece, piece], ["", "\n"])
    assert [box.confidences for box in whole.boxes] == [box.confidences for box in SCANNED.boxes] * 2
    # Text that was not read from a picture has none.
    assert reading_confidence([TextBox(span=Span(0, 3), box=BOX)]) is None
    assert reading_confidence([]) is None
