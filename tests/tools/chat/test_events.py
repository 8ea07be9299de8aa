"""Server-sent events, however the bytes of a stream are cut."""

import pytest

from tools.chat.events import EventReader

STREAM = (
    b': hello\r\n\r\ndata: {"a": 1}\n\nevent: x\ndata:{"b":\ndata: "\xc3\xa9"}\r\n\r\nid: 3\rdata: [DONE]\r\rdata: cut'
)
EVENTS = [b'{"a": 1}', b'{"b":\n"\xc3\xa9"}', b"[DONE]"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1_000])
def test_events_are_the_same_whatever_pieces_the_stream_comes_in(size: int) -> None:
    reader = EventReader()
    pieces = [STREAM[start : start + size] for start in range(0, len(STREAM), size)]
    assert [event for piece in pieces for event in reader.feed(piece)] == EVENTS


def test_an_event_that_has_not_ended_is_none() -> None:
    reader = EventReader()
    assert reader.feed(b"data: 1\n") == []
    assert reader.feed(b"\n") == [b"1"]
