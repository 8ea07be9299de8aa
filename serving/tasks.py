"""Tasks that chat front ends request for their own use: titles, tags, further questions. The graph is not used.

They are recognised by their structure, not by a phrase: Open WebUI wraps the conversation in a tag and specifies the
JSON it wants; LibreChat asks for a short title before a transcript. A question that merely quotes such phrases has
neither.

Source: the default prompts of Open WebUI (open_webui/config.py) and LibreChat (@librechat/agents, title.ts), read
2026-11.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.question import Asker, Turn
from serving.follow_ups import NearbyQuestions, follow_ups
from serving.footer import without_footer
from serving.wire import Message

MAX_TITLE_CHARACTERS = 60
_NEW = "New Chat"
_GENERAL = "General"
_READ_CHARACTERS = 2_000
_MOST_ORDER_CHARACTERS = 1_200
_HISTORY = ("<chat_history>", "</chat_history>")
_KEY = re.compile(r'\{\s*"(title|tags|follow_ups|queries|text|prompt)"\s*:')
# A request for a title that states the maximum length.
_TITLE_ORDER = re.compile(
    r"\s*(?:please )?(?:provide|generate|create|write|suggest|give)\b"
    r"(?=.{0,300}\btitle\b)(?=.{0,300}(?:words? or less|-word-or-less|\bwords?\b.{0,20}\btitle|max \d))",
    re.IGNORECASE | re.DOTALL,
)
_TRANSCRIPT = re.compile(r"^(?:\|\|>)?(?:user|human):", re.IGNORECASE | re.MULTILINE)
_TURN = re.compile(
    r"^(?:\|\|>)?(?P<role>user|human|assistant|ai|response|bot|model|title):[ \t]*", re.IGNORECASE | re.MULTILINE
)
_USERS = frozenset({"user", "human"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A front end's request about a conversation: for a JSON object with the key ``kind``, or for a title as text."""

    kind: str
    turns: tuple[Turn, ...]
    as_json: bool = True

    @property
    def questions(self) -> tuple[str, ...]:
        return tuple(turn.text for turn in self.turns if turn.role == "user" and turn.text.strip())


def find_task(messages: Sequence[Message]) -> Task | None:
    """Return the task in the last message, or None if it is a question."""
    text = messages[-1].content
    if messages[-1].role != "user" or not isinstance(text, str):
        return None
    # Open WebUI: the conversation in a tag, and outside it the JSON that is wanted. This does not use a regular
    # expression, which would take hours on a text that opens the tag thousands of times and never closes it.
    before, opened, rest = text.partition(_HISTORY[0])
    inside, closed, after = rest.rpartition(_HISTORY[1])
    key = _KEY.search(before) or _KEY.search(after) if opened and closed else None
    if key is not None:
        return Task(kind=key.group(1), turns=_turns_in(inside))
    # LibreChat: a request for a short title, then the conversation as a transcript.
    start = _TRANSCRIPT.search(text[: _MOST_ORDER_CHARACTERS + 100])
    if start is not None and _TITLE_ORDER.match(text[: start.start()]):
        return Task(kind="title", turns=_turns_in(text[start.start() :]), as_json=False)
    return None


def _turns_in(transcript: str) -> tuple[Turn, ...]:
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


async def answer_task(task: Task, asker: Asker, suggester: NearbyQuestions | None) -> str:
    """Return the content of the reply to ``task``, without the graph and without a language model.

    It uses only documents that the asker may read.
    """
    last = task.questions[-1].strip()[:_READ_CHARACTERS] if task.questions else ""
    value: str | list[str]
    match task.kind:
        case "title":
            value = title_of(task.questions[0][:_READ_CHARACTERS]) if task.questions else _NEW
        case "tags":
            value = [_GENERAL]
        case "follow_ups":
            said = " ".join(turn.text[:_READ_CHARACTERS] for turn in task.turns[-2:])
            value = list(await follow_ups(said, task.questions, suggester, asker)) if suggester and last else []
        case "queries":
            value = [last] if last else []
        case _:
            # The bot cannot complete typed text or choose a picture to draw.
            value = ""
    return json.dumps({task.kind: value}, ensure_ascii=False) if task.as_json else str(value)


def title_of(question: str) -> str:
    """Return the question as a title, shortened at a word boundary."""
    title = " ".join(question.split()) or _NEW
    if len(title) <= MAX_TITLE_CHARACTERS:
        return title
    cut = title[:MAX_TITLE_CHARACTERS]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut) + "…"
