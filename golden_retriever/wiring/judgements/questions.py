"""Judgements of the question: what it says, what its words mean, where it is asked, how else it is worded."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from golden_retriever.wiring.choosing import EngineChooser
from golden_retriever.wiring.encoders import TrainedEncoder

if TYPE_CHECKING:
    from intrinsics.context_classification import ContextClassifier
    from intrinsics.jargon_identification import JargonIdentifier
    from intrinsics.query_expansion import QueryExpander
    from intrinsics.question_augmentation import QuestionAugmenter
    from intrinsics.question_rewriting import QuestionRewriter
    from tools.chat import ChatModel
    from tools.embedding import Embedder
    from tools.jargon import JargonDictionary
    from tools.search import LexicalIndex


def build_rewriter(engines: EngineChooser) -> "QuestionRewriter":
    """Return what makes follow-ups stand alone."""
    from intrinsics.question_rewriting.adapter import AdaptedQuestionRewriter
    from intrinsics.question_rewriting.embedded import EmbeddedQuestionRewriter
    from intrinsics.question_rewriting.llm import PromptedQuestionRewriter

    embedded: QuestionRewriter = EmbeddedQuestionRewriter()
    return engines.choose("question_rewriting", embedded, PromptedQuestionRewriter, adapted=AdaptedQuestionRewriter)


def build_identifier(
    engines: EngineChooser,
    dictionary: "JargonDictionary",
    lexical: "LexicalIndex",
    encoder: TrainedEncoder | None = None,
) -> "JargonIdentifier":
    """Return what finds the jargon of a question."""
    from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
    from intrinsics.jargon_identification.llm import PromptedJargonIdentifier

    async def in_documents(word: str) -> bool:
        return await lexical.document_frequency(word) > 0

    embedded: JargonIdentifier = EmbeddedJargonIdentifier(dictionary, known_words=in_documents)
    if encoder is not None and (joined := encoder.joined("jargon_identification")):
        from intrinsics.jargon_identification.encoded import EncodedJargonIdentifier

        embedded = EncodedJargonIdentifier(dictionary, encoder.encoder, joined, known_words=in_documents)
    prompted = partial(PromptedJargonIdentifier, dictionary=dictionary, known_words=in_documents)
    return engines.choose("jargon_identification", embedded, prompted)


def build_classifier(
    engines: EngineChooser, embedder: "Embedder", dictionary: "JargonDictionary"
) -> "ContextClassifier":
    """Return what says in which context a question is asked."""
    from intrinsics.context_classification.closeness import ContestedContexts
    from intrinsics.context_classification.embedded import EmbeddedContextClassifier
    from intrinsics.context_classification.llm import PromptedContextClassifier

    embedded: ContextClassifier = EmbeddedContextClassifier(embedder, dictionary)
    prompted: Callable[[ChatModel], ContextClassifier] = PromptedContextClassifier
    if engines.engine_of("context_classification") == "ties":
        # A tie is worth one call, on a server without log-probabilities too.
        prompted = partial(PromptedContextClassifier, samples=1)
    is_close = ContestedContexts(dictionary).is_close
    return engines.choose("context_classification", embedded, prompted, is_close=is_close)


def build_expander(engines: EngineChooser, dictionary: "JargonDictionary") -> "QueryExpander":
    """Return what words a question in other ways."""
    from intrinsics.query_expansion.embedded import EmbeddedQueryExpander
    from intrinsics.query_expansion.llm import PromptedQueryExpander

    embedded: QueryExpander = EmbeddedQueryExpander(dictionary)
    return engines.choose("query_expansion", embedded, PromptedQueryExpander)


def build_augmenter() -> "QuestionAugmenter":
    """Return what works definitions into a question: a template, on every engine."""
    from intrinsics.question_augmentation.template import TemplateQuestionAugmenter

    return TemplateQuestionAugmenter()
