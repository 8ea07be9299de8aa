"""Checks whether a question can be understood on its own, and whether it gives its answer away."""

import re
from collections.abc import Iterable

from contracts.verdicts import WrittenQuestion
from tools.language import STOP_WORDS, find_words, fold, stem

_LONGEST_QUESTION_WORDS, _LONGEST_ANSWER_WORDS = 28, 30
_FEWEST_QUESTION_WORDS = 4
# Words that refer to something outside the question.
_POINTING = re.compile(
    r"\b(?:this|these|those|it|its|itself|they|their|them|he|she|his|her|we|our|ours|us|you|your|my|i|here|above|below|"
    r"aforementioned|former|latter|such|said|previous|preceding|following|next|respective|respectively|"
    r"corresponding|another|the other|the same|passage|this document|as follows)\b(?![-'’/])",
    re.IGNORECASE,
)
_POINTED_AT = re.compile(r"\b(?:this|these|the following|as follows|above|below|here|see)\b", re.IGNORECASE)
_THAT = re.compile(r"^(?:what|who|when|where|how)\b.*\b(?:is|are|does|do|did|was|were) that\b", re.IGNORECASE)
_REFERENCE = re.compile(r"\b(?i:section|figure|fig\.|table|chapter|appendix|equation|step|page|note)\s+(?:\d|[A-Z]\b)")
_DEBRIS = re.compile(r"(?<!\w)#|[a-z]{3}\.[A-Z][a-z]|//|https?:|www\.|[|\\<>{}\[\]*`�]|__|\.\.\.|…|\?.|\(\s*\)")


def stands_alone(question: str, answer: str) -> bool:
    """Return whether a question names its subject, is a sentence, and does not contain its answer."""
    words = question.split()
    if not (_FEWEST_QUESTION_WORDS <= len(words) <= _LONGEST_QUESTION_WORDS and question.endswith("?")):
        return False
    if not 1 <= len(answer.split()) <= _LONGEST_ANSWER_WORDS:
        return False
    # "US" and "IT" in capitals and a single "I" are names or units, not pronouns.
    asked = re.sub(r"\b(?:US|IT|I)\b(?=[\s/.-])", "", question)
    if _POINTING.search(asked) or _THAT.search(question) or _REFERENCE.search(question) or _DEBRIS.search(question):
        return False
    if question.count("(") != question.count(")") or question.count('"') % 2:
        return False
    if _POINTED_AT.search(answer) or _DEBRIS.search(answer):
        return False
    return not gives_away(question, answer)


def gives_away(question: str, answer: str) -> bool:
    """Return whether the question contains all content words of the answer."""
    asked = {stem(word.text) for word in find_words(question)}
    stems = [stem(word.text) for word in find_words(answer) if fold(word.text) not in STOP_WORDS]
    stems = stems or [stem(word.text) for word in find_words(answer)]
    return all(word in asked for word in stems)


def distinct(questions: Iterable[WrittenQuestion]) -> tuple[WrittenQuestion, ...]:
    """Keep the first of several questions that are equal except for letter case."""
    kept: dict[str, WrittenQuestion] = {}
    for each in questions:
        kept.setdefault(fold(each.question), each)
    return tuple(kept.values())
