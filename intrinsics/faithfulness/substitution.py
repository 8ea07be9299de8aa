"""Substitution: a sentence copied from its source with one name put in the place of another."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from tools.evidence.question import is_code, term_stem
from tools.language import STOP_WORDS, Word, find_words, fold

# Below this likeness the sentences are worded freely, and a different name in one place says little.
_ALIKE = 0.6
_LONGEST = 80


def substituted_name(claim: str, source: str) -> tuple[str, str] | None:
    """Return the name in ``claim`` and the one that ``source`` has in its very place; None where there is no such pair.

    The words before and after the place must be the same, the claim's name must stand nowhere in the source, and
    neither may abbreviate the other.
    """
    mine, theirs = find_words(claim)[:_LONGEST], find_words(source)[:_LONGEST]
    left, right = [term_stem(word.text) for word in mine], [term_stem(word.text) for word in theirs]
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    if not left or same / len(left) < _ALIKE:
        return None
    for kind, start, end, from_, to in matcher.get_opcodes():
        if kind != "replace" or end - start > 4 or to - from_ > 4:
            continue
        my_names, their_names = _names(mine, start, end), _names(theirs, from_, to)
        beside = [*_names(mine, start - 1, start), *_names(mine, end, end + 1)]
        strange = [name for name in my_names if term_stem(name) not in right]
        if not strange or not their_names or beside or _abbreviates(mine[start:end], theirs[from_:to]):
            continue
        if all(term_stem(name) in left for name in their_names):
            continue
        return " ".join(strange), " ".join(their_names)
    return None


def _names(words: Sequence[Word], start: int, end: int) -> list[str]:
    found = []
    for at in range(max(0, start), min(end, len(words))):
        text = words[at].text
        shouted = text.isupper() and len(text) > 1
        if is_code(text) or shouted or (at > 0 and text[:1].isupper() and fold(text) not in STOP_WORDS):
            found.append(text)
    return found


def _abbreviates(left: Sequence[Word], right: Sequence[Word]) -> bool:
    for short, long in ((left, right), (right, left)):
        initials = "".join(fold(word.text)[0] for word in long)
        if any(len(word.text) >= 2 and fold(word.text) == initials for word in short):
            return True
    return False
