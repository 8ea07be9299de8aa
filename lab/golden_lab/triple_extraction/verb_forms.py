"""The verb forms in claims: the third person and the participle."""

import re

from tools.language.verbs import base_form, is_base, is_past


def is_third_person(word: str) -> bool:
    """Return whether a word can be a third-person present form ("amplifies")."""
    lower = word.casefold()
    return lower.endswith("s") and not lower.endswith("ss") and not is_base(lower) and bool(base_form(lower))


def is_participle(word: str) -> bool:
    """Return whether a word can form a passive after "is": a known participle, or any word ending in -ed."""
    lower = word.casefold()
    return is_past(lower) or (lower.endswith("ed") and len(lower) > 4 and "-" not in lower)


def third_person(base: str) -> str:
    """Return the third person of a base form: "amplify" becomes "amplifies"."""
    if base in {"be", "have", "do", "go"}:
        return {"be": "is", "have": "has", "do": "does", "go": "goes"}[base]
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ies"
    return base + ("es" if re.search(r"(?:s|x|z|ch|sh)$", base) else "s")
