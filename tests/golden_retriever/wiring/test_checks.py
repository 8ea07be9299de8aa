"""Which implementation checks an answer, by profile and exception, and what stands in when the server goes away."""

from golden_retriever.settings import Settings
from golden_retriever.wiring.choosing import EngineChooser
from golden_retriever.wiring.judgements.checks import (
    build_certainty_estimator,
    build_citation_finder,
    build_faithfulness_judge,
    build_refiner,
)
from tests.conformance.answer_evidence import make_evidence
from tests.conformance.checking_chats import judge_draft, judge_faithfulness, name_sources
from tests.conformance.reading_cases import PASSAGES
from tools.chat.scripted import Script, ScriptedChatModel
from tools.embedding.hashing import HashingEmbedder

VOLTS = "The P-200 pump runs at 48 V."
STRANGE = "Penguins devour krill."


def chooser(script: Script, profile: str, engines: str = "") -> EngineChooser:
    settings = Settings(llm_base_url="http://127.0.0.1:9/v1", profile=profile, engines=engines)  # type: ignore[arg-type]
    return EngineChooser(settings, ScriptedChatModel(script))


async def test_quality_checks_on_the_chat_server() -> None:
    embedder = HashingEmbedder()
    cited = await build_citation_finder(chooser(name_sources, "quality"), embedder).find([VOLTS], PASSAGES)
    checked = await build_faithfulness_judge(chooser(judge_faithfulness, "quality"), embedder).judge(
        "", [VOLTS], PASSAGES
    )
    estimator = build_certainty_estimator(chooser(['{"certainty": "9"}'], "quality"))
    certain = await estimator.estimate(make_evidence(VOLTS, ("faithful", 0.9)))
    assert {each.provenance.implementation for each in (cited, checked, certain)} == {"llm"}


async def test_without_the_server_the_embedded_checks_say_why() -> None:
    embedder = HashingEmbedder()
    cited = await build_citation_finder(chooser([], "quality"), embedder).find([VOLTS], PASSAGES)
    checked = await build_faithfulness_judge(chooser([], "quality"), embedder).judge("", [VOLTS], PASSAGES)
    certain = await build_certainty_estimator(chooser([], "quality")).estimate(make_evidence(VOLTS, ("faithful", 0.9)))
    for verdict in (cited, checked, certain):
        assert verdict.provenance.implementation == "embedded"
        assert "the language model did not answer" in verdict.provenance.degraded


async def test_balanced_checks_without_the_server() -> None:
    embedder = HashingEmbedder()
    cited = await build_citation_finder(chooser([], "balanced"), embedder).find([VOLTS], PASSAGES)
    assert (cited.provenance.implementation, cited.provenance.degraded) == ("embedded", "")


async def test_refinement_follows_the_overlap_unless_the_verdict_is_chosen() -> None:
    for profile, engines, policy in (
        ("quality", "", "overlap"),
        ("balanced", "", "overlap"),
        ("balanced", "refinement=llm", "verdict"),
        ("quality", "refinement=llm, answer_generation=embedded", "none"),
        ("embedded", "", "none"),
    ):
        verdict = await build_refiner(chooser(judge_draft, profile, engines)).review("?", STRANGE, PASSAGES)
        assert (verdict.policy, verdict.rewrite) == (policy, policy != "none")
