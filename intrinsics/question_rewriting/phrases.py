"""The things that a conversation is about: noun phrases, found without a parser."""

import re
from dataclasses import dataclass

from contracts.text import Span
from tools.language import STOP_WORDS, find_words, fold

# Verbs and question words that stand between noun phrases but are no stop words. A phrase neither begins nor ends so.
_VERBS = frozenset(
    """
    achieve add affect allow answer apply appear ask become began begin believe belong bring build built buy call
    called came cause change check choose close come compare connect contain continue control cost create decide
    define delete depend describe determine die died differ disable do enable end ensure exist explain fail fall
    feel fill find finish fit fix follow found function gave give go grow handle happen happened hear help hold
    improve include increase indicate install keep know known last leave led left let limit list live look lose
    made make manage matter mean measure move name need offer open pass pay perform play prevent process protect
    provide put reach read receive recommend reduce refer relate release remain remove replace report require
    required return run saw say see seem select send serve set show sign sold solve spend stand start started
    state stay stop store study support take taken talk teach think took treat try turn understand update use used
    wait walk wants went win wins won work worked works write written wrote typically usually still ever yet
    already actually really main most according happens takes uses needs depends describes provides supports
    contains causes becomes refers marry wed met gets got performed released does
    """.split()  # noqa: SIM905
)
_JOINT = re.compile(r"(?:\s|-|/|\s?&\s?|['’]s\s|\s(?:of|de|von|van)\s(?:the\s)?)\Z")
_MAX_WORDS = 6
_DETERMINERS = frozenset({"the", "a", "an", "my", "our", "your", "its", "their", "this", "each", "every"})


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A phrase that may be what a pronoun stands for.

    ``named`` ones have capitals, digits or signs that are not those of a sentence's first word; ``article`` says that a
    determiner stands before it.
    """

    text: str
    span: Span
    named: bool
    plural: bool
    person: bool
    article: bool


def find_noun_phrases(text: str) -> tuple[NounPhrase, ...]:
    """Find the runs of content words of ``text`` that are probably noun phrases, in order."""
    words = find_words(text)
    phrases: list[NounPhrase] = []
    index = 0
    while index < len(words):
        determined = index > 0 and fold(words[index - 1].text) in _DETERMINERS
        if not _may_belong(words[index].text, determined=determined):
            index += 1
            continue
        end = index + 1
        while end < len(words) and end - index < _MAX_WORDS:
            gap = text[words[end - 1].span.end : words[end].span.start]
            follows = gap == "-" or _may_belong(words[end].text)
            if follows and _JOINT.fullmatch(gap):
                end += 1
            elif fold(words[end].text) in {"of", "de", "von"} and end + 1 < len(words) and gap == " ":
                skip = 2 if fold(words[end + 1].text) == "the" and end + 2 < len(words) else 1
                if not _may_belong(words[end + skip].text):
                    break
                end += skip + 1
            else:
                break
        phrase = _phrase(text, words[index].span.start, words[end - 1].span.end)
        if phrase:
            phrases.append(phrase)
        index = end
    return tuple(phrases)


def _may_belong(word: str, *, determined: bool = False) -> bool:
    """Say whether ``word`` may stand in a noun phrase; after a determiner a verb is a noun: "a change notice"."""
    folded = fold(word)
    if folded in STOP_WORDS:
        return word.isupper() and len(word) > 1
    return determined or folded not in _VERBS or any(c.isupper() for c in word)


def _phrase(text: str, start: int, end: int) -> NounPhrase | None:
    phrase = text[start:end]
    words = phrase.split()
    first_of_sentence = not text[:start].strip() or text[:start].rstrip()[-1:] in ".?!:"
    if first_of_sentence and len(words) == 1 and words[0].istitle() and fold(words[0]) in _VERBS:
        return None
    inner = words[1:] if first_of_sentence else words
    named = any(any(c.isupper() or c.isdigit() or c in "_#" for c in word) for word in inner)
    named = named or any(sum(c.isupper() for c in word) > 1 or "_" in word for word in words)
    if first_of_sentence and len(words) > 1 and words[0][:1].isupper() and words[1][:1].isupper():
        named = True
    article = bool(re.search(r"\b(?:the|an?|this|that|these|those|my|our|your)\s\Z", text[:start], re.IGNORECASE))
    last = words[-1]
    return NounPhrase(
        text=phrase,
        span=Span(start, end),
        named=named,
        plural=last.endswith("s") and not last.endswith(("ss", "us", "is")) and len(last) > 3,
        person=2 <= len(words) <= 3 and all(word.istitle() for word in words) and not article,
        article=article,
    )
