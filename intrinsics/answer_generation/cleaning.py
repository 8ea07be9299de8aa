"""Cleaning a chat model's stream: thoughts and citation markers do not belong to the answer."""

import re

_OPENING = re.compile(r"^\s*<(think|thinking|reasoning)>", re.IGNORECASE)
_MAYBE_OPENING = re.compile(r"^\s*(?:<[a-z]{0,9})?$", re.IGNORECASE)
_HELD_BACK = re.compile(r"\s*\[[\d,;\s–-]{0,12}$|\s+$")


class ReplyCleaner:
    """Takes the pieces of a reply and gives back those of the answer.

    A block of thoughts at the start goes. So do markers ``[n]`` with n up to ``passages``: citations are set later, by
    what a sentence really rests on. ``array[3]``, a number in brackets right behind a name, stays.
    """

    def __init__(self, passages: int) -> None:
        self._passages = passages
        self._waiting = ""
        self._begun = False
        self._last = ""

    def feed(self, piece: str) -> str:
        """Take the next piece; return what is sure to belong to the answer so far."""
        self._waiting += piece
        if not self._begun and not self._pass_thoughts():
            return ""
        held = _HELD_BACK.search(self._waiting)
        ready = self._waiting[: held.start()] if held else self._waiting
        self._waiting = self._waiting[len(ready) :]
        return self._without_markers(ready)

    def finish(self) -> str:
        """Return the rest, without white space at its end; thoughts that never ended are no answer."""
        rest, self._waiting = self._waiting, ""
        if not self._begun and _OPENING.match(rest):
            return ""
        return self._without_markers(rest).rstrip()

    def _pass_thoughts(self) -> bool:
        """Say whether the answer has begun; cut the thoughts off once they have ended."""
        opening = _OPENING.match(self._waiting)
        if opening:
            ending = re.search(rf"</{opening.group(1)}>", self._waiting, re.IGNORECASE)
            if not ending:
                return False
            self._waiting = self._waiting[ending.end() :]
        elif _MAYBE_OPENING.match(self._waiting):
            return False
        self._waiting = self._waiting.lstrip()
        self._begun = bool(self._waiting)
        return self._begun

    def _without_markers(self, text: str) -> str:
        def replacement(match: re.Match[str]) -> str:
            numbers = [int(number) for number in re.findall(r"\d+", match.group())]
            before = match.string[: match.start()] or self._last
            behind_a_name = not match.group()[0].isspace() and before[-1:].isalpha()
            if behind_a_name or not all(1 <= number <= self._passages for number in numbers):
                return match.group()
            return ""

        clean = re.sub(r"\s*\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\]", replacement, text)
        self._last = text[-1:] or self._last
        return clean
