"""Every implementation of a judgement keeps its contract."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, get_args

import pytest

from contracts.provenance import Provenance
from contracts.question import Choice, Turn
from contracts.text import Passage
from contracts.verdicts import RelevanceLabel
from intrinsics.answer_generation.base import AnswerWriter
from intrinsics.answer_generation.embedded import EmbeddedAnswerWriter
from intrinsics.answer_generation.llm import PromptedAnswerWriter
from intrinsics.answerability.adapter import AdaptedAnswerabilityJudge
from intrinsics.answerability.base import AnswerabilityJudge
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
from intrinsics.answerability.llm import PromptedAnswerabilityJudge
from intrinsics.certainty.adapter import AdaptedCertaintyEstimator
from intrinsics.certainty.base import CertaintyEstimator
from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
from intrinsics.certainty.llm import PromptedCertaintyEstimator
from intrinsics.citation.adapter import AdaptedCitationFinder
from intrinsics.citation.base import CitationFinder
from intrinsics.citation.embedded import EmbeddedCitationFinder
from intrinsics.context_relevance.adapter import AdaptedRelevanceJudge
from intrinsics.context_relevance.base import RelevanceJudge
from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
from intrinsics.faithfulness.adapter import AdaptedFaithfulnessJudge
from intrinsics.faithfulness.base import FaithfulnessJudge
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from intrinsics.question_rewriting.adapter import AdaptedQuestionRewriter
from intrinsics.question_rewriting.base import QuestionRewriter
from intrinsics.question_rewriting.embedded import EmbeddedQuestionRewriter
from tests.conformance.checking_chats import (
    adapted_estimate_certainty,
    adapted_judge_faithfulness,
    adapted_name_sources,
    estimate_certainty,
)
from tests.conformance.reading_cases import (
    ODD_QUESTIONS,
    PASSAGES,
    PUMP,
    QUESTION,
    ask,
    make_brief,
    make_evidence,
    make_passage,
    write,
)
from tests.hashing_embedder import HashingEmbedder
from tests.intrinsics.adapted import published
from tests.scripted_chat import ScriptedChatModel
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.chat.base import ChatRequest
from tools.fallback import with_fallback
from tools.reading.ranking import QuoteRanker

Replies = Callable[[ChatRequest], str]


def implementations(
    embedded: Callable[[], Any],
    *,
    llm: tuple[Callable[[ScriptedChatModel], Any], Replies] | None = None,
    adapter: tuple[Callable[[ScriptedChatModel], Any], Replies] | None = None,
) -> Any:
    """Make a fixture of the ``embedded`` judge, of those on a chat model with these replies, and of a degrading one."""
    asked = {name: each for name, each in (("llm", llm), ("adapter", adapter)) if each is not None}
    makers = {"embedded": embedded}
    for name, (make, replies) in asked.items():
        makers[name] = partial(lambda make, replies: make(ScriptedChatModel(replies)), make, replies)
    makers["degrading"] = lambda: with_fallback(make(ScriptedChatModel([])), embedded())

    @pytest.fixture(params=makers.values(), ids=makers)
    def judge(request: pytest.FixtureRequest) -> Any:
        return request.param()

    return judge


@pytest.fixture
def degraded(request: pytest.FixtureRequest) -> bool:
    """Say whether the implementation under test answers in the place of a language model that is down."""
    return "degrading" in request.node.name


def assert_named(provenance: Provenance, degraded: bool) -> None:
    """Check that a verdict says who made it, and why it was another where it was."""
    assert provenance.implementation in ("embedded", "llm", "adapter")
    assert bool(provenance.degraded) is degraded


HISTORY = [Turn(role="user", text="What is the VCCQ level for DDR3?"), Turn(role="assistant", text="1.5 V.")]


def _adapted_reply(request: ChatRequest) -> str:
    asked = request.prompt.rpartition("query_to_rewrite<|end_of_role|>")[2].partition("<|end_of_text|>")[0]
    return json.dumps({"rewritten_question": asked if "Fjord" in asked else "What is the VCCQ level for DDR2?"})


rewriter = implementations(
    EmbeddedQuestionRewriter,
    adapter=(lambda chat: AdaptedQuestionRewriter(chat, published("question_rewriting")), _adapted_reply),
)


async def test_follow_up_gets_subject_and_standalone_question_stays(rewriter: QuestionRewriter, degraded: bool) -> None:
    verdict = await rewriter.rewrite("and for DDR2?", HISTORY)
    assert verdict.changed
    assert_named(verdict.provenance, degraded)
    assert "VCCQ" in verdict.text
    assert "DDR2" in verdict.text
    question = "How many bytes does one Fjord Link frame carry?"
    assert (await rewriter.rewrite(question, HISTORY)).text == question


TEXTS = ("The pump BLP4 runs at 12 V.", "The hall is closed on Sunday.", " \n", "The pump BLP7 runs at 24 V.")
PUMPS = tuple(make_passage(text, number=number, score=1 / (1 + number)) for number, text in enumerate(TEXTS))
ASKED_OF_BLP = "At which voltage does the pump BLP4 run?"

gate = implementations(
    lambda: EmbeddedAnswerabilityJudge(QuoteRanker(OverlapScorer())),
    # A model that calls any question about these passages answerable.
    llm=(PromptedAnswerabilityJudge, lambda _: "answerable"),
    adapter=(lambda chat: AdaptedAnswerabilityJudge(chat, published("answerability")), lambda _: "answerable"),
)
relevance = implementations(
    lambda: EmbeddedRelevanceJudge(QuoteRanker(OverlapScorer())),
    adapter=(
        lambda chat: AdaptedRelevanceJudge(chat, published("context_relevance")),
        lambda request: json.dumps({"context_relevance": "relevant" if "12 V" in request.prompt else "irrelevant"}),
    ),
)


async def test_question_with_a_code_missing_from_passages_is_declined(gate: AnswerabilityJudge) -> None:
    for name in ("BLP9", "blp9", "tBLP"):
        verdict = await gate.judge(ask(f"At which voltage does the {name} run?"), PUMPS)
        assert verdict.probability <= 0.3
        assert verdict.missing == (name,)
    assert (await gate.judge(ask(ASKED_OF_BLP), PUMPS)).missing == ()
    for nothing in ((), (make_passage("  \n"),)):
        verdict = await gate.judge(ask(ASKED_OF_BLP), nothing)
        assert (verdict.probability, verdict.missing) == (0.0, ("BLP4",))


async def test_each_passage_has_a_verdict_in_order(relevance: RelevanceJudge) -> None:
    assert (await relevance.judge(ASKED_OF_BLP, ())).passages == ()
    verdicts = (await relevance.judge(ASKED_OF_BLP, PUMPS)).passages
    assert len(verdicts) == len(PUMPS)
    assert max(range(4), key=lambda index: verdicts[index].probability) == 0
    assert (verdicts[2].label, verdicts[2].probability) == ("irrelevant", 0.0)
    backwards = (await relevance.judge(ASKED_OF_BLP, PUMPS[::-1])).passages
    assert [each.label for each in backwards[::-1]] == [each.label for each in verdicts]
    assert [each.probability for each in backwards[::-1]] == pytest.approx([each.probability for each in verdicts])


@pytest.mark.parametrize("question", ODD_QUESTIONS, ids=range(len(ODD_QUESTIONS)))
async def test_any_question_gets_a_probability(gate: AnswerabilityJudge, degraded: bool, question: str) -> None:
    verdict = await gate.judge(ask(question), PUMPS)
    assert 0.0 <= verdict.probability <= 1.0
    assert_named(verdict.provenance, degraded)
    assert all(term in question for term in verdict.missing)


@pytest.mark.parametrize("question", ODD_QUESTIONS, ids=range(len(ODD_QUESTIONS)))
async def test_any_question_gets_a_label_per_passage(relevance: RelevanceJudge, degraded: bool, question: str) -> None:
    verdict = await relevance.judge(question, PUMPS)
    assert all(each.label in get_args(RelevanceLabel) for each in verdict.passages)
    assert all(0.0 <= each.probability <= 1.0 for each in verdict.passages)
    assert_named(verdict.provenance, degraded)


writer = implementations(
    lambda: EmbeddedAnswerWriter(QuoteRanker(OverlapScorer())),
    llm=(PromptedAnswerWriter, lambda _: "b) 48 V. The P-200 pump runs at 48 V."),
)


async def test_writer_streams_text_and_ends_with_a_draft_without_marks(writer: AnswerWriter, degraded: bool) -> None:
    pieces, draft = await write(writer, make_brief(QUESTION, PASSAGES))
    assert "".join(pieces) == draft.text
    assert "48 V" in draft.text
    assert "96 V" not in draft.text
    assert "[" not in draft.text
    assert_named(draft.provenance, degraded)
    assert draft.provenance.model
    assert draft.provenance.milliseconds > 0


async def test_writer_names_the_option_of_a_multiple_choice_question(writer: AnswerWriter) -> None:
    choices = (Choice(label="a", text="96 V"), Choice(label="b", text="48 V"), Choice(label="c", text="12 V"))
    _, draft = await write(writer, make_brief(QUESTION, PASSAGES, choices=choices))
    assert draft.text.startswith("b) 48 V")


async def test_writer_accepts_no_passages_and_a_critique(writer: AnswerWriter) -> None:
    pieces, draft = await write(writer, make_brief(QUESTION, ()))
    assert "".join(pieces) == draft.text != ""
    brief = make_brief(QUESTION, PASSAGES, critique="Keep to the passages.", draft="It runs at 12 V.")
    _, draft = await write(writer, brief)
    assert "48 V" in draft.text
    assert "12 V" not in draft.text


VOLTS = "The P-200 pump runs at 48 V."

finder = implementations(
    lambda: EmbeddedCitationFinder(HashingEmbedder()),
    adapter=(lambda chat: AdaptedCitationFinder(chat, published("citation")), adapted_name_sources),
)
judge = implementations(
    lambda: EmbeddedFaithfulnessJudge(HashingEmbedder()),
    adapter=(lambda chat: AdaptedFaithfulnessJudge(chat, published("faithfulness")), adapted_judge_faithfulness),
)
estimator = implementations(
    EmbeddedCertaintyEstimator,
    llm=(PromptedCertaintyEstimator, estimate_certainty),
    adapter=(lambda chat: AdaptedCertaintyEstimator(chat, published("certainty")), adapted_estimate_certainty),
)


async def test_citation_links_a_sentence_to_its_source_sentence(finder: CitationFinder, degraded: bool) -> None:
    verdict = await finder.find(["Its bearing is greased every 500 hours."], PASSAGES)
    (link,) = verdict.links
    assert_named(verdict.provenance, degraded)
    assert (link.sentence, link.passage, link.passage_sentences) == (0, 0, (1,))
    assert 0.0 <= link.score <= 1.0
    sentences = ["The P-300 pump runs at 96 V.", "Open the inlet valve.", "P-200: 48 V."]
    links = (await finder.find(sentences, PASSAGES)).links
    for link in links:
        assert sentences[link.sentence]
        assert link.passage_sentences
        assert all(PASSAGES[link.passage].sentence(index) for index in link.passage_sentences)
    assert [link.sentence for link in links] == sorted(link.sentence for link in links)


async def test_no_citations_without_evidence_or_without_sentences(finder: CitationFinder) -> None:
    nothing: list[tuple[list[str], Sequence[Passage]]] = [
        (["Penguins are birds that cannot fly."], PASSAGES), ([], PASSAGES),
        (["The pump runs at 48 V."], ()), ([""], (PUMP,)),
    ]  # fmt: skip
    for sentences, passages in nothing:
        assert (await finder.find(sentences, passages)).links == (), sentences


async def test_faithfulness_has_one_verdict_per_sentence_in_order(judge: FaithfulnessJudge, degraded: bool) -> None:
    sentences = [VOLTS, "Which one do you mean?", "It runs at 60 V.", "Sure, I can help."]
    verdict = await judge.judge(QUESTION, sentences, PASSAGES)
    assert [each.label for each in verdict.sentences] == ["faithful", "no_claim", "unfaithful", "no_claim"]
    assert all(each.reason for each in verdict.sentences if each.label == "unfaithful")
    # The probabilities are those of "faithful".
    assert 0.0 <= verdict.sentences[2].probability < 0.5 < verdict.sentences[0].probability <= 1.0
    assert_named(verdict.provenance, degraded)


async def test_no_sentence_is_faithful_without_passages(judge: FaithfulnessJudge) -> None:
    verdict = await judge.judge(QUESTION, [VOLTS], ())
    assert [(each.label, each.probability) for each in verdict.sentences] == [("unfaithful", 0.0)]
    assert (await judge.judge(QUESTION, [], PASSAGES)).sentences == ()
    assert [each.label for each in (await judge.judge(QUESTION, [""], PASSAGES)).sentences] == ["no_claim"]


async def test_certainty_is_in_tenths_and_rises_with_support(estimator: CertaintyEstimator, degraded: bool) -> None:
    good = await estimator.estimate(make_evidence(VOLTS, ("faithful", 0.98)))
    bad = await estimator.estimate(make_evidence("Penguins devour krill.", ("unfaithful", 0.02), answerability=0.1))
    assert 0.0 <= bad.probability < 0.4 < good.probability <= 1.0
    for verdict in (good, bad):
        assert verdict.probability == round(verdict.probability, 1)
        assert_named(verdict.provenance, degraded)


async def test_unsupported_answer_is_never_certain(estimator: CertaintyEstimator) -> None:
    assert (await estimator.estimate(make_evidence(" ", ("faithful", 0.9)))).probability == 0.0
    assert (await estimator.estimate(make_evidence(VOLTS, ("faithful", 0.9), passages=()))).probability == 0.0
    assert (await estimator.estimate(make_evidence(VOLTS, ("unfaithful", 0.05)))).probability <= 0.3
