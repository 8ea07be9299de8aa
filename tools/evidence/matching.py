"""Matching: how certainly a bag of words contains a term, despite inflection, joins, misspellings and OCR errors."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from tools.evidence.question import QuestionTerm, term_stem
from tools.language import STOP_WORDS, find_words, fold
from tools.language.quantities import NUMERALS

Scores = NDArray[np.float64]

# Letters that OCR confuses with digits; compared only if the term contains a digit.
_LOOKALIKE = str.maketrans({"o": "0", "l": "1", "i": "1", "s": "5", "b": "8", "z": "2"})
_OCR_MATCH = 0.85
_SPELLING_MATCH = 0.8
_DERIVED_MATCH = 0.75
_MIN_FUZZY_LETTERS = 6
_SPELT_OUT_MATCH = 0.9


@lru_cache(maxsize=8_192)
def text_stems(text: str) -> frozenset[str]:
    """Return all stems in ``text``; separated codes ("DDR-5", "DDR 5") count as joined, and "two" also counts as 2."""
    words = find_words(text)
    stems = {term_stem(word.text) for word in words}
    stems.update(NUMERALS[each] for word in words if (each := fold(word.text)) in NUMERALS)
    for left, right in pairwise(words):
        between = text[left.span.end : right.span.start]
        if between in ("-", " ", "/", "–") and (left.text[-1:].isdigit() != right.text[:1].isdigit()):
            stems.add(fold(left.text + right.text))
    return frozenset(stems)


def with_expansions(terms: Sequence[QuestionTerm], texts: Sequence[str]) -> Scores:
    """Return for each abbreviation in ``terms`` (row) whether a text (column) contains words with its initials."""
    found = np.zeros((len(terms), len(texts)))
    rows = [
        row for row, term in enumerate(terms) if len(term.text) >= 3 and term.text.isalpha() and term.text.isupper()
    ]
    if rows:
        initials = [_initials(text) for text in texts]
        for row in rows:
            wanted = terms[row].text.lower()
            found[row] = [_SPELT_OUT_MATCH if any(wanted in each for each in pair) else 0.0 for pair in initials]
    return found


@lru_cache(maxsize=8_192)
def _initials(text: str) -> tuple[str, str]:
    words = [fold(word.text) for word in find_words(text)]
    return "".join(word[0] for word in words), "".join(word[0] for word in words if word not in STOP_WORDS)


def stem_strengths(wanted: str, bags: Sequence[frozenset[str]], vocabulary: frozenset[str]) -> Scores:
    """Return for each bag how certainly it contains a stem: 1, or less if it contains only a similar form.

    ``vocabulary`` contains the stems of all ``bags``.
    """
    # Only forms of the same length are compared with a number, and only forms with the same first letter with a word.
    numbered = any(character.isdigit() for character in wanted)
    like = [form for form in vocabulary if (len(form) == len(wanted) if numbered else form[0] == wanted[0])]
    forms = {form: value for form in like if (value := near_strength(wanted, form)) > 0}
    return np.array(
        [1.0 if wanted in bag else max((forms[form] for form in bag & forms.keys()), default=0.0) for bag in bags]
    )


def near_strength(wanted: str, form: str) -> float:
    """Return how certainly stem ``form`` is a noisy or derived form of stem ``wanted``; 0 if it is a different word."""
    if any(character.isdigit() for character in wanted):
        same_length = len(form) == len(wanted) > 2 and not wanted.isdigit()
        return _OCR_MATCH if same_length and wanted.translate(_LOOKALIKE) == form.translate(_LOOKALIKE) else 0.0
    if not wanted.isalpha() or not form.isalpha() or wanted[0] != form[0]:
        return 0.0
    shorter, longer = sorted((wanted, form), key=len)
    if len(shorter) >= 5 and longer.startswith(shorter) and len(longer) - len(shorter) <= 4:
        return _DERIVED_MATCH
    if len(shorter) >= _MIN_FUZZY_LETTERS and len(longer) - len(shorter) <= 1:
        return _SPELLING_MATCH if Levenshtein.distance(wanted, form, score_cutoff=1) <= 1 else 0.0
    return 0.0
