"""Clarification: a clarifying question with numbered options, and the reply to it.

The reply is interpreted from the text of the conversation only, because a stateless client sends nothing else:
``resume`` can parse the clarifying question.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.replies import Meaning, decision_in, is_number, meaning_in
from agent.wording import escape, unescape
from contracts.answer import ClarifyingOption
from contracts.jargon import Reading
from contracts.question import SensePick, Turn
from tools.language import fold

# Shown for a meaning that applies everywhere, if another meaning with the same name applies only in one context.
_ANYWHERE = "anywhere else"
_ASK = "has several meanings here. Which one do you mean?"
_HEAD = re.compile(rf"^\**(?P<term>.+?)\** {re.escape(_ASK)}", re.MULTILINE)
_OPTION = re.compile(
    r"^\s*(?P<number>\d{1,2})[.)] (?:\*\*(?P<name>(?:\\.|[^*\\])+)\*\*|(?P<plain>[^:\n]+?))"
    r"(?: \((?P<context>(?:[^()]|\([^()]*\))+)\))?(?:: (?P<description>.*))?$",
    re.MULTILINE,
)
_MAX_OPTIONS = 9
_MAX_DESCRIPTION = 160


@dataclass(frozen=True, slots=True)
class Resumed:
    """The question that a reply continues: its original words, the picks so far, and the turns before it."""

    question: str
    picks: tuple[SensePick, ...]
    history: tuple[Turn, ...]


def offer(reading: Reading) -> tuple[ClarifyingOption, ...]:
    """Number the senses that remain plausible."""
    return tuple(
        ClarifyingOption(number=number, sense=sense)
        for number, sense in enumerate(reading.alternatives[:_MAX_OPTIONS], start=1)
    )


def ask_back(term: str, options: Sequence[ClarifyingOption]) -> str:
    """Write the clarifying question."""
    lines = [f"**{escape(term)}** {_ASK}", ""]
    for option in options:
        sense = option.sense
        twins = [each for each in options if fold(each.sense.extended_name) == fold(sense.extended_name)]
        place = sense.context or (_ANYWHERE if len(twins) > 1 else "")
        context = f" ({escape(place)})" if place else ""
        description = " ".join(sense.description.split())
        if len(description) > _MAX_DESCRIPTION:
            description = description[:_MAX_DESCRIPTION].rsplit(" ", 1)[0] + " …"
        detail = f": {escape(description)}" if description else ""
        lines.append(f"{option.number}. **{escape(sense.extended_name)}**{context}{detail}")
    lines += ["", "Answer with a number, or with the meaning in words."]
    return "\n".join(lines)


def resume(reply: str, history: Sequence[Turn]) -> Resumed | None:
    """Interpret ``reply`` as the answer to a clarifying question at the end of ``history``; None if it is not one.

    A question with two ambiguous terms leads to two clarifying questions; the picks from both are combined. A number
    that no option has picks nothing, so the same question is asked again.
    """
    if len(history) < 2 or history[-1].role != "assistant" or history[-2].role != "user":
        return None
    back = history[-1].text
    head = _HEAD.search(back)
    if head is None:
        return None
    pick = _pick_in(reply, unescape(head.group("term")), _offers(back[head.end() :]))
    if pick is None and not is_number(reply):
        return None
    picks = (pick,) if pick is not None else ()
    earlier = tuple(history[:-2])
    before = resume(history[-2].text, earlier)
    if before is not None:
        return Resumed(before.question, (*before.picks, *picks), before.history)
    return Resumed(history[-2].text, picks, earlier)


def _pick_in(reply: str, term: str, offers: Sequence[Meaning]) -> SensePick | None:
    decision = decision_in(reply)
    if decision != "one":
        return SensePick(term=term, extended_name="", decision=decision)
    named = [each for each in offers if fold(each.name) == fold(reply)]
    if len(named) > 1:
        return SensePick(term=term, extended_name=named[0].name)
    picked = meaning_in(reply, term, offers)
    return None if picked is None else SensePick(term=term, extended_name=picked.name, context=picked.context)


def _offers(text: str) -> list[Meaning]:
    return [
        Meaning(
            int(match.group("number")),
            unescape(match.group("name") or match.group("plain")).strip(),
            "" if match.group("context") == _ANYWHERE else unescape(match.group("context") or ""),
            unescape(match.group("description") or ""),
        )
        for match in _OPTION.finditer(text)
    ]
