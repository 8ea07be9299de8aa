"""Cleaning a chat model's stream: thoughts, citation marks and the prompt's own marks do not belong to the answer."""

import re
from collections.abc import Sequence

from contracts.verdicts import ClaimedSource
from tools.marks import PassageMark, cut_marks, find_inline_code, opens_code

_THOUGHTS = "think|thinking|reasoning"
_OPENING = re.compile(rf"^\s*<({_THOUGHTS})>", re.IGNORECASE)
_ENDING = re.compile(rf"</(?:{_THOUGHTS})>", re.IGNORECASE)
_MAYBE_OPENING = re.compile(r"^\s*(?:<[a-z]{0,9})?$", re.IGNORECASE)
# What may be the beginning of a mark: brackets that have not ended, or of which the next letter decides.
_MAYBE_MARK = re.compile(
    r"(?:[ \t(),;]|\[[^\[\]\n]{0,160}\]|【[^】\n]{0,160}】)*(?:\[[^\[\]\n]{0,160}|【[^】\n]{0,160})?$"
)
_MAYBE_TAG = re.compile(r"<(?:<[^<>\n]{0,80}>?|/?[a-z]{0,9})?$", re.IGNORECASE)
_BROKEN_MARK = re.compile(
    r"[ \t]*\(?(?:\[(?:passages? ?)?[\d.,; –-]*|【[^】\n]*|<<(?:passage|end|question|draft)[^<>\n]*>?)$", re.IGNORECASE
)
_LAST_WORD = re.compile(r"\w+$")


class ReplyCleaner:
    """Takes the pieces of a reply and gives back those of the answer; ``text`` is the answer so far.

    Thoughts go, and so do the prompt's fence codes where the model repeats them. Marks such as ``[2]``, ``[1, 3]`` or
    ``[2.3]`` go and are kept as ``claims``, unless they name a passage or sentence that was not shown: these go and
    claim nothing. In code they stay. A bracket right behind a word, ``array[2]``, stays where ``source`` (the passages
    and the question) has that word with a bracket, and numbers such as ``[1.2, 2.5]`` where they stand in it so.

    Thoughts that end without having begun (some servers swallow the beginning) void what was given back: ``text``
    begins anew behind them.
    """

    def __init__(self, *, sentences: Sequence[int], source: str = "", fences: Sequence[str] = ()) -> None:
        """Begin a reply to a prompt with passages of so many ``sentences`` each, in marks with the codes ``fences``."""
        self.text = ""
        self.claims: list[ClaimedSource] = []
        self._sentences = tuple(sentences)
        self._source = source
        self._fences = tuple(fences)
        codes = "|".join(re.escape(fence) for fence in self._fences) or r"(?!)"
        self._fence_mark = re.compile(rf"<<[^<>\n]{{0,60}}(?:{codes})\s*>>|(?<!\w)(?:{codes})(?!\w)")
        self._line = ""
        self._done = ""
        self._begun = False
        self._in_code = False

    def feed(self, piece: str) -> str:
        """Take the next piece; return what is sure to belong to the answer so far."""
        self._line += piece
        if not self._begun and not self._pass_thoughts():
            return ""
        while (ending := _ENDING.search(self._line)) and not self._in_code:
            self.text, self._done, self.claims = "", "", []
            self._line = self._line[ending.end() :].lstrip()
        while "\n" in self._line:
            line, self._line = self._line.split("\n", 1)
            self._take_line(line)
            self._done += "\n" if self._done else ""
        if not self._done:
            self._line = self._line.lstrip()
        if self._in_code or opens_code(self._line):
            return self._given(self._done)
        return self._given(self._done + self._clean(self._line[: self._sure(self._line)])[0])

    def finish(self) -> str:
        """Return the rest, without white space at its end; thoughts that never ended are no answer."""
        if not self._begun and _OPENING.match(self._line):
            return ""
        line = self._line.lstrip() if not self._done else self._line
        broken = None if self._in_code else _BROKEN_MARK.search(line)
        self._line = ""
        self._take_line(line[: broken.start()] if broken and not self._is_index(line, broken.start()) else line)
        return self._given(self._done)

    def _pass_thoughts(self) -> bool:
        """Say whether the answer has begun; cut the thoughts off once they have ended."""
        opening = _OPENING.match(self._line)
        if opening:
            ending = re.search(rf"</{opening.group(1)}>", self._line, re.IGNORECASE)
            if not ending:
                return False
            self._line = self._line[ending.end() :]
        elif _MAYBE_OPENING.match(self._line):
            return False
        self._line = self._line.lstrip()
        self._begun = bool(self._line)
        return self._begun

    def _take_line(self, line: str) -> None:
        """Add a whole line to what is done, with what its marks claim."""
        self._in_code = self._in_code != opens_code(line)
        if self._in_code:
            self._done += line
            return
        clean, marks = self._clean(line)
        begin = len(self._done)
        self._done += clean
        for place, mark in marks:
            for passage, sentence in mark.named:
                if self._was_shown(passage, sentence):
                    claimed = None if sentence is None else sentence - 1
                    self.claims.append(ClaimedSource(position=begin + place, passage=passage - 1, sentence=claimed))

    def _clean(self, line: str) -> tuple[str, tuple[tuple[int, PassageMark], ...]]:
        line = self._fence_mark.sub("", line)
        return cut_marks(line, self._is_mark)

    def _given(self, clean: str) -> str:
        """Return what is new of the answer; white space at its end waits for what follows."""
        new = clean.rstrip()[len(self.text) :]
        self.text += new
        return new

    def _is_mark(self, mark: PassageMark) -> bool:
        if mark.name:
            return f"{mark.name}[" not in self._source
        return all(sentence is None for _, sentence in mark.named) or mark.text not in self._source

    def _is_index(self, line: str, bracket: int) -> bool:
        name = _LAST_WORD.search(line[:bracket])
        return line[bracket : bracket + 1] == "[" and name is not None and f"{name.group()}[" in self._source

    def _was_shown(self, passage: int, sentence: int | None) -> bool:
        return passage <= len(self._sentences) and (sentence is None or sentence <= self._sentences[passage - 1])

    def _sure(self, line: str) -> int:
        """Return up to where ``line`` is read the same whatever follows."""
        ends = [len(line)]
        for pattern in (_MAYBE_MARK, _MAYBE_TAG):
            found = pattern.search(line)
            ends.append(found.start() if found else len(line))
        word = _LAST_WORD.search(line)
        if word and any(fence.startswith(word.group()) for fence in self._fences):
            ends.append(word.start())
        codes = find_inline_code(line)
        closed = [(start, end) for start, end in codes if end < len(line)]
        outside = "".join(
            " " if any(start <= place < end for start, end in closed) else letter for place, letter in enumerate(line)
        )
        if "`" in outside:
            ends.append(outside.index("`"))
        return min(ends)
