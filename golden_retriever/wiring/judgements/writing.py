"""What writes: answers for askers; summaries, questions and terms of documents."""

from typing import TYPE_CHECKING, Any

from golden_retriever.wiring.choosing import EngineChooser

if TYPE_CHECKING:
    from intrinsics.answer_generation import AnswerWriter
    from intrinsics.question_writing import QuestionWriter
    from intrinsics.summarisation import Summariser
    from intrinsics.term_mining import TermMiner
    from tools.embedding import Embedder


def build_writer(engines: EngineChooser, embedder: "Embedder", *, ahead: bool = False) -> "AnswerWriter":
    """Return what writes answers; with ``ahead`` a language model can begin before a draft is known to be wanted."""
    from intrinsics.answer_generation.embedded import EmbeddedAnswerWriter
    from intrinsics.answer_generation.llm import PromptedAnswerWriter
    from intrinsics.answer_generation.starting import StartingWriter

    starters: list[PromptedAnswerWriter] = []

    def prompted(*arguments: Any, **named: Any) -> "AnswerWriter":
        starters.append(PromptedAnswerWriter(*arguments, **named))
        return starters[-1]

    embedded: AnswerWriter = EmbeddedAnswerWriter(embedder)
    writer = engines.choose("answer_generation", embedded, prompted)
    return StartingWriter(writer, starters[-1]) if ahead and starters else writer


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
