"""Cleaning a chat model's stream: thoughts, citation marks and the prompt's own marks do not belong to the answer."""

import re
from collections.abc import Sequence

from contracts.verdicts import ClaimedSource
from tools.citation_marks import PassageMark, cut_marks, find_inline_code, opens_code

_THOUGHTS = "think|thinking|reasoning"
_OPENING = re.compile(rf"^\s*<({_THOUGHTS})>", re.IGNORECASE)
_ENDING = re.compile(rf"</(?:{_THOUGHTS})>", re.IGNORECASE)
_MAYBE_OPENING = re.compile(r"^\s*(?:<[a-z]{0,9})?\Z", re.IGNORECASE)
# The possible beginning of a mark: brackets or addresses that are incomplete, or whose next letter decides.
_GAPS = " \t(),;"
_MARK_OR_CODE = re.compile(r"[\[【`]")
_BRACKET = r"(?:\[[^\[\]\n]{0,160}\]|【[^【】\n`]{0,160}】)"
_MAYBE_MARK = re.compile(
    rf"(?:[{_GAPS}]|{_BRACKET}(?:\([^()\s`]{{0,200}}\))?)*"
    rf"(?:\[[^\[\]\n]{{0,160}}|【[^【】\n`]{{0,160}}|{_BRACKET}\([^()\s`]{{0,200}})?\Z"
)
_MAYBE_TAG = re.compile(r"<(?:<[^<>\n]{0,80}>?|/?[a-z]{0,9})?\Z", re.IGNORECASE)
_BROKEN_MARK = re.compile(
    r"[ \t]*\(?(?:\[(?:passages? ?)?[\d.,; –-]*|【\d*(?:[†:][^【】\n`]*)?|"
    r"<<(?:passage|end|question|draft)[^<>\n]*>?)\Z",
    re.IGNORECASE,
)
_LAST_WORD = re.compile(r"\w+\Z")
_LONG_LINE = 300
_LONGEST_ENDING = len("</reasoning>")


