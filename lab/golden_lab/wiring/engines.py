"""Builds the engine that the bench measures."""

from dataclasses import replace
from typing import TYPE_CHECKING

from contracts.errors import ConfigurationError
from golden_retriever.settings import Settings
from golden_retriever.wiring.chat import build_chat, chosen_adapters
from golden_retriever.wiring.engines import EngineChooser, build_ocr
from golden_retriever.wiring.indexes import build_embedder
from golden_retriever.wiring.judgements import build_judge, build_services

if TYPE_CHECKING:
    from agent.services import Services
    from golden_lab.engine import Engine
    from tools.embedding.base import Embedder
    from tools.jargon.base import JargonDictionary
    from tools.search.base import LexicalIndex, PassageSearcher


def build_engine(settings: Settings, name: str = "embedded", *, embedder: "Embedder | None" = None) -> "Engine":
    """Return the engine ``name``: "embedded", or "llm", which uses the configured chat server wherever possible.

    The engine "llm" never degrades, regardless of the settings: a score of the language model must not include answers
    of the embedded engine. Its profile is "quality" unless the settings name one.

    Raises:
        ConfigurationError: the engine is unknown, or the engine is "llm" and the chat server or the model is not set.
    """
    from golden_lab.empty_library import EmptyLexicalIndex, EmptySearcher
    from golden_lab.engine import Engine
    from golden_lab.fits import embedded_fits
    from golden_lab.memory_dictionary import InMemoryJargonDictionary
    from golden_lab.pairwise_reranking.tournament import PromptedPassageReranker
    from golden_lab.single_parts import with_single_parts
    from golden_lab.triple_attribution.embedded import EmbeddedTripleAttributor
    from golden_lab.triple_attribution.llm import PromptedTripleAttributor
    from golden_lab.triple_extraction.embedded import EmbeddedTripleExtractor
    from golden_lab.triple_extraction.llm import PromptedTripleExtractor

    if name not in ("embedded", "llm"):
        raise ConfigurationError(f'the engine "{name}" is unknown: choose "embedded" or "llm"')
    chat = None
    if name == "llm":
        profile = settings.profile if "profile" in settings.model_fields_set else "quality"
        settings = settings.model_copy(update={"degrade": "refuse", "profile": profile})
        chat = build_chat(settings)
        if chat is None:
            raise ConfigurationError("the engine llm needs a language model: set GOLDEN_LLM")
        if not settings.llm_model:
            raise ConfigurationError("a measurement must record its model: set its name in GOLDEN_LLM")
    # The versions of the adapters, so that outcomes measured with different weights are not reused.
    adapters = sorted({each.version for each in chosen_adapters(settings).values()}) if chat is not None else []
    model = embedder or build_embedder(settings)
    engines = EngineChooser(settings, chat)

    def services_over(
        searcher: "PassageSearcher", lexical: "LexicalIndex", dictionary: "JargonDictionary"
    ) -> "Services":
        built = build_services(settings, model, searcher, lexical, dictionary, chat)
        services = with_single_parts(built, lambda intrinsic: engines.engine_of(intrinsic) == "llm")
        if chat is None or engines.engine_of("passage_reranking") != "llm":
            return services
        return replace(services, passage_reranker=PromptedPassageReranker(chat))

    return Engine(
        name=name,
        model=" + ".join([chat.model, *adapters]) if chat is not None else model.name,
        judges=services_over(EmptySearcher(), EmptyLexicalIndex(), InMemoryJargonDictionary(())),
        services_over=services_over,
        embedder=model,
        summariser=build_judge("summarisation", engines, model),
        term_miner=build_judge("term_mining", engines),
        triple_extractor=PromptedTripleExtractor(chat) if chat is not None else EmbeddedTripleExtractor(),
        triple_attributor=PromptedTripleAttributor(chat) if chat is not None else EmbeddedTripleAttributor(model),
        ocr=build_ocr(settings),
        chat=chat,
        fitted_on=embedded_fits(settings.cross_encoder),
    )
