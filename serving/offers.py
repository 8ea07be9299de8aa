"""Offers: the models that clients may choose between, and what the server knows besides the bot's answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from agent.chatbot import Chatbot
from contracts.answer import Citation
from serving.sources import CitationLinks
from tools.jargon.base import JargonDictionary
from tools.search.base import Groups


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedModel:
    """A model as clients choose it: its id, its readable name, and the one group it searches (None: the asker's)."""

    id: str
    name: str
    group: str | None = None


class ModelCatalogue(Protocol):
    """Offers models: the bot itself, the bot in other profiles, the bot over one group of documents."""

    async def models(self, groups: Groups) -> tuple[ServedModel, ...]:
        """Return the models for an asker who may read ``groups`` (None: all), the one by default first."""
        ...

    async def find(self, model_id: str, groups: Groups) -> ServedModel | None:
        """Return the model of this id ("": the one by default); None where the asker is offered none."""
        ...

    async def chatbot(self, model: ServedModel) -> Chatbot:
        """Return the bot that answers as ``model``."""
        ...


class OneModel:
    """Offers one bot under one name."""

    def __init__(self, chatbot: Chatbot, name: str) -> None:
        self._chatbot = chatbot
        self._model = ServedModel(id=name, name=name)

    async def models(self, groups: Groups) -> tuple[ServedModel, ...]:
        """Return the one model."""
        return (self._model,)

    async def find(self, model_id: str, groups: Groups) -> ServedModel | None:
        """Return the one model where it is meant."""
        return self._model if model_id in ("", self._model.id) else None

    async def chatbot(self, model: ServedModel) -> Chatbot:
        """Return the one bot."""
        return self._chatbot


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReading:
    """How well what is cited was read from a picture.

    ``confidence`` is the mean word confidence of the cited text in [0, 1], None where it was not read from a picture.
    ``trouble`` says why its page counts as poorly read, "" where it does not.
    """

    confidence: float | None = None
    trouble: str = ""


class PageReadingReporter(Protocol):
    """Knows how well pages were read."""

    async def report(self, citations: Sequence[Citation]) -> Mapping[int, PageReading]:
        """Return how well each citation's text was read, by number; those of which nothing is known are left out."""
        ...


class QuestionSuggester(Protocol):
    """Knows questions that the documents answer."""

    async def suggest(self, text: str, limit: int, *, groups: Groups) -> tuple[str, ...]:
        """Return up to ``limit`` questions near to ``text`` that documents of ``groups`` (None: all) answer."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What comes with the bot: its models, and what answers know of pages, links, jargon and further questions.

    What is None is not known. ``footer`` is whether answers end with readings and sources unless a request says.
    """

    models: ModelCatalogue
    readings: PageReadingReporter | None = None
    suggester: QuestionSuggester | None = None
    dictionary: JargonDictionary | None = None
    links: CitationLinks = field(default_factory=CitationLinks)
    footer: bool = True
