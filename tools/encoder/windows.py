"""Windows: a text that is too long for the encoder, in parts of whole sentences."""

from collections.abc import Sequence


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
