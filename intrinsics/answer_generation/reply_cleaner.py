"""Cleans a chat model's stream: removes reasoning, citation marks and the delimiters of the prompt."""

import re
from collections.abc import Callable, Iterator, Sequence

from contracts.verdicts import ClaimedSource
from tools.citation_marks import PassageMark, cut_marks, find_inline_code, opens_code

_THOUGHTS = "think|thinking|reasoning"
_OPENING = re.compile(rf"^\s*<({_THOUGHTS})>", re.IGNORECASE)
_ENDING = re.compile(rf"</(?:{_THOUGHTS})>", re.IGNORECASE)
# The opening tag of reasoning, or text that may become one.
_MAYBE_OPENING = re.compile(rf"<(?:{_THOUGHTS})>|(?:<[a-z]{{0,9}})?\Z", re.IGNORECASE)
# The possible beginning of a mark: brackets or addresses that are incomplete, or that the next letter may change.
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
# Marks that the expressions above recognise are never longer than this.
_LONGEST_MARK = 600
_LAST_WORD = re.compile(r"\w+\Z")


class ReplyCleaner:
    """Takes the pieces of a reply and returns the pieces of the answer.

    The model's reasoning is removed, and so are the prompt's delimiters if the model repeats them. Marks such as
    ``[2]``, ``[1, 3]`` or ``[2.3]`` are removed, and stored in ``claims`` if the passage or sentence was shown. Marks
    in code are kept. A bracket directly after a word, as in ``array[2]``, is kept if the word is followed by a bracket
    in ``source`` (the passages and the question); numbers such as ``[1.2, 2.5]`` are kept if ``source`` contains them.

    ``text`` is the answer so far. Some servers drop the beginning of the reasoning: if only its end arrives, the text
    returned before was not part of the answer, and ``text`` starts again.
    """

    def __init__(self, *, sentences: Sequence[int], source: str = "", codes: Sequence[str] = ()) -> None:
        """Start a reply. ``sentences`` counts the sentences of each passage shown; the delimiters contain ``codes``."""
        self.claims: list[ClaimedSource] = []
        self.text = ""
        # The answer in all complete lines, its claims, and whether a code block is open; then the current line.
        self._done: tuple[str, list[ClaimedSource], bool] = ("", [], False)
        self._line = ""
        self._begun = False
        self._sentences = tuple(sentences)
        self._source = source
        self._codes = tuple(codes)
        any_code = "|".join(re.escape(code) for code in codes) or r"(?!)"
        self._delimiter = re.compile(rf"<<[^<>\n]{{0,60}}(?:{any_code}) ?>>|(?<!\w)(?:{any_code})(?!\w)")

    def feed(self, piece: str) -> str:
        """Take the next piece of the reply, and return the new text that certainly belongs to the answer."""
        self._line += piece
        if not self._begun:
            self._line = _without_thoughts(self._line)
            self._begun = not _MAYBE_OPENING.match(self._line)
        if not self._begun:
            return ""
        *ended, self._line = self._line.split("\n")
        for line in ended:
            answer, claims, in_code = self._with(line, lambda line, _: line)
            self._done = (f"{answer}\n" if answer else "", claims, in_code)
        return self._give(*self._with(self._line[: self._sure_of_tags(self._line)], self._sure))

    def finish(self) -> str:
        """Return the rest of the answer, without trailing white space or reasoning that never ended."""
        line = "" if _OPENING.match(self._line) and not self._begun else self._line
        return self._give(*self._with(line, self._whole))

    def _give(self, answer: str, claims: list[ClaimedSource], _: bool) -> str:
        before, self.text, self.claims = self.text, answer.rstrip(), claims
        return self.text.removeprefix(before)

    def _with(self, line: str, part: Callable[[str, bool], str]) -> tuple[str, list[ClaimedSource], bool]:
        """Return the state after one more line, of which only ``part(line, in_code)`` is used."""
        answer, claims, in_code = self._done
        line = self._delimiter.sub("", line)
        if not in_code and (endings := list(_ENDING.finditer(line))):
            answer, claims = "", []
            line = line[endings[-1].end() :]
        line = line if answer else line.lstrip()
        in_code = in_code != opens_code(line)
        line = part(line, in_code)
        clean, marks = (line, ()) if in_code else cut_marks(line, self._is_mark)
        return answer + clean, [*claims, *self._claimed(len(answer), marks)], in_code

    def _claimed(self, begin: int, marks: Sequence[tuple[int, PassageMark]]) -> Iterator[ClaimedSource]:
        for place, mark in marks:
            for passage, sentence in mark.named:
                if self._was_shown(passage, sentence):
                    claimed = None if sentence is None else sentence - 1
                    yield ClaimedSource(position=begin + place, passage=passage - 1, sentence=claimed)

    def _is_mark(self, mark: PassageMark) -> bool:
        if mark.name:
            return f"{mark.name}[" not in self._source
        return all(sentence is None for _, sentence in mark.named) or mark.text not in self._source

    def _is_index(self, line: str, bracket: int) -> bool:
        name = _LAST_WORD.search(line[:bracket])
        return line[bracket : bracket + 1] == "[" and name is not None and f"{name.group()}[" in self._source

    def _was_shown(self, passage: int, sentence: int | None) -> bool:
        return passage <= len(self._sentences) and (sentence is None or sentence <= self._sentences[passage - 1])

    def _whole(self, line: str, in_code: bool) -> str:
        """Return the last line of a reply without an incomplete mark at its end."""
        broken = None if in_code else _BROKEN_MARK.search(line)
        return line[: broken.start()] if broken and not self._is_index(line, broken.start()) else line

    def _sure(self, line: str, in_code: bool) -> str:
        """Return the beginning of ``line`` that later text cannot change."""
        if in_code:
            return ""
        if not _MARK_OR_CODE.search(line):
            return line.rstrip(_GAPS)
        sure = len(line)
        while True:
            held = _MAYBE_MARK.search(line[:sure], max(0, sure - _LONGEST_MARK))
            unmarked = held.start() if held else sure
            sure = _outside_code(line, unmarked)
            if sure == unmarked:
                return line[:sure]

    def _sure_of_tags(self, reply: str) -> int:
        """Return the length of ``reply`` up to the possible beginning of a tag or delimiter."""
        begin = max(0, len(reply) - _LONGEST_MARK)
        tag, word = _MAYBE_TAG.search(reply, begin), _LAST_WORD.search(reply, begin)
        sure = tag.start() if tag else len(reply)
        is_code = word is not None and any(code.startswith(word.group()) for code in self._codes)
        return min(sure, word.start()) if word and is_code else sure


def _without_thoughts(reply: str) -> str:
    """Return a reply without the reasoning at its beginning, if the reasoning has ended."""
    reply = reply.lstrip()
    while opening := _OPENING.match(reply):
        ending = re.compile(rf"</{opening.group(1)}>", re.IGNORECASE).search(reply, opening.end())
        if not ending:
            break
        reply = reply[ending.end() :].lstrip()
    return reply


def _outside_code(line: str, sure: int) -> int:
    """Return ``sure``, or the index of an earlier backtick that begins, or may begin, code that has not ended there."""
    behind = 0
    for start, end in find_inline_code(line):
        if end == len(line) or end > sure or "`" in line[behind:start]:
            break
        behind = end
    tick = line.find("`", behind)
    return sure if tick < 0 else min(sure, tick)
