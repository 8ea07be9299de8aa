"""What writes: answers for askers; summaries, questions and terms of documents."""

from typing import TYPE_CHECKING

from golden_retriever.wiring.choosing import EngineChooser

if TYPE_CHECKING:
    from intrinsics.answer_generation import AnswerWriter
    from intrinsics.question_writing import QuestionWriter
    from intrinsics.summarisation import Summariser
    from intrinsics.term_mining import TermMiner
    from tools.embedding import Embedder


def build_writer(engines: EngineChooser, embedder: "Embedder") -> "AnswerWriter":
    """Return what writes answers."""
    from intrinsics.answer_generation.embedded import EmbeddedAnswerWriter
    from intrinsics.answer_generation.llm import PromptedAnswerWriter

    embedded: AnswerWriter = EmbeddedAnswerWriter(embedder)
    return engines.choose("answer_generation", embedded, PromptedAnswerWriter)


def build_summariser(engines: EngineChooser, embedder: "Embedder") -> "Summariser":
    """Return what summarises documents."""
    from intrinsics.summarisation.embedded import EmbeddedSummariser
    from intrinsics.summarisation.llm import PromptedSummariser

    embedded: Summariser = EmbeddedSummariser(embedder)
    return engines.choose("summarisation", embedded, PromptedSummariser)


def build_question_writer(engines: EngineChooser) -> "QuestionWriter":
    """Return what writes questions that a passage answers."""
    from intrinsics.question_writing.embedded import EmbeddedQuestionWriter
    from intrinsics.question_writing.llm import PromptedQuestionWriter

    embedded: QuestionWriter = EmbeddedQuestionWriter()
    return engines.choose("question_writing", embedded, PromptedQuestionWriter)


def build_miner(engines: EngineChooser) -> "TermMiner":
    """Return what mines documents for terms."""
    from intrinsics.term_mining.embedded import EmbeddedTermMiner
    from intrinsics.term_mining.llm import PromptedTermMiner

    embedded: TermMiner = EmbeddedTermMiner()
    return engines.choose("term_mining", embedded, PromptedTermMiner)
