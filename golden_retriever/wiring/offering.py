"""What the server offers to ask: the bot in its profiles and over its groups, and what answers know besides."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, get_args

from golden_retriever.profiles import Profile
from golden_retriever.wiring.engines import build_services

if TYPE_CHECKING:
    from agent.chatbot import Chatbot
    from contracts.answer import Citation
    from golden_retriever.wiring.application import Application
    from library.store import LibraryStore
    from serving.offers import Offer, PageReading, ServedModel
    from tools.search import LexicalIndex
    from tools.search.base import Groups

MODEL = "golden"
_PROFILES: tuple[Profile, ...] = get_args(Profile)
# Ids are readable, and hold nothing that an address or a client's list of models would take for something else.
_ESCAPED = re.compile(r"[^\w.-]|^\.")
_QUESTION = re.compile(r".*[?？؟]\s*", re.DOTALL)
# So many chunks are looked at for each question that is wanted: most have none, or one that was asked.
_NEAREST = 2
_CHUNKS_A_QUESTION = 8


def build_offer(application: "Application") -> "Offer":
    """Return what the questions' routes serve."""
    from serving.offers import Offer
    from serving.sources import CitationLinks

    services, settings = application.services, application.settings
    return Offer(
        models=ServedModels(application),
        readings=StoredPageReadings(application.store),
        suggester=SummaryQuestions(application.store, services.lexical),
        dictionary=services.dictionary,
        links=CitationLinks(settings.citation_url),
        footer=settings.answer_footer,
    )


class ServedModels:
    """Offers the bot as ``golden``, in each profile that can be served, and over each group of documents.

    The profiles share indexes, embedding model and chat server with the bot; what else one needs is made when it is
    first asked for.
    """

    def __init__(self, application: "Application") -> None:
        self._application = application
        self._bots: dict[str, Chatbot] = {MODEL: application.chatbot}
        self._making = asyncio.Lock()
        self._groups: tuple[int, tuple[str, ...]] = (-1, ())

    async def models(self, groups: "Groups") -> "tuple[ServedModel, ...]":
        """Return the models for an asker who may read ``groups`` (None: all): the bot, its profiles, its groups.

        Raises:
            Unavailable: the database does not answer.
        """
        from serving.offers import ServedModel

        profiles = (f"{MODEL}/{profile}" for profile in self._profiles())
        return (
            *(ServedModel(id=model_id, name=model_id) for model_id in (MODEL, *profiles)),
            *(_over(group) for group in await self._readable(groups)),
        )

    async def find(self, model_id: str, groups: "Groups") -> "ServedModel | None":
        """Return the model of this id; that of a group is also found by the group's name as it is.

        Raises:
            Unavailable: the database does not answer.
        """
        from serving.offers import ServedModel

        if model_id in ("", MODEL):
            return ServedModel(id=MODEL, name=MODEL)
        if not model_id.startswith(f"{MODEL}/"):
            return None
        if model_id.removeprefix(f"{MODEL}/") in self._profiles():
            return ServedModel(id=model_id, name=model_id)
        offered = [_over(group) for group in await self._readable(groups)]
        named = [each for each in offered if each.id == model_id] + [each for each in offered if each.name == model_id]
        return named[0] if named else None

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
        )
        return application.chatbot.over(made)

    async def _readable(self, groups: "Groups") -> tuple[str, ...]:
        known = await asyncio.to_thread(self._known_groups)
        return tuple(group for group in known if groups is None or group in groups)

    def _known_groups(self) -> tuple[str, ...]:
        version = self._application.store.version()
        if self._groups[0] != version:
            self._groups = (version, self._application.store.groups())
        return self._groups[1]


def _over(group: str) -> "ServedModel":
    from serving.offers import ServedModel

    return ServedModel(id=f"{MODEL}/{model_part(group)}", name=f"{MODEL}/{group}", group=group)


def model_part(group: str) -> str:
    """Return what names a group in a model's id: percent-encoded but for letters, digits, ``_``, ``.`` and ``-``.

    A group that is called like a profile stands behind ``group:``; no other group's name can look like that.
    """
    encoded = _ESCAPED.sub(lambda match: "".join(f"%{byte:02X}" for byte in match.group().encode()), group)
    return f"group:{encoded}" if encoded in _PROFILES else encoded


class StoredPageReadings:
    """Knows from the library how well cited text was read."""

    def __init__(self, store: "LibraryStore") -> None:
        self._store = store

    async def report(self, citations: "Sequence[Citation]") -> "Mapping[int, PageReading]":
        """Return how well each citation's text was read, by number.

        Raises:
            Unavailable: the database does not answer.
        """
        return await asyncio.to_thread(self._report, tuple(citations))

    def _report(self, citations: "Sequence[Citation]") -> "dict[int, PageReading]":
        from contracts.text import reading_confidence
        from serving.offers import PageReading

        chunks = self._store.chunks(list(dict.fromkeys(each.chunk_id for each in citations)))
        poor = self._store.ledger.poor_pages(list(dict.fromkeys(each.document_id for each in citations)))
        told: dict[int, PageReading] = {}
        for citation in citations:
            chunk = chunks.get(citation.chunk_id)
            boxes = chunk.boxes if chunk is not None else ()
            confidence = reading_confidence(
                box
                for box in boxes
                if any(box.span.start < span.end and span.start < box.span.end for span in citation.quote_spans)
            )
            pages = {page.page: page.reason for page in poor.get(citation.document_id, ())}
            trouble = pages.get(citation.page, "")
            if confidence is not None or trouble:
                told[citation.number] = PageReading(confidence=confidence, trouble=trouble)
        return told


class SummaryQuestions:
    """Knows the questions that summaries of the documents' sections say they answer."""

    def __init__(self, store: "LibraryStore", lexical: "LexicalIndex") -> None:
        self._store = store
        self._lexical = lexical

    async def suggest(self, text: str, limit: int, *, groups: "Groups") -> tuple[str, ...]:
        """Return up to ``limit`` questions of sections near to ``text``, of documents of ``groups``, nearest first.

        Raises:
            Unavailable: the database does not answer.
        """
        hits = await self._lexical.search(text, limit * _CHUNKS_A_QUESTION, groups=groups)
        return await asyncio.to_thread(self._questions, text, [hit.chunk_id for hit in hits], limit)

    def _questions(self, text: str, chunk_ids: Sequence[str], limit: int) -> tuple[str, ...]:
        from tools.language import content_stems

        chunks = self._store.chunks(chunk_ids)
        sections = list(dict.fromkeys(each.section_id for each in chunks.values() if each.section_id))
        summaries = self._store.section_summaries(sections)
        # The nearest section's first question, the next one's, and so on: several sections rather than all of one.
        asked = [_questions_in(summaries.get(section, "")) for section in sections]
        rounds = max(map(len, asked), default=0)
        ordered = [questions[turn] for turn in range(rounds) for questions in asked if turn < len(questions)]
        # A section is long, and its questions are about all of it: those that share words with the text come first, and
        # those of which less than half stands there or in the nearest passages are about something else.
        said = set(content_stems(text))
        nearest = [chunks[each].text for each in chunk_ids[:_NEAREST] if each in chunks]
        there = said.union(*map(content_stems, nearest))
        stems = {question: set(content_stems(question)) for question in ordered}
        near = [each for each in stems if 2 * len(stems[each] & there) >= len(stems[each]) > 0]
        return tuple(sorted(near, key=lambda question: -len(stems[question] & said))[:limit])


def _questions_in(summary: str) -> list[str]:
    return [line.strip() for line in summary.splitlines() if _QUESTION.fullmatch(line)]
