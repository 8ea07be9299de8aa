"""The whole way with the embedded engine: real judgements, a real dictionary and real search over SQLite."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent.chatbot import Chatbot
from agent.services import Services
from contracts.jargon import Context, Sense
from contracts.question import Turn
from golden_retriever.wiring.engines import build_cross_encoder
from intrinsics.answer_generation.embedded import EmbeddedAnswerWriter
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
from intrinsics.citation.embedded import EmbeddedCitationFinder
from intrinsics.context_classification.embedded import EmbeddedContextClassifier
from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from intrinsics.passage_reranking.embedded import EmbeddedPassageReranker
from intrinsics.query_expansion.embedded import EmbeddedQueryExpander
from intrinsics.question_augmentation.template import TemplateQuestionAugmenter
from intrinsics.question_rewriting.embedded import EmbeddedQuestionRewriter
from intrinsics.refinement.embedded import OverlapAnswerRefiner
from tests.agent.plant import plant_library
from tools.embedding.cached import CachedEmbedder
from tools.embedding.onnx import OnnxEmbedder
from tools.embedding.weights import find_default_model
from tools.jargon.memory import InMemoryJargonDictionary
from tools.reading.ranking import QuoteRanker
from tools.search.hybrid import HybridSearcher
from tools.search.lexical import StoredLexicalIndex

SENSES = (
    Sense(id=1, term="EBR", extended_name="Electronic Batch Record", context="Quality", description="Log of a batch."),
    Sense(id=2, term="EBR", extended_name="Evaporation Bed Reactor", context="Process", description="Dries a product."),
    Sense(id=3, term="QP", extended_name="Qualified Person", description="Certifies every batch before its release."),
)
CONTEXTS = (
    Context(
        name="Quality",
        description="Release of batches, records, signatures, audits",
        examples=("Who signs the batch record?", "How long are records kept?"),
    ),
    Context(
        name="Process",
        description="Drying, mixing and filling of vaccines; reactors, temperatures, times",
        examples=("At what temperature is the vaccine dried?", "How long does one cycle take?"),
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> CachedEmbedder:
    return CachedEmbedder(OnnxEmbedder(find_default_model(), tmp_path_factory.mktemp("models")))


@pytest.fixture
async def chatbot(tmp_path: Path, embedder: CachedEmbedder) -> AsyncIterator[Chatbot]:
    async with plant_library(tmp_path, embedder) as (searcher, lexical):
        yield Chatbot(services(searcher, lexical, embedder))


def services(searcher: HybridSearcher, lexical: StoredLexicalIndex, embedder: CachedEmbedder) -> Services:
    dictionary = InMemoryJargonDictionary(SENSES, CONTEXTS)
    ranker = QuoteRanker(build_cross_encoder())
    return Services(
        question_rewriter=EmbeddedQuestionRewriter(),
        jargon_identifier=EmbeddedJargonIdentifier(dictionary),
        context_classifier=EmbeddedContextClassifier(embedder, dictionary),
        question_augmenter=TemplateQuestionAugmenter(),
        query_expander=EmbeddedQueryExpander(dictionary),
        relevance_judge=EmbeddedRelevanceJudge(ranker),
        passage_reranker=EmbeddedPassageReranker(ranker),
        answerability_judge=EmbeddedAnswerabilityJudge(ranker),
        answer_writer=EmbeddedAnswerWriter(ranker),
        citation_finder=EmbeddedCitationFinder(embedder),
        faithfulness_judge=EmbeddedFaithfulnessJudge(embedder),
        refiner=OverlapAnswerRefiner(),
        certainty_estimator=EmbeddedCertaintyEstimator(),
        searcher=searcher,
        dictionary=dictionary,
        lexical=lexical,
        embedder=embedder,
        quote_ranker=ranker,
    )


@pytest.mark.parametrize(
    ("question", "sense", "words", "page"),
    [
        ("At how many degrees does the EBR dry vaccine?", "Evaporation Bed Reactor", "minus 50", 2),
        ("How many operators sign the EBR of a batch?", "Electronic Batch Record", "two operators", 3),
    ],
)
async def test_one_abbreviation_is_answered_in_two_contexts(
    chatbot: Chatbot, question: str, sense: str, words: str, page: int
) -> None:
    answer = await chatbot.ask(question)
    assert answer.outcome == "answered", answer.text
    assert answer.readings[0].sense is not None
    assert answer.readings[0].sense.extended_name == sense
    assert words in answer.text
    assert answer.citations[0].page == page
    assert answer.certainty is not None
    assert answer.certainty > 0.5


async def test_a_bare_abbreviation_is_asked_back_and_the_reply_understood(chatbot: Chatbot) -> None:
    question = "What is an EBR?"
    back = await chatbot.ask(question)
    assert back.outcome == "clarify"
    history = (Turn(role="user", text=question), Turn(role="assistant", text=back.text))
    answer = await chatbot.ask("the batch record", history=history)
    assert answer.outcome == "answered"
    assert "Electronic Batch Record" in answer.text


async def test_a_definition_comes_from_the_dictionary(chatbot: Chatbot) -> None:
    answer = await chatbot.ask("What does QP stand for?")
    assert "Qualified Person" in answer.text
    assert answer.citations[0].document_name == "dictionary"


async def test_an_unknown_abbreviation_is_refused(chatbot: Chatbot) -> None:
    answer = await chatbot.ask("What is the XQWZ of a batch?")
    assert answer.outcome == "unknown_term"
    assert [reading.mention.text for reading in answer.unknown_terms] == ["XQWZ"]


async def test_a_question_about_something_else_gets_the_closest_passages(chatbot: Chatbot) -> None:
    answer = await chatbot.ask("Which team won the football world cup in 1998?")
    assert answer.outcome == "closest_passages"
    assert answer.closest[0].document_name == "plant.pdf"


async def test_a_choice_is_made_from_the_documents(chatbot: Chatbot) -> None:
    answer = await chatbot.ask("When does the canteen of the Leiden plant open? a) 7:30 b) 8:30 c) 14:00")
    assert answer.outcome == "answered"
    assert answer.text.startswith("a)")
