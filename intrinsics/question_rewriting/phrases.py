"""What a question refers back to: fragments, pronouns, and the noun phrases that they may stand for."""

import re
from dataclasses import dataclass
from typing import Literal

from contracts.text import Span
from tools.language import STOP_WORDS, find_words, fold

PronounKind = Literal["thing", "things", "person", "whose", "whose_many", "whose_person"]

_FRAGMENT = re.compile(
    r"\s*(?:(?:and|or|but|ok(?:ay)?|so|then|yes|no|also|now|hm+|thanks|thank you)[,.!]?\s+)*"
    r"(?:(?:what|how)\s+about|what\s+if\s+it(?:'s|\s+is)|same\s+for|(?:and|or|but)\s+(?:what\s+)?(?=for|in|on|at|with|from|to|by|of|if|when|the|an?))"
    r"\s*(?P<rest>.+?)\s*\??\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
_JOINED = re.compile(r"\s*(?:and|or|but|also|then|so)[,]?\s+(?P<rest>.+?)\s*\??\s*\Z", re.IGNORECASE | re.DOTALL)
_PREPOSITIONAL = re.compile(
    r"\s*(?P<rest>(?:for|in|on|at|with|without|from|by|of|under|during|after|before)\s+.+?)\s*\?\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
_BARE = re.compile(
    r"\s*(?:but\s+|and\s+|so\s+|ok(?:ay)?,?\s+)?(?:why(?:\s+(?:not|so|is\s+that|that))?|how(?:\s+(?:so|come|exactly|long|much|many|often|fast|big|far|old))?|when|where|who|since\s+when|"
    r"by\s+whom|how\s+is\s+that|really|are\s+you\s+sure|what\s+else|anything\s+else|tell\s+me\s+more|more|go\s+on|such\s+as|"
    r"for\s+example|like\s+what|which\s+ones?|explain|what\s+for)\s*[?.!]*\s*\Z",
    re.IGNORECASE,
)
_WH = re.compile(r"(?:who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:is|are|was|were|am|be|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?P<pronoun>it|its|they|them|their|theirs|he|him|she|this|that|these|those|his|her|hers)\b(?!['’])|\b(?P<is>it|that|he|she|they)(?=['’](?:s|re|ll|d)\b)",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"\b(?:is|was|does|will|would|can|could|if|when)\s+it\s+(?:\w+\s+){0,2}(?:that|to|possible|necessary|allowed|true|worth|safe|ok|rain|mean\s+(?:that|to|when|if)|take\s+(?:\w+\s+){0,2}?(?:to|for))\b|"
    r"\bit\s+(?:is|was|'s)\s+(?:\w+\s+){0,2}(?:that|to|possible|necessary|true)\b",
    re.IGNORECASE,
)
_BEFORE_PRONOUN = re.compile(
    r"\b(?:of|for|about|is|does|do|did|was|to|with|from|under|into|over|in|on|after|before|like|than|why|how|and)\s\Z",
    re.IGNORECASE,
)
_KINDS: dict[str, PronounKind] = {
    "it": "thing", "this": "thing", "that": "thing", "they": "things", "them": "things", "these": "things",
    "those": "things", "its": "whose", "their": "whose_many", "theirs": "whose_many", "he": "person", "him": "person",
    "she": "person", "his": "whose_person", "her": "whose_person", "hers": "whose_person",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A pronoun at ``span`` that nothing in its own question explains."""

    span: Span
    kind: PronounKind


def fragment_of(question: str) -> str:
    """Return what a fragment such as "and for DDR2?" puts in place of something said before, or ""."""
    if match := _FRAGMENT.match(question):
        return match.group("rest")
    match = _JOINED.match(question) or _PREPOSITIONAL.match(question)
    if match and _WH.match(match.group("rest")):
        return ""
    if match and not _VERB.search(match.group("rest")) and len(match.group("rest").split()) <= 8:
        return match.group("rest")
    words = question.strip(" ?.!").split()
    if (
        1 <= len(words) <= 3
        and not _VERB.search(question)
        and question.rstrip().endswith("?")
        and not is_bare(question)
    ):
        return "" if _WH.match(words[0]) else question.strip(" ?.!")
    return ""


def is_bare(question: str) -> bool:
    """Say whether ``question`` has nothing of its own: "why?", "how long?", "tell me more"."""
    return bool(_BARE.match(question))


def is_keyword(question: str) -> bool:
    """Say whether ``question`` is one to three small words and no question: "in water", "free viewing"."""
    words = question.split()
    small = question == question.lower() or (len(words) == 1 and question[1:].islower())
    return 1 <= len(words) <= 3 and small and question[-1:].isalpha() and not _VERB.search(question)


def pronouns_of(question: str) -> tuple[Pronoun, ...]:
    """Return the pronouns of ``question`` that point to what was said before, in order."""
    expletive = [(match.start(), match.end()) for match in _EXPLETIVE.finditer(question)]
    found = []
    for match in _PRONOUN.finditer(question):
        word = fold(match.group())
        if any(low <= match.start() < high for low, high in expletive):
            continue
        if word in {"that", "this", "these", "those", "her", "his"} and not _stands_alone(question, match, word):
            continue
        found.append(Pronoun(Span(match.start(), match.end()), _KINDS[word]))
    return tuple(found)


def _stands_alone(question: str, match: re.Match[str], word: str) -> bool:
    """Say whether "that" is a pronoun and not an article or conjunction."""
    after = question[match.end() :].lstrip()
    if word in {"her", "his"}:
        return True
    following = re.match(r"[^\W\d_]+", after)
    if word == "that" and match.start() and not _BEFORE_PRONOUN.search(question[: match.start()]):
        return False
    return not following or fold(following.group()) in STOP_WORDS or bool(_VERB.match(after))


def demonstrative_of(question: str) -> Span | None:
    """Return the place of "this process", "that one", "these options": an article that points back."""
    match = re.search(r"\b(?:this|that|these|those|such(?:\s+an?)?)\s+(?:ones?|[^\W\d_]+)", question, re.IGNORECASE)
    if not match or fold(match.group().split()[-1]) in STOP_WORDS - {"one"}:
        return None
    before = question[: match.start()]
    if fold(match.group()).startswith("that ") and re.search(r"[^\W\d_]{4,}\s\Z", before):
        # "the part that fails": a conjunction, unless a verb or preposition stands before it.
        return Span(match.start(), match.end()) if _BEFORE_PRONOUN.search(before) else None
    return Span(match.start(), match.end())


def content_words(text: str) -> list[str]:
    """Return the folded words of ``text`` that are not stop words."""
    return [fold(word.text) for word in find_words(text) if fold(word.text) not in STOP_WORDS]


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
