"""What differs between two texts, word by word, said in marks and in words."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from ui.html import Safe, element, join
from ui.words import Words

_TOKEN = re.compile(r"\s+|[^\s]+")
# Comparing takes the square of this in the worst case: longer texts are shown side by side alone.
_MAX_TOKENS = 3_000


def render_difference(old: str, new: str, words: Words) -> Safe:
    """Render ``old`` become ``new``: removed words struck out, added ones underlined, both named to screen readers."""
    if old == new:
        return element("p", words("review.same_text"), class_="quiet")
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    if max(len(before), len(after)) > _MAX_TOKENS:
        return element("p", words("review.too_long_to_compare"), class_="quiet")
    pieces: list[Safe | str] = []
    for tag, start, end, begin, stop in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append("".join(before[start:end]))
            continue
        if gone := "".join(before[start:end]):
            pieces.append(_marked("del", gone, words("review.removed"), words("review.removed_end")))
        if come := "".join(after[begin:stop]):
            pieces.append(_marked("ins", come, words("review.added"), words("review.added_end")))
    return element("p", join(pieces), class_="difference", dir="auto")


def changed(old: Sequence[str], new: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is in ``old`` alone and in ``new`` alone, each in its order."""
    return tuple(each for each in old if each not in new), tuple(each for each in new if each not in old)


def _marked(name: str, text: str, before: str, after: str) -> Safe:
    return element(
        name, element("span", f" [{before} ", class_="sr"), text, element("span", f" {after}] ", class_="sr")
    )
