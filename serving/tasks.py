"""Tasks: what chat front ends ask for themselves: titles, tags, further questions. They do not pass the graph."""

import json
from collections.abc import Sequence

from contracts.jargon import Sense
from contracts.question import Asker
from serving.follow_ups import FOLLOW_UPS, QuestionSuggester, follow_ups
from serving.task_detection import Task
from tools.jargon.base import JargonDictionary
from tools.language import STOP_WORDS, Word, find_words, fold

MAX_WORDS = 5
MAX_TITLE_CHARACTERS = 60
_NEW = "New Chat"
TAGS = 5
QUERIES = 3
_GENERAL = "General"
_READ_CHARACTERS = 2_000


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
        match task.kind:
            case "title":
                title = await self._title(task)
                language = {"language": "English"} if task.language_too else {}
                if not task.as_json and not task.language_too:
                    return title
                return _json({**language, "title": title})
            case "tags":
                return _json({"tags": await self._tags(task)})
            case "follow_ups":
                return _json({"follow_ups": await self._follow_ups(task, asker)})
            case "queries":
                return _json({"queries": await self._queries(task)})
            case "text":
                return _json({"text": await self._completion(task, asker)})
            case "prompt":
                return _json({"prompt": task.questions[-1][:_READ_CHARACTERS] if task.questions else ""})

    async def _title(self, task: Task) -> str:
        if not task.questions:
            return _NEW
        question = task.questions[0][:_READ_CHARACTERS]
        return title_of(question, await self._senses_in(question, task))

    async def _tags(self, task: Task) -> list[str]:
        """Name the contexts and terms of the questions."""
        senses = await self._senses_in(" ".join(task.questions), task)
        named = [sense.context for sense in senses if sense.context] + [sense.term for sense in senses]
        return list(dict.fromkeys(named))[:TAGS] or [_GENERAL]

    async def _follow_ups(self, task: Task, asker: Asker) -> list[str]:
        """Return questions near to the last one and its answer that the documents answer and nobody has asked yet."""
        if self._suggester is None or not task.questions:
            return []
        said = " ".join(turn.text[:_READ_CHARACTERS] for turn in task.turns[-2:])
        return list(await follow_ups(said, task.questions, self._suggester, asker))

    async def _queries(self, task: Task) -> list[str]:
        """Return the last question, and with its jargon written out."""
        if not task.questions:
            return []
        question = task.questions[-1].strip()[:_READ_CHARACTERS]
        senses = await self._senses_in(question, task)
        expanded = " ".join([question, *(sense.extended_name for sense in senses)])
        return list(dict.fromkeys([question, expanded]))[:QUERIES]

    async def _completion(self, task: Task, asker: Asker) -> str:
        """Return how a question that the documents answer goes on after what is typed; "" for none."""
        typed = task.typed.lstrip()
        if self._suggester is None or not typed.strip():
            return ""
        for question in await self._suggester.suggest(typed[:_READ_CHARACTERS], FOLLOW_UPS, groups=asker.groups):
            if question.casefold().startswith(typed.casefold()):
                return question[len(typed) :]
        return ""

    async def _senses_in(self, text: str, task: Task) -> list[Sense]:
        """Return the meaning of each term in ``text``: as it was read, or its only published one."""
        terms = terms_in(text[:_READ_CHARACTERS])
        read = {fold(sense.term): sense for sense in task.senses}
        unread = [term for term in terms if fold(term) not in read]
        found = await self._dictionary.senses(unread) if self._dictionary and unread else {}
        only = {fold(term): senses[0] for term, senses in found.items() if len(senses) == 1}
        meant = {**only, **read}
        return [meant[fold(term)] for term in terms if fold(term) in meant]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


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


def terms_in(text: str) -> list[str]:
    """Return the words that look like jargon, in order: with two capitals, or with letters and digits."""
    words = dict.fromkeys(word.text for word in find_words(text))
    return [word for word in words if _looks_like_jargon(word)]


def _telling_words(question: str) -> list[Word]:
    """Return the first words that say what the question is about, jargon before others where not all have room."""
    words = [
        word for word in find_words(question) if fold(word.text) not in STOP_WORDS or _looks_like_jargon(word.text)
    ]
    if len(words) <= MAX_WORDS:
        return words
    order = sorted(range(len(words)), key=lambda place: (not _looks_like_jargon(words[place].text), place))
    return [words[place] for place in sorted(order[:MAX_WORDS])]


def _looks_like_jargon(word: str) -> bool:
    capitals = sum(character.isupper() for character in word)
    return len(word) > 1 and (
        capitals > 1 or (any(map(str.isdigit, word)) and any(map(str.isalpha, word))) or word[1:] != word[1:].lower()
    )


def _shortened(text: str) -> str:
    if len(text) <= MAX_TITLE_CHARACTERS:
        return text
    cut = text[:MAX_TITLE_CHARACTERS]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut) + "…"
