"""Finds the noun phrases in a question, and the subjects that a later question may refer to."""

import re
from dataclasses import dataclass

from contracts.text import Span
from tools.language import STOP_WORDS, Word, find_words, fold
from tools.language.verbs import base_form, is_also_noun, is_gerund, is_past

_DETERMINERS = frozenset("the a an my our your its their this these those each every many much which".split())  # noqa: SIM905
_NO_NOUNS = frozenset(
    """abroad according actually afterwards already always available better ever exactly instead less main mainly mostly
    really still today tomorrow typically usually yesterday yet""".split()  # noqa: SIM905
)
_JOINT = re.compile(r"\s|-|/|\s?&\s?|['’]s\s")
DETERMINER = r"(?:the|an?|my|our|your|each|every|this|that|these|those)"
_ARTICLE = re.compile(rf"\b{DETERMINER}\s\Z", re.IGNORECASE)
_PREPOSITION = re.compile(
    r"\s(?:of|for|in|on|at|to|from|with|without|between|under|during|by|per|after|before)"
    rf"\s(?:{DETERMINER}\s)?",
    re.IGNORECASE,
)
_MAX_WORDS = 6


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A phrase that a later pronoun may stand for.

    ``named`` is true if the phrase has capitals (other than at the beginning of a sentence), digits or signs;
    ``article`` is true if a determiner comes before it.
    """

    text: str
    span: Span
    named: bool
    plural: bool = False
    person: bool = False
    article: bool = False


def find_noun_phrases(text: str) -> tuple[NounPhrase, ...]:
    """Find the runs of content words in ``text`` that are probably noun phrases, in order."""
    words = find_words(text)
    nouns = _nouns(words, text)
    phrases = []
    start = 0
    while start < len(words):
        end = start + 1
        while (
            nouns[start]
            and end < min(len(words), start + _MAX_WORDS)
            and nouns[end]
            and _JOINT.fullmatch(text[words[end - 1].span.end : words[end].span.start])
        ):
            end += 1
        if nouns[start]:
            phrases.append(_phrase(text, words[start].span.start, words[end - 1].span.end))
        start = end
    return tuple(phrases)


def find_subjects(question: str) -> tuple[NounPhrase, ...]:
    """Find the possible subjects of ``question``, including all qualifiers: "the limit of the API"."""
    chains: list[NounPhrase] = []
    for phrase in find_noun_phrases(question):
        before = chains[-1] if chains else None
        if before and _PREPOSITION.fullmatch(question[before.span.end : phrase.span.start]):
            chains[-1] = _extended(before, question[before.span.start : phrase.span.end], phrase)
        else:
            chains.append(phrase)
    return tuple(chains)


def _extended(phrase: NounPhrase, text: str, by: NounPhrase) -> NounPhrase:
    return NounPhrase(
        text=text,
        span=Span(phrase.span.start, max(phrase.span.end, by.span.end)),
        named=phrase.named or by.named,
        plural=phrase.plural,
        article=phrase.article,
    )


def _nouns(words: tuple[Word, ...], text: str) -> list[bool]:
    """Return for each word whether it may be in a noun phrase; possible verbs count only after an article."""
    nouns: list[bool] = []
    for index, word in enumerate(words):
        folded = fold(word.text)
        before = fold(words[index - 1].text) if index else ""
        joined = index > 0 and nouns[-1] and text[words[index - 1].span.end : word.span.start] == "-"
        named = word.text[1:] != word.text[1:].lower() or any(c.isdigit() for c in word.text)
        named = named or (word.text[0].isupper() and index > 0 and text[: word.span.start].rstrip()[-1:] not in ".?!:")
        verb = base_form(folded) and not is_gerund(folded) and (not is_also_noun(folded) or is_past(folded))
        content = folded not in STOP_WORDS | _NO_NOUNS
        nouns.append((named and len(word.text) > 1) or (content and (joined or before in _DETERMINERS or not verb)))
    return nouns


def _phrase(text: str, start: int, end: int) -> NounPhrase:
    phrase = text[start:end]
    words = phrase.split()
    first_of_sentence = not text[:start].strip() or text[:start].rstrip()[-1:] in ".?!:"
    article = bool(_ARTICLE.search(text[:start]))
    last = words[-1]
    return NounPhrase(
        text=phrase,
        span=Span(start, end),
        named=any(
            sum(c.isupper() or c.isdigit() or c in "_#" for c in word) > (first_of_sentence and not at)
            for at, word in enumerate(words)
        ),
        plural=last.endswith("s") and not last.endswith(("ss", "us", "is")) and len(last) > 3,
        person=2 <= len(words) <= 3 and all(word.istitle() for word in words) and not article,
        article=article,
    )
