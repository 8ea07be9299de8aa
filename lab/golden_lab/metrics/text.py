"""Similarity of a text to a gold text: exact and contained answers, common words, ROUGE, word accuracy."""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq, Levenshtein

from contracts.errors import InvalidInput
from golden_lab.intervals import f1_of, share

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ROUGE_TOKEN = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class RougeScores:
    """The share of the text that is in the gold text, the share of the gold text found, and their F1, in [0, 1]."""

    precision: float
    recall: float
    f1: float


def normalised(text: str) -> str:
    """Return ``text`` in lowercase without ASCII punctuation, articles or extra white space.

    Source: the evaluation script of SQuAD (Rajpurkar et al. 2016), which DPR and ALCE use as well.
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(said: str, wordings: Sequence[str]) -> float:
    """Return 1 if ``said`` equals one of ``wordings`` after normalisation, else 0."""
    return float(normalised(said) in {normalised(wording) for wording in wordings})


def contained_share(said: str, short_answers: Sequence[str | Sequence[str]]) -> float:
    """Return STR-EM: the share of ``short_answers`` that occur in ``said`` after normalisation, in [0, 1].

    A short answer is a string, or several wordings of which one is enough. As in the source, characters are compared,
    not words: "5" occurs in "1950".
    Source: ASQA (Stelmakh et al. 2022); compared by characters in ALCE (Gao et al. 2023).

    Raises:
        InvalidInput: a short answer is empty after normalisation, so it would occur in every text.
    """
    text = normalised(said)
    hits = 0
    for answer in short_answers:
        wordings = [normalised(each) for each in ([answer] if isinstance(answer, str) else answer)]
        if not wordings or not all(wordings):
            raise InvalidInput(f"short_answers: {answer!r} is empty after normalisation", field="short_answers")
        hits += any(wording in text for wording in wordings)
    return hits / len(short_answers)


def token_f1(said: str, gold: str) -> float:
    """Return the F1 of the common words after normalisation, in [0, 1]; 1 if both texts are empty.

    Source: the evaluation script of SQuAD 2.0 (Rajpurkar et al. 2018).
    """
    ours, theirs = normalised(said).split(), normalised(gold).split()
    if not ours or not theirs:
        return float(ours == theirs)
    return 2 * (Counter(ours) & Counter(theirs)).total() / (len(ours) + len(theirs))


def rouge_n(said: str, gold: str, n: int) -> RougeScores:
    """Return ROUGE-N: the runs of ``n`` words that both texts contain, counting repetitions.

    Words are runs of lowercase letters and digits, not stemmed; for ASCII text, as in the package rouge-score.
    Source: Lin 2004, ROUGE: a package for automatic evaluation of summaries, section 2.
    """
    ours, theirs = _runs(said, n), _runs(gold, n)
    return _rouge((ours & theirs).total(), ours.total(), theirs.total())


def rouge_l(said: str, gold: str) -> RougeScores:
    """Return ROUGE-L: the length of the longest common subsequence of words, divided by that of each text.

    Words are as in ``rouge_n``; the F1 weights precision and recall equally, as in the package rouge-score.
    Source: Lin 2004, ROUGE: a package for automatic evaluation of summaries, section 3.1.
    """
    ours, theirs = _rouge_tokens(said), _rouge_tokens(gold)
    return _rouge(LCSseq.similarity(ours, theirs), len(ours), len(theirs))


def word_accuracy(said: str, truth: str) -> float:
    """Return 1 minus the word error rate, but at least 0: how much of ``truth`` was read in order, in [0, 1].

    Words are separated by white space; case and punctuation count; composed and decomposed letters are equal. Errors
    are words inserted, left out or misread, in the alignment with the fewest errors (Levenshtein).

    Raises:
        InvalidInput: ``truth`` has no words.
    """
    ours, theirs = (unicodedata.normalize("NFC", text).split() for text in (said, truth))
    if not theirs:
        raise InvalidInput("truth: a text without words has no word accuracy", field="truth")
    return max(0.0, 1 - Levenshtein.distance(ours, theirs) / len(theirs))


def _rouge_tokens(text: str) -> list[str]:
    return _ROUGE_TOKEN.findall(text.lower())


def _runs(text: str, n: int) -> Counter[tuple[str, ...]]:
    tokens = _rouge_tokens(text)
    return Counter(tuple(tokens[at : at + n]) for at in range(len(tokens) - n + 1))


def _rouge(common: int, ours: int, theirs: int) -> RougeScores:
    precision, recall = share(common, ours), share(common, theirs)
    return RougeScores(precision=precision, recall=recall, f1=f1_of(precision, recall))
