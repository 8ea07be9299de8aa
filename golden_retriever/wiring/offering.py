"""What the server offers to ask: the bot in its profiles and over its groups, and what answers know besides."""

import asyncio
import re
from typing import TYPE_CHECKING, get_args

from golden_retriever.profiles import Profile
from golden_retriever.wiring.judgements import build_services

if TYPE_CHECKING:
    from agent.chatbot import Chatbot
    from golden_retriever.wiring.application import Application
    from serving.chat import ChatService, ServedModel
    from serving.question_check import QuestionCheck
    from tools.search.base import Groups

MODEL = "golden"
_PROFILES: tuple[Profile, ...] = get_args(Profile)
# Ids are readable, and hold nothing that an address or a client's list of models would take for something else.
_ESCAPED = re.compile(r"[^\w.-]|^\.")


def build_chat_service(application: "Application") -> "ChatService":
    """Return what asks the bot for the routes and the pages."""
    from serving.chat import ChatService
    from serving.follow_ups import NearbyQuestions
    from serving.replies import CitationLinks

    services, settings = application.services, application.settings
    return ChatService(
        models=ServedModels(application),
        library=application.store,
        suggester=NearbyQuestions(application.store, services.lexical, services.embedder),
        dictionary=services.dictionary,
        links=CitationLinks(settings.citation_url),
        footer=settings.answer_footer,
    )


def build_question_check(application: "Application") -> "QuestionCheck":
    """Return what finds the questions that the chat offers, in the background of a server."""
    from serving.question_check import QuestionCheck

    return QuestionCheck(application.store, application.services, written=application.chat is not None)


class ServedModels:
    """Offers the bot as ``golden``, in each profile that can be served, and over each group of documents.

    The profiles share indexes, embedding model and chat server with the bot; what else one needs is made when it is
    first asked for.
    """

    def __init__(self, application: "Application") -> None:
        self._application = application
        self._bots: dict[str, Chatbot] = {MODEL: application.chatbot}
        self._making = asyncio.Lock()

    async def models(self, groups: "Groups") -> "tuple[ServedModel, ...]":
        """Return the models for an asker who may read ``groups`` (None: all): the bot, its profiles, its groups.

        Raises:
            Unavailable: the database does not answer.
        """
        from serving.chat import ServedModel

        ids = (MODEL, *(f"{MODEL}/{profile}" for profile in self._profiles()))
        known = await asyncio.to_thread(self._application.store.ledger.groups)
        over = (_over(group) for group in known if groups is None or group in groups)
        return (*(ServedModel(id=each, name=each) for each in ids), *over)

    async def find(self, model_id: str, groups: "Groups") -> "ServedModel | None":
        """Return the model of this id; that of a group is also found by the group's name as it is.

        Raises:
            Unavailable: the database does not answer.
        """
        from serving.chat import ServedModel

        if model_id in ("", MODEL):
            return ServedModel(id=MODEL, name=MODEL)
        offered = await self.models(groups)
        by_id = next((each for each in offered if each.id == model_id), None)
        return by_id or next((each for each in offered if each.name == model_id), None)

    async def chatbot(self, model: "ServedModel") -> "Chatbot":
        """Return the bot that answers as ``model``."""
        key = MODEL if model.group is not None else model.id
        if key not in self._bots:
            async with self._making:
                if key not in self._bots:
                    self._bots[key] = await asyncio.to_thread(self._make, key.removeprefix(f"{MODEL}/"))
        return self._bots[key]

    def _profiles(self) -> tuple[str, ...]:
        return _PROFILES if self._application.chat is not None else ("embedded",)

    def _make(self, profile: str) -> "Chatbot":
        application = self._application
        settings, services = application.settings, application.services
        # Exceptions from the configured profile are none from the one that asks no language model.
        engines = "" if profile == "embedded" else settings.engines
        if application.chat is None or (profile, engines) == (settings.profile, settings.engines):
            return application.chatbot
        made = build_services(
            settings.model_copy(update={"profile": profile, "engines": engines}),
            services.embedder,
            services.searcher,
            services.lexical,
            services.dictionary,
            application.chat,
            library=services.library,
            example_questions=services.example_questions,
        )
        return application.chatbot.over(made)


def _over(group: str) -> "ServedModel":
    from serving.chat import ServedModel

    return ServedModel(id=f"{MODEL}/{model_part(group)}", name=f"{MODEL}/{group}", group=group)


def model_part(group: str) -> str:
    """Return what names a group in a model's id: percent-encoded but for letters, digits, ``_``, ``.`` and ``-``.

    A group that is called like a profile stands behind ``group:``; no other group's name can look like that.
    """
    encoded = _ESCAPED.sub(lambda match: "".join(f"%{byte:02X}" for byte in match.group().encode()), group)
    return f"group:{encoded}" if encoded in _PROFILES else encoded
