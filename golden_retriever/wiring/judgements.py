"""The judgements that come on two engines, one builder each."""

from functools import partial
from typing import TYPE_CHECKING

from golden_retriever.wiring.choosing import EngineChooser

if TYPE_CHECKING:
    from intrinsics.context_classification import ContextClassifier
    from intrinsics.jargon_identification import JargonIdentifier
    from intrinsics.query_expansion import QueryExpander
    from intrinsics.question_rewriting import QuestionRewriter
    from intrinsics.term_mining import TermMiner
    from tools.embedding import Embedder
    from tools.jargon import JargonDictionary
    from tools.search import LexicalIndex


def build_rewriter(engines: EngineChooser) -> "QuestionRewriter":
    """Return what makes follow-ups stand alone."""
    from intrinsics.question_rewriting.embedded import EmbeddedQuestionRewriter
    from intrinsics.question_rewriting.llm import PromptedQuestionRewriter

    embedded: QuestionRewriter = EmbeddedQuestionRewriter()
    return engines.choose("question_rewriting", embedded, PromptedQuestionRewriter)


def build_identifier(
    engines: EngineChooser, dictionary: "JargonDictionary", lexical: "LexicalIndex"
) -> "JargonIdentifier":
    """Return what finds the jargon of a question."""
    from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
    from intrinsics.jargon_identification.llm import PromptedJargonIdentifier

    async def in_documents(word: str) -> bool:
        return await lexical.document_frequency(word) > 0

    embedded: JargonIdentifier = EmbeddedJargonIdentifier(dictionary, known_words=in_documents)
    prompted = partial(PromptedJargonIdentifier, dictionary=dictionary, known_words=in_documents)
    return engines.choose("jargon_identification", embedded, prompted)


def build_classifier(
    engines: EngineChooser, embedder: "Embedder", dictionary: "JargonDictionary"
) -> "ContextClassifier":
    """Return what says in which context a question is asked."""
    from intrinsics.context_classification.embedded import EmbeddedContextClassifier
    from intrinsics.context_classification.llm import PromptedContextClassifier

    embedded: ContextClassifier = EmbeddedContextClassifier(embedder, dictionary)
    return engines.choose("context_classification", embedded, PromptedContextClassifier)


def build_expander(engines: EngineChooser, dictionary: "JargonDictionary") -> "QueryExpander":
    """Return what words a question in other ways."""
    from intrinsics.query_expansion.embedded import EmbeddedQueryExpander
    from intrinsics.query_expansion.llm import PromptedQueryExpander

    embedded: QueryExpander = EmbeddedQueryExpander(dictionary)
    return engines.choose("query_expansion", embedded, PromptedQueryExpander)


def build_miner(engines: EngineChooser) -> "TermMiner":
    """Return what mines documents for terms."""
    from intrinsics.term_mining.embedded import EmbeddedTermMiner
    from intrinsics.term_mining.llm import PromptedTermMiner

    embedded: TermMiner = EmbeddedTermMiner()
    return engines.choose("term_mining", embedded, PromptedTermMiner)