class ReplyCleaner:
    """Takes the pieces of a reply and returns those of the answer. A piece costs the same however long the reply is.

    Thoughts go, and so do the prompt's fence codes if the model repeats them. Marks such as ``[2]``, ``[1, 3]`` or
    ``[2.3]`` go and are kept as ``claims``, unless they name a passage or sentence that was not shown: these go and
    claim nothing. In code they stay. A bracket right behind a word, ``array[2]``, stays if ``source`` (the passages and
    the question) has that word with a bracket, and numbers such as ``[1.2, 2.5]`` where they are in it so.

    Thoughts that end without having begun (some servers swallow the beginning) void what was given back: ``text``
    starts again after them.
    """

    def __init__(self, *, sentences: Sequence[int], source: str = "", fences: Sequence[str] = ()) -> None:
        """Begin a reply; ``sentences`` counts those of each passage shown, ``fences`` are the prompt's fence codes."""
        self.claims: list[ClaimedSource] = []
        self._sentences = tuple(sentences)
        self._source = source
        self._codes = _FenceCutter(fences)
        self._line = ""
        # "Done" is text that no later piece can change. Part of it may still wait to be returned, and part of the
        # current line may already have been returned.
        self._done_length = 0
        self._waiting = ""
        self._given: list[str] = []
        self._given_length = 0
        self._begun = False
        self._begins = True
        self._in_code = False

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self._given)

    def feed(self, piece: str) -> str:
        """Take the next piece; return what is sure to belong to the answer so far."""
        self._line += self._codes.feed(piece)
        if not self._begun and not self._pass_thoughts():
            return ""
        self._take_lines()
        opens = self._begins and opens_code(self._line)
        if self._in_code or opens:
            if not opens and len(self._line.lstrip()) > _LONG_LINE:
                self._take_part(len(self._line))
            return self._give()
        sure = self._sure(self._line)
        # A long line is finished up to a space, or anywhere, so that it is not scanned again with every piece.
        space = self._line.rfind(" ", 0, sure)
        if space > _LONG_LINE:
            sure -= self._take_part(space)
        elif len(self._line) > 2 * _LONG_LINE:
            sure -= self._take_part(self._sure(self._line[:_LONG_LINE]) or _LONG_LINE)
        return self._give(self._clean(self._line[: max(0, sure)])[0])

    def finish(self) -> str:
        """Return the rest, without white space at its end; thoughts that never ended are not part of the answer."""
        self._line += self._codes.finish()
        if not self._begun and _OPENING.match(self._line):
            return ""
        self._take_lines()
        line, self._line = self._line, ""
        broken = None if self._in_code else _BROKEN_MARK.search(line)
        self._take(line[: broken.start()] if broken and not self._is_index(line, broken.start()) else line)
        return self._give()

    def _pass_thoughts(self) -> bool:
        """Return whether the answer has begun; cut the thoughts off once they have ended."""
        self._line = self._line.lstrip()
        while opening := _OPENING.match(self._line):
            thoughts = self._line[opening.end() :]
            ending = re.search(rf"</{opening.group(1)}>", thoughts, re.IGNORECASE)
            if not ending:
                self._line = opening.group() + thoughts[-_LONGEST_ENDING:]
                return False
            self._line = thoughts[ending.end() :].lstrip()
        self._begun = not _MAYBE_OPENING.match(self._line)
        return self._begun

    def _behind_thoughts(self, line: str) -> str:
        """Return ``line``, or what follows the thoughts that end in it: these void what was before."""
        # This runs for each piece of a reply, on the whole line so far, so text that most lines lack is checked for
        # first.
        endings = [] if self._in_code or "</" not in line else list(_ENDING.finditer(line))
        if endings:
            self._done_length = self._given_length = 0
            self._waiting, self._given, self.claims, self._begins = "", [], [], True
            line = line[endings[-1].end() :]
        return line if self._done_length else line.lstrip()

    def _take_lines(self) -> None:
        """Add the lines that have ended to what is done."""
        while "\n" in self._line:
            line, _, rest = self._line.partition("\n")
            self._take(self._behind_thoughts(line))
            self._add("\n" if self._done_length else "")
            self._line, self._begins = rest, True
        self._line = self._behind_thoughts(self._line)

    def _take_part(self, end: int) -> int:
        """Add the line up to ``end`` to what is done; return ``end``."""
        self._take(self._line[:end])
        self._line, self._begins = self._line[end:], False
        return end

    def _take(self, line: str) -> None:
        """Add a line, or a part of it, to what is done, with what its marks claim."""
        if self._begins:
            self._in_code = self._in_code != opens_code(line)
        if self._in_code:
            self._add(line)
            return
        clean, marks = self._clean(line)
        begin = self._done_length
        self._add(clean)
        for place, mark in marks:
            for passage, sentence in mark.named:
                if self._was_shown(passage, sentence):
                    claimed = None if sentence is None else sentence - 1
                    self.claims.append(ClaimedSource(position=begin + place, passage=passage - 1, sentence=claimed))

    def _clean(self, line: str) -> tuple[str, tuple[tuple[int, PassageMark], ...]]:
        return cut_marks(line, self._is_mark, begins=self._begins)

    def _add(self, text: str) -> None:
        """Add ``text`` to what is done; the beginning of it may be given back already."""
        self._waiting += text[max(0, self._given_length - self._done_length) :]
        self._done_length += len(text)

    def _give(self, line: str = "") -> str:
        """Return the new part of the answer, with ``line`` after what is done; white space at its end waits."""
        new = (self._waiting + line[max(0, self._given_length - self._done_length) :]).rstrip()
        self._waiting = self._waiting[len(new) :]
        self._given.append(new)
        self._given_length += len(new)
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
        """Return the length of the part of ``line`` whose meaning no later text can change."""
        if not _MARK_OR_CODE.search(line):
            return len(line.rstrip(_GAPS))
        sure = len(line)
        while True:
            held = _MAYBE_MARK.search(line[:sure])
            unmarked = held.start() if held else sure
            sure = _outside_code(line, unmarked)
            if sure == unmarked:
                return sure


def _outside_code(line: str, sure: int) -> int:
    """Return ``sure``, or the first tick before it that begins code which has not ended there, or may do so."""
    behind = 0
    for start, end in find_inline_code(line):
        if end == len(line) or end > sure or "`" in line[behind:start]:
            break
        behind = end
    tick = line.find("`", behind)
    return sure if tick < 0 else min(sure, tick)


class _FenceCutter:
    """Cuts the codes of the prompt's fences out of a stream, with the angle brackets around them."""

    def __init__(self, fences: Sequence[str]) -> None:
        codes = "|".join(re.escape(fence) for fence in fences) or r"(?!)"
        self._mark = re.compile(rf"<<[^<>\n]{{0,60}}(?:{codes}) ?>>|(?<!\w)(?:{codes})(?!\w)")
        self._fences = tuple(fences)
        self._waiting = ""
        self._last = ""

    def feed(self, piece: str) -> str:
        """Take the next piece; return what is sure to stay, and keep what may be the beginning of a tag or a code."""
        text = self._waiting + piece
        tag = _MAYBE_TAG.search(text) if "<" in text else None
        word = _LAST_WORD.search(text)
        sure = tag.start() if tag else len(text)
        if word and any(fence.startswith(word.group()) for fence in self._fences):
            sure = min(sure, word.start())
        self._waiting = text[sure:]
        return self._cut(text[:sure])

    def finish(self) -> str:
        """Return what waited."""
        rest, self._waiting = self._waiting, ""
        return self._cut(rest)

    def _cut(self, text: str) -> str:
        # The character before it decides whether a code stands alone.
        before = self._last
        self._last = text[-1:] or self._last
        return self._mark.sub("", before + text)[len(before) :]
