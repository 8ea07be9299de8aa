"""What a button under an answer asks: another meaning, another spelling, a further question, or the same again."""

import re
from dataclasses import dataclass

from contracts.answer import Answer
from contracts.question import SensePick
from ui.chat.conversation import Exchange
from ui.chat.render import other_senses
from ui.pages import Action
from ui.words import Words

_MAX_MEANING_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What to ask: ``question`` as it is shown, ``asked`` as sent to the server, a ``note`` on what changed, a choice.

    ``before`` is the earlier answer to the same question, None if there is none.
    """

    question: str
    asked: str
    note: str = ""
    pick: SensePick | None = None
    before: Answer | None = None


def wish_in(action: Action, exchange: Exchange, words: Words) -> Wish | None:
    """Return what a button under ``exchange`` asks, None if the button does not exist (any more)."""
    if action.name == "again":
        return Wish(question=exchange.question, asked=exchange.asked or exchange.question, before=exchange.answer)
    answer = exchange.answer
    if answer is None:
        return None
    try:
        return _wish(action, exchange, answer, words)
    except IndexError:
        return None


def _wish(action: Action, exchange: Exchange, answer: Answer, words: Words) -> Wish | None:
    reading, option = action.number("reading"), action.number("option")
    asked = _words(exchange, answer)
    if action.name == "follow_up" and option >= 0:
        question = answer.follow_ups[option]
        return Wish(question=question, asked=question)
    if action.name == "suggestion" and min(reading, option) >= 0:
        unknown = answer.unknown_terms[reading]
        spelling = unknown.suggestions[option]
        note = words("chat.spelled_as", term=unknown.text, spelling=spelling)
        return _again(exchange, respelt(asked, unknown.text, spelling), note, words)
    if action.name == "own_meaning" and reading >= 0:
        return _own(action, exchange, answer, asked, words)
    if action.name == "sense" and min(reading, option) >= 0:
        read = answer.readings[reading]
        term, sense = read.term, other_senses(read)[option]
    elif action.name == "option" and option >= 0:
        sense = answer.options[option].sense
        term = sense.term
    else:
        return None
    pick = SensePick(term=term, extended_name=sense.extended_name, context=sense.context)
    return _again(exchange, asked, words("chat.read_as", term=term, name=sense.extended_name), words, pick)


def _own(action: Action, exchange: Exchange, answer: Answer, asked: str, words: Words) -> Wish | None:
    """Ask with a meaning in the asker's own words, which replace the term because the dictionary does not have it."""
    meaning = " ".join(action.fields.get("meaning", "").split())[:_MAX_MEANING_CHARACTERS]
    if not meaning:
        return None
    read = answer.readings[action.number("reading")]
    spelt = respelt(asked, read.text, meaning)
    pick = SensePick(term=read.term or read.text, decision="none")
    return _again(exchange, spelt, words("chat.read_as", term=read.term or read.text, name=meaning), words, pick)


def _again(exchange: Exchange, asked: str, change: str, words: Words, pick: SensePick | None = None) -> Wish:
    note = words("chat.asked_again", changes=change)
    return Wish(question=exchange.question, asked=asked, note=note, pick=pick, before=exchange.answer)


def _words(exchange: Exchange, answer: Answer) -> str:
    """Return the question to ask again: the asker's words, unless they only made sense after the earlier turns."""
    standalone, asked = answer.standalone_question, exchange.asked or exchange.question
    return standalone if standalone and standalone not in asked else asked


def respelt(question: str, term: str, spelling: str) -> str:
    """Return ``question`` with ``term`` replaced by ``spelling``, or ``spelling`` appended if it does not contain
    ``term``.
    """
    pattern = re.compile(rf"(?<!\w){re.escape(term)}(?!\w)", re.IGNORECASE)
    changed, count = pattern.subn(lambda _: spelling, question)
    return changed if count else f"{question} ({spelling})"
