"""Which requests are a front end's own: told by their structure, not by a phrase in them.

Open WebUI wraps the conversation in a tag and says which JSON it wants; LibreChat and others ask for a title of few
words, before a transcript or behind the conversation itself. A question that merely quotes such words has neither.

Source: the default prompts of Open WebUI (open_webui/config.py) and LibreChat (@librechat/agents, title.ts), and those
of Page Assist and NextChat, read 2026-11.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from contracts.jargon import Sense
from contracts.question import Turn
from serving.footer import senses_in, without_footer
from serving.wire import Message

TaskKind = Literal["title", "tags", "follow_ups", "queries", "text", "prompt"]

_HISTORY = ("<chat_history>", "</chat_history>")
_KEY = re.compile(r'\{\s*"(title|tags|follow_ups|queries|text|prompt)"\s*:')
_OPENING = re.compile(r"\s*#{1,3} *Task:?\s*\n(?P<first>[^\n]*)")
_TYPED = ("<text>", "</text>")
_NAMED: tuple[tuple[TaskKind, re.Pattern[str]], ...] = (
    ("follow_ups", re.compile(r"follow[- ]?ups?\b", re.IGNORECASE)),
    ("title", re.compile(r"\btitle\b", re.IGNORECASE)),
    ("tags", re.compile(r"\btags\b", re.IGNORECASE)),
    ("queries", re.compile(r"\bsearch quer", re.IGNORECASE)),
)
# An order for a title that says how short it is to be.
_TITLE_ORDER = re.compile(
    r"\s*(?:please )?(?:(?:provide|generate|create|write|suggest|give)\b|analy[sz]e this conversation and provide:)"
    r"(?=.{0,300}\btitle\b)(?=.{0,300}(?:words? or less|-word-or-less|\bwords?\b.{0,20}\btitle|max \d))",
    re.IGNORECASE | re.DOTALL,
)
_ALONE = re.compile(r"only (?:return|respond with|reply with)|without any|no punctuation|nothing else", re.IGNORECASE)
_TRANSCRIPT = re.compile(r"^(?:\|\|>)?(?:user|human):", re.IGNORECASE | re.MULTILINE)
_QUERY = re.compile(r"\s*Here is the query:\s*-{3,}\n(?P<query>.*?)\n-{3,}\s*\n(?P<order>.*)", re.DOTALL)
_TURN = re.compile(
    r"^(?:\|\|>)?(?P<role>user|human|assistant|ai|response|bot|model|title):[ \t]*", re.IGNORECASE | re.MULTILINE
)
_USERS = frozenset({"user", "human"})
_MOST_ORDER_CHARACTERS = 1_200


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a front end wants of a conversation.

    ``senses`` are the meanings with which its terms were read, as its answers say. ``as_json``: as an object with the
    key ``kind``; else as plain text. ``typed`` is what somebody is writing ("text"). ``language_too``: the object also
    names the language ("title").
    """

    kind: TaskKind
    turns: tuple[Turn, ...]
    senses: tuple[Sense, ...] = ()
    as_json: bool = True
    typed: str = ""
    language_too: bool = False

    @property
    def questions(self) -> tuple[str, ...]:
        """What the user asked, oldest first."""
        return tuple(turn.text for turn in self.turns if turn.role == "user" and turn.text.strip())


def find_task(messages: Sequence[Message]) -> Task | None:
    """Return the task that the last message sets, or None: then it is a question."""
    if messages[-1].role != "user" or not isinstance(messages[-1].content, str):
        return None
    text = messages[-1].content
    return _wrapped(text) or _transcribed(text) or _queried(text) or _ordered(text, messages[:-1])


def _wrapped(text: str) -> Task | None:
    """Open WebUI: the conversation in a tag, and outside of it the JSON that is wanted, or the task by its name."""
    before, said, after = _between(text, _HISTORY)
    if said is None:
        return None
    outside = before + "\n" + after
    turns, senses = turns_in(said), senses_in(said)
    typed = _between(after, _TYPED)[1]
    if typed is not None and '"text"' in outside:
        return Task(kind="text", turns=turns, senses=senses, typed=typed)
    key = _KEY.search(outside)
    if key is not None:
        return Task(kind=_kind(key.group(1)), turns=turns, senses=senses)
    opening = _OPENING.match(text)
    if opening is not None:
        for kind, named in _NAMED:
            if named.search(opening.group("first")):
                return Task(kind=kind, turns=turns, senses=senses, as_json=kind != "title")
    return None


def _between(text: str, tags: tuple[str, str]) -> tuple[str, str | None, str]:
    """Return what stands before the first of ``tags``, between it and the last of the other, and behind that."""
    # Not by a regular expression: of a text that only opens the tag, many thousand times, that would take hours.
    opening, closing = tags
    before, opened, rest = text.partition(opening)
    inside, closed, after = rest.rpartition(closing)
    return (before, inside, after) if opened and closed else (text, None, "")


def _kind(key: str) -> TaskKind:
    return next(kind for kind in ("title", "tags", "follow_ups", "queries", "text", "prompt") if kind == key)


def _transcribed(text: str) -> Task | None:
    """LibreChat: an order for a short title, then the conversation as a transcript."""
    start = _TRANSCRIPT.search(text)
    if start is None or start.start() > _MOST_ORDER_CHARACTERS:
        return None
    order = text[: start.start()]
    if not _TITLE_ORDER.match(order):
        return None
    said = text[start.start() :]
    return Task(
        kind="title",
        turns=turns_in(said),
        senses=senses_in(said),
        as_json=False,
        language_too=_wants_language(order),
    )


def _queried(text: str) -> Task | None:
    """Page Assist: the question between lines, then an order for a title of it."""
    match = _QUERY.fullmatch(text)
    if match is None or not re.search(r"\btitle\b", match.group("order")[:_MOST_ORDER_CHARACTERS]):
        return None
    return Task(kind="title", turns=(Turn(role="user", text=match.group("query").strip()),), as_json=False)


def _ordered(text: str, before: Sequence[Message]) -> Task | None:
    """An order for nothing but a short title, behind the conversation itself."""
    if len(text) > _MOST_ORDER_CHARACTERS or not (_TITLE_ORDER.match(text) and _ALONE.search(text)):
        return None
    said = "\n\n".join(message.content for message in before if isinstance(message.content, str))
    turns = tuple(
        Turn(role="user" if message.role == "user" else "assistant", text=without_footer(message.content))
        for message in before
        if message.role in ("user", "assistant") and isinstance(message.content, str)
    )
    return Task(kind="title", turns=turns, senses=senses_in(said), as_json=False) if turns else None


def _wants_language(order: str) -> bool:
    return "language" in order.casefold() and bool(re.match(r"\s*analy[sz]e", order, re.IGNORECASE))


def turns_in(transcript: str) -> tuple[Turn, ...]:
    """Read a transcript whose turns begin with ``USER:``, ``ASSISTANT:``, ``AI:`` and the like."""
    heads = list(_TURN.finditer(transcript))
    ends = [head.start() for head in heads[1:]] + [len(transcript)] * bool(heads)
    turns = []
    for head, end in zip(heads, ends, strict=True):
        said = transcript[head.end() : end].strip().strip('"').strip()
        role = head.group("role").casefold()
        if said and role != "title":
            turns.append(Turn(role="user" if role in _USERS else "assistant", text=without_footer(said)))
    return tuple(turns)
