"""A person who uses the chat in a test, and what they see of it."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

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

    bot: ScriptedBot

    def __init__(
        self, services: Services, page: ChatPage | None = None, *, language: str = "en", key: str = "", **options: Any
    ) -> None:
        self.services = services
        self.page = page or ChatPage()
        self.headers = {"authorization": f"Bearer {key}"} if key else {}
        self.options = {"language": language, **options}

    def visit(self) -> Visit:
        return visit_of(self.services, **self.options, **self.headers)

    def ask(self, text: str, conversation: object = "", department: str = "") -> AsyncIterator[View]:
        return self.page.ask(self.visit(), conversation, text, Chosen(department=department))

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


def person(bot: ScriptedBot | None = None, records: Records | None = None, **options: Any) -> Person:
    bot = bot or ScriptedBot()
    someone = Person(build_services(bot, records), **options)
    someone.bot = bot
    return someone


async def last(views: AsyncIterator[View]) -> View:
    return [view async for view in views][-1]


def text_of(html: str | None) -> str:
    return assert_harmless(html or "").get_text(" ", strip=True)
