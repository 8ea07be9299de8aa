"""Which implementation checks an answer, by profile and exception, and what stands in when the server goes away."""

import pytest

from golden_retriever.settings import Settings
from golden_retriever.wiring.engines import EngineChooser
from golden_retriever.wiring.judgements import (
    build_certainty_estimator,
    build_citation_finder,
    build_refiner,
)
from intrinsics.refinement.base import AnswerRefiner
from tests.conformance.answer_evidence import make_evidence
from tests.conformance.reading_cases import PASSAGES
from tools.chat.scripted import Script, ScriptedChatModel
from tools.embedding.hashing import HashingEmbedder

VOLTS = "The P-200 pump runs at 48 V."
UNSUPPORTED = "Penguins devour krill."


def chooser(script: Script, profile: str, engines: str = "") -> EngineChooser:
    settings = Settings(llm="http://127.0.0.1:9/v1", profile=profile, engines=engines)  # type: ignore[arg-type]
    return EngineChooser(settings, ScriptedChatModel(script))


async def test_without_the_server_the_embedded_estimate_says_why() -> None:
    evidence = make_evidence(VOLTS, ("faithful", 0.9))
    certain = await build_certainty_estimator(chooser(["yes"], "quality")).estimate(evidence)
    assert certain.provenance.implementation == "llm"
    instead = await build_certainty_estimator(chooser([], "quality")).estimate(evidence)
    assert instead.provenance.implementation == "embedded"
    assert "the language model did not answer" in instead.provenance.degraded


async def test_balanced_checks_without_the_server() -> None:
    embedder = HashingEmbedder()
    cited = await build_citation_finder(chooser([], "balanced"), embedder).find([VOLTS], PASSAGES)
    assert (cited.provenance.implementation, cited.provenance.degraded) == ("embedded", "")


@pytest.mark.parametrize(
    ("profile", "engines", "setting", "policy", "fires"),
    [
        # Nothing of the draft stands in the passages: whatever else is clean, that is noise.
        ("quality", "", "auto", "auto", True),
        ("balanced", "", "overlap", "overlap", True),
        ("balanced", "", "none", "none", False),
        ("quality", "answer_generation=embedded", "overlap", "none", False),
        ("embedded", "", "overlap", "none", False),
    ],
)
async def test_refinement_follows_its_setting_where_a_language_model_writes(
    profile: str, engines: str, setting: str, policy: str, fires: bool
) -> None:
    verdict = await refiner(profile, engines, refinement=setting).review("?", UNSUPPORTED, PASSAGES)
    assert (verdict.policy, verdict.rewrite) == (policy, fires)


async def test_a_threshold_of_ones_own_takes_the_place_of_the_shipped_one() -> None:
    ours = refiner("balanced", "", refinement="overlap", refinement_threshold=0.1)
    half = await ours.review("?", "The pump flies.", PASSAGES)
    assert (half.rewrite, half.signal, half.threshold) == (False, 0.5, 0.1)
    assert (await refiner("balanced", "", refinement="overlap").review("?", "The pump flies.", PASSAGES)).rewrite


def refiner(profile: str, engines: str, **more: object) -> AnswerRefiner:
    settings = Settings(llm="http://127.0.0.1:9/v1", profile=profile, engines=engines, **more)  # type: ignore[arg-type]
    chat = ScriptedChatModel([])
    return build_refiner(settings, EngineChooser(settings, chat), chat)
