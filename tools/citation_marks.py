"""Citation marks, with which a writer names numbered passages in its text: [2], [1, 3], [2.3]."""

import re
from collections.abc import Callable
from dataclasses import dataclass

_REFERENCE = r"\d{1,3}(?:\.\d{1,3})?"
_BRACKET = (
    rf"\[(?:[Pp]assages? )?{_REFERENCE}(?: ?(?:[,;–-]|and) ?{_REFERENCE}){{0,11}}\]"
    # Some models write marks like this, with line numbers after a dagger.
    r"|【\d{1,3}(?:[†:][^【】\n`]{0,24})?】"
)
_LINKED = rf"(?:{_BRACKET})(?:\([^()\s`]{{0,200}}\))?"
_RUN = rf"{_LINKED}(?:[,;]?[ \t]?{_LINKED})*"
# A bracket directly followed by a word, such as [2]catenane, is not a mark.
_MARK = re.compile(rf"(?P<gap>[ \t]*)(?:\((?P<inner>{_RUN})\)|(?P<run>{_RUN}))(?![a-z0-9_(\[])")
_NUMBERS = re.compile(r"(\d{1,3})(?:\.(\d{1,3}))?(?: ?[–-] ?(\d{1,3})(?![\d.]))?")
_ADDRESS = re.compile(r"(?<=[\]】])\([^()\s`]*\)")
_NAME = re.compile(r"\w+$")
_INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)(?P<code>.+?)(?<!`)\1(?!`)")
_CODE_BLOCK = re.compile(r"\s*(?:```|~~~)")


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageMark:
    """Consecutive brackets, which may be links, from ``start`` to ``end`` in a line, including the space before them.

    ``named`` lists the passages that they name and, if given, their sentences; both count from 1. ``name`` is the word
    directly before the bracket, as in DQ[7], or "".
    """

    start: int
    end: int
    text: str
    named: tuple[tuple[int, int | None], ...]
    name: str


def find_marks(line: str) -> tuple[PassageMark, ...]:
    """Find text in the form of a mark in ``line``, except in inline code; a bracket that contains 0 is not a mark."""
    if "[" not in line and "【" not in line:
        return ()
    codes = find_inline_code(line)
    found = []
    for match in _MARK.finditer(line):
        if any(start < match.end() and match.start() < end for start, end in codes):
            continue
        text = match["run"] or match["inner"]
        named = _named(text)
        if all(passage and sentence != 0 for passage, sentence in named):
            before = _NAME.search(line[: match.start()]) if match["run"] and not match["gap"] else None
            name = before.group() if before and not before.group().isdecimal() else ""
            found.append(PassageMark(start=match.start(), end=match.end(), text=text, named=named, name=name))
    return tuple(found)


def cut_marks(line: str, is_mark: Callable[[PassageMark], bool]) -> tuple[str, tuple[tuple[int, PassageMark], ...]]:
    """Remove the marks that ``is_mark`` accepts from ``line``; return the rest, and the position of each mark in it."""
    clean, end = "", 0
    cut: list[tuple[int, PassageMark]] = []
    for mark in find_marks(line):
        if not is_mark(mark):
            continue
        clean += line[end : mark.start]
        end = mark.end
        if not clean.strip():
            # At the start of a line, the space after the mark is removed, and the indentation before it is kept.
            indent = line[mark.start : mark.end]
            clean += indent[: len(indent) - len(indent.lstrip())]
            end += len(line[end:]) - len(line[end:].lstrip(" \t"))
        cut.append((len(clean), mark))
    return clean + line[end:], tuple(cut)


def remove_marks(text: str) -> str:
    """Return ``text`` without marks such as `` [2]`` or ``[1, 3]``; keep indexes (``DQ[7]``), code and ``[2.5]``."""
    lines, in_code = [], False
    for line in text.split("\n"):
        in_code = in_code != opens_code(line)
        lines.append(line if in_code else cut_marks(line, _is_plain)[0])
    return "\n".join(lines)


def opens_code(line: str) -> bool:
    """Return whether ``line`` opens or closes a code block."""
    return _CODE_BLOCK.match(line) is not None


def find_inline_code(line: str) -> tuple[tuple[int, int], ...]:
    """Return the start and end of each piece of inline code in ``line``."""
    return tuple(match.span() for match in _INLINE_CODE.finditer(line))


def _is_plain(mark: PassageMark) -> bool:
    return not mark.name and all(sentence is None for _, sentence in mark.named)


def _named(text: str) -> tuple[tuple[int, int | None], ...]:
    if text.startswith("【"):
        return tuple((int(number), None) for number in re.findall(r"【(\d+)", text))
    named: list[tuple[int, int | None]] = []
    for first, sentence, last in _NUMBERS.findall(_ADDRESS.sub("", text)):
        if last and not sentence:
            named += [(number, None) for number in range(int(first), min(int(last), int(first) + 20) + 1)]
        else:
            named.append((int(first), int(sentence) if sentence else None))
    return tuple(named)
