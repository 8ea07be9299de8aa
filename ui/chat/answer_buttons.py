"""The questions of the buttons under an answer: with another meaning or spelling, or the same question again."""

import re
from dataclasses import dataclass

from contracts.answer import Answer
from contracts.question import SensePick
from ui.chat.conversation import Exchange
from ui.pages import Action
from ui.words import Words

_MAX_MEANING_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class NextQuestion:
    """What to ask: ``question`` as shown, ``asked`` as sent to the server, a ``note`` on the change, and a choice."""

    question: str
    asked: str
    note: str = ""
    pick: SensePick | None = None


def question_of_button(action: Action, exchange: Exchange, words: Words) -> NextQuestion | None:
    """Return the question of a button under ``exchange``, None if it asks nothing.

    The button sends the ``term``, as it is ``written`` in the question, and its other ``name``; a meaning in the
    asker's own words replaces the term, because the dictionary does not have it.
    """
    if action.name == "again":
        return NextQuestion(question=exchange.question, asked=exchange.asked or exchange.question)
    term, name = action.values.get("term", ""), action.values.get("name", "")
    name = " ".join((name or action.fields.get("meaning", "")).split())[:_MAX_MEANING_CHARACTERS]
    if exchange.answer is None or not term or not name:
        return None
    asked, pick, change = _words(exchange, exchange.answer), None, words("chat.read_as", term=term, name=name)
    match action.name:
        case "suggestion":
            asked, change = respelt(asked, term, name), words("chat.spelled_as", term=term, spelling=name)
        case "own_meaning":
            asked = respelt(asked, action.values.get("written", term), name)
            pick = SensePick(term=term, decision="none")
        case "sense":
            pick = SensePick(term=term, extended_name=name, context=action.values.get("context", ""))
        case _:
            return None
    note = words("chat.asked_again", changes=change)
    return NextQuestion(question=exchange.question, asked=asked, note=note, pick=pick)


def _words(exchange: Exchange, answer: Answer) -> str:
    """Return the question to ask again: the asker's own words, unless they only made sense after earlier turns."""
    standalone, asked = answer.standalone_question, exchange.asked or exchange.question
    return standalone if standalone and standalone not in asked else asked


def respelt(question: str, term: str, spelling: str) -> str:
    """Replace ``term`` in ``question`` with ``spelling``, or append ``spelling`` if ``term`` is not in it."""
    pattern = re.compile(rf"(?<!\w){re.escape(term)}(?!\w)", re.IGNORECASE)
    changed, count = pattern.subn(lambda _: spelling, question)
    return changed if count else f"{question} ({spelling})"
