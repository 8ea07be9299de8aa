"""A person who uses the chat in a test, and what they see of it."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any, cast

from tests.ui.hostile import assert_harmless
from tests.ui.scripted_bot import ScriptedBot
from tests.ui.scripted_services import Records, build_services
from tests.ui.visits import visit_of
from ui.chat.conversation import Chosen
from ui.chat.page import ChatPage, View
from ui.pages import Action, Services, Visit

QUESTION = "What does DLL need?"


class Person:
    """Somebody with a browser: their visits, and the chat that serves them."""

    def __init__(self, services: Services, page: ChatPage | None = None, **options: Any) -> None:
        self.services = services
        self.page = page or ChatPage()
        self.options = options
        self.records: Records = cast(Records, services.records)
        self.bot = self.records.bot

    def visit(self) -> Visit:
        return visit_of(self.services, **self.options)

    def ask(self, text: str, conversation: object = "", **chosen: str) -> AsyncIterator[View]:
        return self.page.ask(self.visit(), conversation, text, Chosen(**chosen))

    def click(self, conversation: object, name: str, department: str = "", /, **values: object) -> AsyncIterator[View]:
        return self.page.act(self.visit(), conversation, action(name, **values), Chosen(department=department))

    def show(self, conversation: object) -> AsyncIterator[View]:
        return self.page.show(self.visit(), conversation)

    async def open(self, conversation: object, name: str = "cite", /, **values: object) -> str:
        return await self.page.page(self.visit(), conversation, action(name, **values))

    async def say(self, conversation: object, name: str, fields: Mapping[str, str] = {}, /, **values: object) -> View:
        feedback = action(name, **values)
        return await self.page.give_feedback(self.visit(), conversation, replace(feedback, fields=fields))


def action(name: str, /, **values: object) -> Action:
    return Action(name=name, values={key: str(value) for key, value in values.items()})


def person(bot: ScriptedBot | None = None) -> Person:
    return Person(build_services(bot or ScriptedBot()))


async def last(views: AsyncIterator[View]) -> View:
    return [view async for view in views][-1]


def text_of(html: str | None) -> str:
    return assert_harmless(html or "").get_text(" ", strip=True)
