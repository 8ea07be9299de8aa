"""Clarification: a question back with numbered options, and the reply to it.

The reply is understood from the conversation's words alone, since a stateless client brings nothing else: the question
back is written in a form that ``resume`` reads again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.markdown import escape, unescape
from contracts.answer import ClarifyingOption
from contracts.jargon import Reading
from contracts.question import SensePick, Turn
from tools.language import content_stems, find_words, fold, stem

_ASK = "has several meanings here. Which one do you mean?"
_HEAD = re.compile(rf"^\**(?P<term>.+?)\** {re.escape(_ASK)}", re.MULTILINE)
_OPTION = re.compile(
    r"^\s*(?P<number>\d{1,2})[.)] (?:\*\*(?P<name>(?:\\.|[^*\\])+)\*\*|(?P<plain>[^(:\n]+?))"
    r"(?: \((?P<context>.+?)\))?(?:: (?P<description>.*))?$",
    re.MULTILINE,
)
_MAX_OPTIONS = 9
_MAX_DESCRIPTION = 160
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
# Words of a reply that point to an option without saying which.
_FILLER = frozenset(
    """answer choice choose chose context department field guess hmm kind mean meaning meant no number ok
    okay option pick please prefer select sense sure take think version yeah yes yep""".split()  # noqa: SIM905
)
_FILLER_STEMS = frozenset(stem(word) for word in _FILLER)


@dataclass(frozen=True, slots=True)
class Resumed:
    """The question that a reply continues: the original words, the picks so far, the turns before it."""

    question: str
    picks: tuple[SensePick, ...]
    history: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Meaning:
    """A meaning that a reply may point to, by its number (0: none was shown), its name, or words of the rest."""

    number: int
    name: str
    context: str
    description: str


def offer(reading: Reading) -> tuple[ClarifyingOption, ...]:
    """Number the senses that stay plausible."""
    return tuple(
        ClarifyingOption(number=number, sense=sense)
        for number, sense in enumerate(reading.alternatives[:_MAX_OPTIONS], start=1)
    )


def ask_back(term: str, options: Sequence[ClarifyingOption]) -> str:
    """Word the question back."""
    lines = [f"**{escape(term)}** {_ASK}", ""]
    for option in options:
        sense = option.sense
        context = f" ({escape(sense.context)})" if sense.context else ""
        description = " ".join(sense.description.split())
        if len(description) > _MAX_DESCRIPTION:
            description = description[:_MAX_DESCRIPTION].rsplit(" ", 1)[0] + " …"
        detail = f": {escape(description)}" if description else ""
        lines.append(f"{option.number}. **{escape(sense.extended_name)}**{context}{detail}")
    lines += ["", "Answer with a number, or with the meaning in words."]
    return "\n".join(lines)


def resume(reply: str, history: Sequence[Turn]) -> Resumed | None:
    """Understand ``reply`` as the answer to a question back at the end of ``history``; None where it is not one.

    A question with two ambiguous terms leads to two questions back: the picks of both are collected.
    """
    if len(history) < 2 or history[-1].role != "assistant" or history[-2].role != "user":
        return None
    back = history[-1].text
    head = _HEAD.search(back)
    if head is None:
        return None
    picked = meaning_in(reply, unescape(head.group("term")), _offers(back[head.end() :]))
    if picked is None:
        return None
    pick = SensePick(term=unescape(head.group("term")), extended_name=picked.name)
    earlier = tuple(history[:-2])
    before = resume(history[-2].text, earlier)
    if before is not None:
        return Resumed(before.question, (*before.picks, pick), before.history)
    return Resumed(history[-2].text, (pick,), earlier)


def _offers(text: str) -> list[Meaning]:
    return [
        Meaning(
            int(match.group("number")),
            unescape(match.group("name") or match.group("plain")).strip(),
            unescape(match.group("context") or ""),
            unescape(match.group("description") or ""),
        )
        for match in _OPTION.finditer(text)
    ]


def meaning_in(reply: str, term: str, offers: Sequence[Meaning]) -> Meaning | None:
    """Return the one of ``offers`` for ``term`` that ``reply`` points to; None where it is none of them, or several."""
    for each in offers:
        if fold(reply) == fold(each.name):
            return each
    numbers, words = _take_apart(reply, len(offers))
    if numbers:
        numbered = [each for each in offers if numbers == {each.number}]
        if numbered and words <= _words_of(numbered[0], term, True):
            return numbered[0]
    said = set(content_stems(reply)) - _FILLER_STEMS
    if said - set(content_stems(term)):
        # A number in the reply may be part of a name ("two-level cell"), but hardly of a description.
        for with_description in (False,) if numbers else (False, True):
            fitting = [each for each in offers if said <= _words_of(each, term, with_description)]
            if len(fitting) == 1:
                return fitting[0]
    return None


def _words_of(offer: Meaning, term: str, with_description: bool) -> set[str]:
    detail = offer.description if with_description else ""
    return set(content_stems(f"{term} {offer.name} {offer.context} {detail}".replace("*", " ")))


def _take_apart(reply: str, count: int) -> tuple[set[int], set[str]]:
    """Part a reply into the option numbers it names, in digits or words, and the stems of its other words."""
    numbers: set[int] = set()
    words: set[str] = set()
    for word in find_words(reply):
        folded = fold(word.text)
        match = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?", folded)
        if match:
            numbers.add(int(match.group(1)))
        elif folded in _ORDINALS:
            numbers.add(_ORDINALS.index(folded) + 1)
        elif folded in _CARDINALS:
            numbers.add(_CARDINALS.index(folded) + 1)
        elif folded == "last":
            numbers.add(count)
        else:
            words.update(content_stems(folded))
    # "the second one", "the one in software": "one" points beside another number or word, and counts alone.
    if "one" in {fold(word.text) for word in find_words(reply)} and (len(numbers) > 1 or words - _FILLER_STEMS):
        numbers.discard(1)
    return numbers, words - _FILLER_STEMS
