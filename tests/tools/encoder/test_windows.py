"""Windows hold every sentence, in order, and none above the limit but a single one."""

from hypothesis import given
from hypothesis import strategies as st

from tools.encoder.onnx import cut_windows


@given(st.lists(st.integers(1, 60), max_size=40), st.integers(10, 50))
def test_every_sentence_is_in_a_window_and_no_window_is_too_long(lengths: list[int], limit: int) -> None:
    windows = cut_windows(lengths, limit)
    assert {at for start, end in windows for at in range(start, end)} == set(range(len(lengths)))
    assert all(start < end for start, end in windows)
    assert all(sum(lengths[start:end]) <= limit for start, end in windows if end - start > 1)
    assert list(windows) == sorted(windows, key=lambda window: window[1])


def test_the_last_window_reaches_back() -> None:
    assert cut_windows([4, 4, 4, 4, 4], 12) == ((0, 3), (2, 5))
    assert cut_windows([3, 3], 12) == ((0, 2),)
    assert cut_windows([], 12) == ()
