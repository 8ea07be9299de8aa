"""Corrections of a meaning: "DLL means Dynamic-Link Library" repeats the last question with that meaning."""

import re
from collections.abc import Sequence

from agent.clarification import Resumed, resume
from agent.replies import Meaning, meaning_in
from contracts.jargon import Sense
from contracts.question import SensePick, Turn
from tools.jargon.base import JargonDictionary
from tools.language import find_words, fold

_LEAD = r"(?:(?:no|nope|not that|wrong|sorry|actually|but|please|well)\b[\s,.;:!–-]*)*"
_NAMED = re.compile(
    rf"^{_LEAD}(?:by |with |here )?[“\"'‘*]*(?P<term>[^\s“”\"'*=→][^“”\"*=→]{{0,60}}?)[”\"'’*]*"
    r"(?:,?\s+(?:i (?:mean|meant|want)|here means|means|meant|stands for|is short for|as in|is read as)"
    r"|\s*(?:=|→|->))\s*[,:]?\s*(?P<meaning>\S.{0,300}?)[\s.!]*$",
    re.IGNORECASE,
)
_UNNAMED = re.compile(
    rf"^{_LEAD}(?:i (?:mean|meant|was asking about|am asking about)|it means|meant is)\s+"
    r"(?P<meaning>\S.{0,300}?)[\s.!]*$",
    re.IGNORECASE,
)
_MOST_WORDS = 60


async def read_correction(reply: str, history: Sequence[Turn], dictionary: JargonDictionary) -> Resumed | None:
    """Interpret ``reply`` as a correction of a term's meaning in the previous question; None if it is not one.

    The dictionary must have several meanings for a term of that question, exactly one of which fits the reply.
    """
    if len(history) < 2 or history[-1].role != "assistant" or history[-2].role != "user" or reply.endswith("?"):
        return None
    said = _said(reply)
    if not said:
        return None
    question, earlier = history[-2].text, tuple(history[:-2])
    # The last question that was answered, with its picks.
    asked = resume(question, earlier) or await read_correction(question, earlier, dictionary)
    asked = asked or Resumed(question, (), earlier)
    terms = [word.text for word in find_words(asked.question)][:_MOST_WORDS]
    for named, meaning in said:
        senses = await dictionary.senses([named] if named else list(dict.fromkeys(terms)))
        fitting = {}
        for term, some in senses.items():
            picked = _picked(meaning, term, some)
            if picked is not None and _uses(asked.question, (term, picked.term, *picked.aliases)):
                fitting[fold(picked.term), fold(picked.extended_name), fold(picked.context)] = picked
        if len(fitting) == 1:
            (sense,) = fitting.values()
            pick = SensePick(term=sense.term, extended_name=sense.extended_name, context=sense.context)
            kept = tuple(each for each in asked.picks if fold(each.term) != fold(pick.term))
            return Resumed(asked.question, (*kept, pick), asked.history)
    return None


def _said(reply: str) -> list[tuple[str, str]]:
    """Return the ways to interpret ``reply``, each as a term ("" if it names none) and a meaning in its own words."""
    found = []
    if match := _UNNAMED.match(reply):
        found.append(("", match.group("meaning")))
    if match := _NAMED.match(reply):
        found.append((match.group("term").strip(), match.group("meaning")))
    return found


def _picked(meaning: str, term: str, senses: Sequence[Sense]) -> Sense | None:
    distinct = {(fold(sense.extended_name), fold(sense.context)): sense for sense in senses}
    if len(distinct) < 2:
        return None
    offers = [Meaning(0, sense.extended_name, sense.context, sense.description) for sense in distinct.values()]
    found = meaning_in(meaning, term, offers)
    return distinct[fold(found.name), fold(found.context)] if found is not None else None


def _uses(question: str, spellings: Sequence[str]) -> bool:
    folded = fold(question)
    return any(re.search(rf"(?<!\w){re.escape(fold(each))}(?!\w)", folded) for each in spellings if each.strip())
