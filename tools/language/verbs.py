"""Verbs: recognises words that can be verbs, and finds their base forms."""

import re
import tomllib
from functools import lru_cache
from pathlib import Path

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_BASES, _ALSO_NOUNS = frozenset(_WORDS["bases"].split()), frozenset(_WORDS["also_nouns"].split())
_SAME_PAST, _NO_VERBS = frozenset(_WORDS["same_past"].split()), frozenset(_WORDS["no_verbs"].split())
_IRREGULAR: dict[str, str] = _WORDS["irregular"]
# Words that are used only as verbs: if one follows a plural, the plural is a noun ("which limits apply").
BASES_THAT_ARE_NO_NOUNS = _BASES - _ALSO_NOUNS
_DOUBLING = re.compile(r"([bdgklmnprt])\1$")
_MADE_VERB = re.compile(r"(?:ize|ise|ify|yze|yse)$")


@lru_cache(maxsize=16_384)
def base_form(word: str) -> str:
    """Return the base form of a verb ("amplify" for "amplifies", "amplified", "amplifying"); "" for other words."""
    lower = word.casefold()
    if is_base(lower):
        return lower
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    for ending in ("ies", "ied", "es", "ed", "ing", "s"):
        if lower.endswith(ending) and len(lower) > len(ending) + 1:
            base = _from_ending(lower, ending)
            if base:
                return base
    return ""


def is_base(word: str) -> bool:
    """Return whether a lowercase word is the base form of a verb."""
    return word in _BASES or (len(word) > 5 and word not in _NO_VERBS and bool(_MADE_VERB.search(word)))


def is_past(word: str) -> bool:
    """Return whether a word can be a past tense or past participle."""
    lower = word.casefold()
    return lower in _IRREGULAR or lower in _SAME_PAST or (lower.endswith("ed") and bool(base_form(lower)))


def is_gerund(word: str) -> bool:
    """Return whether a word is the -ing form of a verb."""
    lower = word.casefold()
    return lower.endswith("ing") and bool(base_form(lower)) and not is_base(lower)


def is_also_noun(word: str) -> bool:
    """Return whether a verb form is as often a noun ("supports", "outputs"), so that only its position decides."""
    return base_form(word) in _ALSO_NOUNS


def _from_ending(word: str, ending: str) -> str:
    root = word[: -len(ending)]
    if ending in {"ies", "ied"}:
        return root + "y" if is_base(root + "y") else ""
    if ending == "s":
        return root if is_base(root) else ""
    tries = [root, root + "e"]
    if _DOUBLING.search(root):
        tries.append(root[:-1])
    return next((each for each in tries if is_base(each)), "")
