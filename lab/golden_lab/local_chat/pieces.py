"""A reply as it is written: pieces of text, from tokens that may be less than a letter."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tools.chat.base import ReplyToken

# What a decoder writes for bytes that are no letter yet.
_UNFINISHED = "\ufffd"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPiece:
    """Text of a reply that will not change, and the tokens that were written since the piece before.

    The last piece of a reply has a ``finish_reason`` ("stop" or "length"), and counts the tokens of prompt and reply,
    the mark that ends it included. ``tokens`` are there where log-probabilities were asked for, that mark left out.
    """

    text: str
    tokens: tuple[ReplyToken, ...] = ()
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0


class GrowingText:
    """The text of tokens that come one by one, up to the first of ``stops``.

    Held back is what may change yet: a letter whose bytes are not all there, and what may be the beginning of a stop.
    ``decode`` turns token ids into text.
    """

    def __init__(self, decode: Callable[[Sequence[int]], str], stops: Iterable[str] = ()) -> None:
        self._decode = decode
        self._stops = tuple(stop for stop in stops if stop)
        self._ids: list[int] = []
        # Decoded with the tokens from ``_context`` on, a token has the space that it has in the whole.
        self._context = 0
        self._read = 0
        self._held = ""
        self.stopped = False

    def add(self, token: int) -> str:
        """Take the next token, and return the text that is final with it, "" where there is none."""
        self._ids.append(token)
        return self._grow(final=False)

    def finish(self) -> str:
        """Return what was held back: nothing follows."""
        return self._grow(final=True)

    def _grow(self, *, final: bool) -> str:
        if self.stopped:
            return ""
        before = self._decode(self._ids[self._context : self._read])
        now = self._decode(self._ids[self._context :])
        if final or not now.endswith(_UNFINISHED):
            self._held += now[len(before) :]
            self._context, self._read = self._read, len(self._ids)
        places = [place for stop in self._stops if (place := self._held.find(stop)) >= 0]
        if places:
            self.stopped = True
            found, self._held = self._held[: min(places)], ""
            return found
        keep = 0 if final else self._begun()
        found, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return found

    def _begun(self) -> int:
        """Return how many of the last characters may be the beginning of a stop."""
        return max(
            (
                length
                for stop in self._stops
                for length in range(1, min(len(stop) - 1, len(self._held)) + 1)
                if self._held.endswith(stop[:length])
            ),
            default=0,
        )
