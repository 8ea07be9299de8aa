"""Tasks: what chat front ends ask for themselves: titles, tags, further questions. They do not pass the graph.

They are told by their structure, not by a phrase in them: Open WebUI wraps the conversation in a tag and says which
JSON it wants; LibreChat asks for a title of few words before a transcript. A question that merely quotes such words has
neither.

Source: the default prompts of Open WebUI (open_webui/config.py) and LibreChat (@librechat/agents, title.ts), read
2026-11.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.jargon import Sense
from contracts.question import Asker, Turn
from serving.follow_ups import QuestionSuggester, follow_ups
from serving.footer import without_footer
from serving.wire import Message
from tools.jargon.base import JargonDictionary
from tools.language import STOP_WORDS, Word, find_words, fold

MAX_WORDS = 5
MAX_TITLE_CHARACTERS = 60
TAGS = 5
_NEW = "New Chat"
_GENERAL = "General"
_READ_CHARACTERS = 2_000
_MOST_ORDER_CHARACTERS = 1_200
_HISTORY = ("<chat_history>", "</chat_history>")
_KEY = re.compile(r'\{\s*"(title|tags|follow_ups|queries|text|prompt)"\s*:')
# An order for a title that says how short it is to be.
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
    """What a front end wants of a conversation: an object with the key ``kind``, or a title as plain text."""

    kind: str
    turns: tuple[Turn, ...]
    as_json: bool = True

    @property
    def questions(self) -> tuple[str, ...]:
        """What the user asked, oldest first."""
        return tuple(turn.text for turn in self.turns if turn.role == "user" and turn.text.strip())


def find_task(messages: Sequence[Message]) -> Task | None:
    """Return the task that the last message sets, or None: then it is a question."""
    text = messages[-1].content
    if messages[-1].role != "user" or not isinstance(text, str):
        return None
    # Open WebUI: the conversation in a tag, and outside of it the JSON that is wanted. Not by a regular expression: of
    # a text that only opens the tag, many thousand times, that would take hours.
    before, opened, rest = text.partition(_HISTORY[0])
    inside, closed, after = rest.rpartition(_HISTORY[1])
    key = _KEY.search(before) or _KEY.search(after) if opened and closed else None
    if key is not None:
        return Task(kind=key.group(1), turns=_turns_in(inside))
    # LibreChat: an order for a short title, then the conversation as a transcript.
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


class TaskAnswerer:
    """Answers the tasks of front ends, without the graph and without a language model.

    Of the dictionary only what is published is told, which is everybody's; of the documents only what the asker may
    read.
    """

    def __init__(self, dictionary: JargonDictionary | None, suggester: QuestionSuggester | None) -> None:
        self._dictionary = dictionary
        self._suggester = suggester

    async def answer(self, task: Task, asker: Asker) -> str:
        """Return the content of the message that answers ``task``."""
        last = task.questions[-1].strip()[:_READ_CHARACTERS] if task.questions else ""
        value: str | list[str]
        match task.kind:
            case "title":
                value = await self._title(task)
            case "tags":
                value = await self._tags(task)
            case "follow_ups":
                value = await self._follow_ups(task, asker)
            case "queries":
                value = [last] if last else []
            case _:
                # How a text that is typed goes on, or which picture to draw: the bot does not know.
                value = ""
        return json.dumps({task.kind: value}, ensure_ascii=False) if task.as_json else str(value)

    async def _title(self, task: Task) -> str:
        if not task.questions:
            return _NEW
        question = task.questions[0][:_READ_CHARACTERS]
        return title_of(question, await self._senses_in(question))

    async def _tags(self, task: Task) -> list[str]:
        """Name the contexts and terms of the questions."""
        senses = await self._senses_in(" ".join(task.questions))
        named = [sense.context for sense in senses if sense.context] + [sense.term for sense in senses]
        return list(dict.fromkeys(named))[:TAGS] or [_GENERAL]

    async def _follow_ups(self, task: Task, asker: Asker) -> list[str]:
        """Return questions near to the last one and its answer that the documents answer and nobody has asked yet."""
        if self._suggester is None or not task.questions:
            return []
        said = " ".join(turn.text[:_READ_CHARACTERS] for turn in task.turns[-2:])
        return list(await follow_ups(said, task.questions, self._suggester, asker))

    async def _senses_in(self, text: str) -> list[Sense]:
        """Return the meaning of each term in ``text`` that has only one published one."""
        words = dict.fromkeys(word.text for word in find_words(text[:_READ_CHARACTERS]))
        terms = [word for word in words if _looks_like_jargon(word)]
        found = await self._dictionary.senses(terms) if self._dictionary and terms else {}
        return [found[term][0] for term in terms if len(found.get(term, ())) == 1]


def title_of(question: str, senses: Sequence[Sense] = ()) -> str:
    """Return a title of at most five words; what a term means stands behind it where there is room."""
    words = _telling_words(question)
    if not words:
        return _shortened(" ".join(question.split())) or _NEW
    meanings = {fold(sense.term): sense.extended_name for sense in senses}
    spare = MAX_WORDS - len(words)
    written = []
    for word in words:
        meaning = meanings.get(fold(word.text), "")
        if meaning and len(meaning.split()) <= spare and fold(meaning) not in fold(question):
            spare -= len(meaning.split())
            written.append(f"{word.text} ({meaning})")
        else:
            written.append(word.text)
    title = " ".join(written)
    return _shortened(title[0].upper() + title[1:])


def _telling_words(question: str) -> list[Word]:
    """Return the first words that say what the question is about, jargon before others where not all have room."""
    words = [
        word for word in find_words(question) if fold(word.text) not in STOP_WORDS or _looks_like_jargon(word.text)
    ]
    order = sorted(range(len(words)), key=lambda place: (not _looks_like_jargon(words[place].text), place))
    return [words[place] for place in sorted(order[:MAX_WORDS])]


def _looks_like_jargon(word: str) -> bool:
    """Say whether a word has two capitals, letters and digits, or a capital within."""
    capitals = sum(character.isupper() for character in word)
    return len(word) > 1 and (
        capitals > 1 or (any(map(str.isdigit, word)) and any(map(str.isalpha, word))) or word[1:] != word[1:].lower()
    )


def _shortened(text: str) -> str:
    if len(text) <= MAX_TITLE_CHARACTERS:
        return text
    cut = text[:MAX_TITLE_CHARACTERS]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut) + "…"
