"""Which implementation serves which intrinsic, by profile and exception."""

from pathlib import Path

import pytest

from contracts.errors import ConfigurationError
from golden_retriever.profiles import engines_of
from golden_retriever.settings import CONFIG_VARIABLE, Settings, load_settings
from golden_retriever.wiring.engines import EngineChooser
from golden_retriever.wiring.judgements import build_refiner
from intrinsics.refinement.base import AnswerRefiner
from tests.conformance.reading_cases import PASSAGES
from tools.chat.scripted import ScriptedChatModel

URL = "http://127.0.0.1:9/v1"


def test_the_profiles_say_what_runs_on_the_language_model() -> None:
    assert set(engines_of("embedded").values()) == {"embedded"}
    balanced = engines_of("balanced")
    assert {name for name, engine in balanced.items() if engine == "llm"} == {
        "answer_generation",
        "summarisation",
        "question_writing",
    }
    quality = engines_of("quality")
    assert quality["jargon_identification"] == quality["answer_generation"] == "llm"
    assert set(quality) == set(balanced)


def test_exceptions_win_over_the_profile() -> None:
    chosen = engines_of("balanced", " jargon_identification = llm, summarisation=embedded,, ")
    assert (chosen["jargon_identification"], chosen["summarisation"]) == ("llm", "embedded")
    assert chosen["answer_generation"] == "llm"


def test_unknown_names_are_refused_clearly(subtests: pytest.Subtests) -> None:
    for engines, complaint in [
        ("jargon=llm", 'no intrinsic "jargon"; there are: answer_generation'),
        ("summarisation=gpu", 'no engine "gpu"; there are: embedded, llm, adapter'),
        ("question_augmentation=llm", "question_augmentation does not run on the engine llm; it runs on: embedded"),
        ("summarisation", '"summarisation" is not of the form intrinsic=engine'),
        ("summarisation=llm,summarisation=embedded", "summarisation is given two engines"),
    ]:
        with subtests.test(engines=engines, complaint=complaint):
            with pytest.raises(ConfigurationError, match="GOLDEN_ENGINES") as caught:
                load_settings(llm=URL, engines=engines)
            assert complaint in str(caught.value)


def test_what_needs_a_chat_server_says_so() -> None:
    for wrong in ({"profile": "quality"}, {"engines": "term_mining=llm"}):
        with pytest.raises(ConfigurationError, match="set GOLDEN_LLM"):
            load_settings(**wrong)
        assert load_settings(llm=URL, **wrong)
    assert EngineChooser(Settings(), None).engine_of("answer_generation") == "embedded"
    assert load_settings(profile="embedded", engines="term_mining=embedded")
    with pytest.raises(ConfigurationError, match="GOLDEN_PROFILE"):
        load_settings(profile="cheap")


def test_a_file_may_hold_the_exceptions_as_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "golden.toml"
    path.write_text(f'llm = "{URL}"\n[engines]\nterm_mining = "llm"\n')
    monkeypatch.setenv(CONFIG_VARIABLE, str(path))
    settings = load_settings()
    assert engines_of(settings.profile, settings.engines)["term_mining"] == "llm"


async def test_refinement_follows_its_setting_where_a_language_model_writes(subtests: pytest.Subtests) -> None:
    for profile, engines, setting, policy, fires in [
        # Nothing of the draft stands in the passages: whatever else is clean, that is noise.
        ("quality", "", "auto", "auto", True),
        ("balanced", "", "overlap", "overlap", True),
        ("balanced", "", "none", "none", False),
        ("quality", "answer_generation=embedded", "overlap", "none", False),
        ("embedded", "", "overlap", "none", False),
    ]:
        with subtests.test(profile=profile, engines=engines, setting=setting, policy=policy, fires=fires):
            verdict = await refiner(profile, engines, refinement=setting).review(
                "?", "Penguins devour krill.", PASSAGES
            )
            assert (verdict.policy, verdict.rewrite) == (policy, fires)


async def test_a_threshold_of_ones_own_takes_the_place_of_the_shipped_one() -> None:
    ours = refiner("balanced", "", refinement="overlap", refinement_threshold=0.1)
    half = await ours.review("?", "The pump flies.", PASSAGES)
    assert (half.rewrite, half.signal, half.threshold) == (False, 0.5, 0.1)
    assert (await refiner("balanced", "", refinement="overlap").review("?", "The pump flies.", PASSAGES)).rewrite


def refiner(profile: str, engines: str, **more: object) -> AnswerRefiner:
    settings = Settings(llm=URL, profile=profile, engines=engines, **more)  # type: ignore[arg-type]
    chat = ScriptedChatModel([])
    return build_refiner(settings, EngineChooser(settings, chat), chat)
