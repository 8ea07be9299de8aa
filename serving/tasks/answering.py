"""Answering: titles, tags, further questions, from the conversation, the dictionary and the documents' questions."""

import json

from contracts.jargon import Sense
from contracts.question import Asker
from serving.follow_ups import FOLLOW_UPS, QuestionSuggester, follow_ups
from serving.tasks.recognising import Task
from serving.tasks.titles import terms_in, title_of
from tools.jargon.base import JargonDictionary
from tools.language import fold

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
            return "New Chat"
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
