"""Limits the length and the repetition of a reply, whatever the server does."""

import re
from collections import deque

from contracts.errors import MalformedReply

# The average is four or five.
_CHARACTERS_A_TOKEN = 10
_LONGEST_PHRASE = 60
_COPIES = 3
# Short repetitions are allowed, because a table may contain "no" in several columns.
_LEAST_REPEATED = 12
_WORD = re.compile(r"\n|\w{1,60}")


class TruncatedReply(MalformedReply):
    """The reply was cut off at its token limit; if asked again, the model would write the same text again."""


class RepeatingReply(MalformedReply):
    """The model repeated itself, and its reply was cut off."""


class ReplyLimits:
    """Checks a reply of at most ``max_tokens`` tokens. The cost of a piece does not depend on the length of the reply.

    Only the length of a complete reply is checked.
    """

    def __init__(self, max_tokens: int) -> None:
        self._left = _CHARACTERS_A_TOKEN * max_tokens
        self._rest = ""
        self._begins_line = True
        # The last words, newest first; and for each distance, how many consecutive words equal the word that far back.
        self._words: deque[str] = deque(maxlen=_LONGEST_PHRASE)
        self._runs = [0] * _LONGEST_PHRASE

    def take(self, piece: str) -> None:
        """Take the next piece.

        Raises:
            TruncatedReply: the reply is longer than its token limit allows.
            RepeatingReply: the reply ends with three copies of a phrase that repeat at least 12 words.
        """
        self.take_whole(piece)
        text = self._rest + piece
        found = list(_WORD.finditer(text))
        # The next piece may continue the last word.
        self._rest = text[found.pop().start() :] if found and found[-1].end() == len(text) else ""
        for match in found:
            self._take_word(match.group())

    def take_whole(self, text: str) -> None:
        """Take a complete reply. Raises ``TruncatedReply`` if it is longer than its token limit allows."""
        self._left -= len(text)
        if self._left < 0:
            raise TruncatedReply("The chat server wrote more than was requested.")

    def _take_word(self, word: str) -> None:
        counts = self._begins_line and word.isdigit()
        self._begins_line = word == "\n"
        if counts or word == "\n":
            # Ignore list numbers, which increase even if the items are repeated.
            return
        self._runs = [run + 1 if word == other else 0 for run, other in zip(self._runs, self._words, strict=False)]
        self._runs += [0] * (_LONGEST_PHRASE - len(self._runs))
        self._words.appendleft(word)
        if any(run >= max(_LEAST_REPEATED, (_COPIES - 1) * length) for length, run in enumerate(self._runs, 1)):
            raise RepeatingReply("The language model repeats itself.")
