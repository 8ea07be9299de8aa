"""What a language model's server has of what the settings ask for, and which profile suits it."""

import pytest

from contracts.errors import ConfigurationError
from golden_retriever.settings import Settings
from golden_retriever.wiring.llm_check import LlmReport, check_llm
from tests.golden_retriever.vllm_server import BASE, VllmServer, serving
from tests.tools.chat.server import free_port


async def report(server: VllmServer, **given: object) -> LlmReport:
    return await check_llm(Settings.model_validate({"llm": server.url, **given}))


def engines(found: LlmReport) -> dict[str, tuple[str, str, str]]:
    return {each.intrinsic: (each.runs_on, each.model, each.note) for each in found.engines}


async def test_a_server_with_all_that_is_asked_for_passes() -> None:
    with serving(VllmServer(adapters=("answerability_prediction",))) as server:
        found = await report(server, profile="quality", engines="answerability=adapter")
    assert found.as_asked
    one = found.server
    assert (one.software, one.models[0], one.max_tokens) == ("vLLM 0.11.0", BASE, 8192)
    assert all(each.passed for each in (one.chat, one.streaming, one.structured, one.logprobs))
    runs = engines(found)
    assert runs["answerability"] == ("adapter", "answerability_prediction", "")
    assert runs["answer_generation"] == ("llm", BASE, "")
    assert runs["question_augmentation"] == ("embedded", "", "")
    assert ("completions", "answerability_prediction") in server.asked


async def test_an_adapter_that_is_not_loaded_falls_back_and_fails_the_check() -> None:
    with serving(VllmServer()) as server:
        found = await report(server, engines="answerability=adapter,certainty=adapter")
        refusing = await report(server, engines="certainty=adapter", degrade="refuse")
    assert not found.as_asked
    runs_on, model, note = engines(found)["answerability"]
    assert (runs_on, model) == ("embedded", "answerability_prediction")
    assert f"does not have it; it has: {BASE}" in note
    assert engines(refusing)["certainty"][0].startswith("nothing")


async def test_what_a_server_lacks_decides_what_runs_on_it() -> None:
    with serving(VllmServer(schemas="refused", logprobs=False, version="")) as server:
        found = await report(server, profile="quality")
    assert (found.as_asked, found.server.software, found.suits) == (True, "", "quality")
    assert "refuses log-probabilities" in found.server.logprobs.said

    with serving(VllmServer(schemas="ignored")) as server:
        found = await report(server, profile="quality")
    assert str(found.server.structured).startswith("no, 0 of 3: The reply does not have the form")
    assert [engines(found)[name][0] for name in ("answer_generation", "answerability")] == ["llm", "embedded"]
    assert (found.suits, found.as_asked) == ("balanced", False)

    with serving(VllmServer(adapters=("certainty",), streaming=False, completions=False)) as server:
        found = await report(server, engines="certainty=adapter")
    names = ("answer_generation", "certainty", "summarisation")
    assert [engines(found)[name][0] for name in names] == ["embedded", "embedded", "llm"]
    assert found.suits == "embedded"


async def test_a_wrong_key_a_wrong_model_and_an_absent_server_are_named() -> None:
    with serving(VllmServer(key="right")) as server:
        assert "GOLDEN_LLM_API_KEY" in (await report(server, llm_api_key="wrong")).server.problem
        assert (await report(server, llm_api_key="right")).as_asked
        unknown = await report(server, llm_api_key="right", llm=f"{server.url}#gpt")
    assert "does not know the model 'gpt'" in unknown.server.chat.said
    assert not unknown.as_asked
    away = await check_llm(Settings(llm=f"http://127.0.0.1:{free_port()}/v1"))
    assert "cannot be reached" in away.server.problem
    assert not away.as_asked
    with pytest.raises(ConfigurationError, match="GOLDEN_LLM"):
        await check_llm(Settings())


async def test_one_verdict_names_the_profile_and_what_does_not_run() -> None:
    with serving(VllmServer(adapters=("certainty",))) as server:
        found = await report(server, engines="certainty=adapter")
        assert any("adapter certainty: yes" in line for line in found.lines)
        assert any("tokens/s" in line for line in found.lines)
        assert found.verdict.startswith("The profile quality suits this server")
        assert found.verdict.endswith("Set GOLDEN_PROFILE=quality (it is balanced).")
        server.adapters, server.token_s = (), 0.4
        found = await report(server, engines="certainty=adapter")
        assert any("embedded !" in line for line in found.lines)
        assert found.verdict.startswith("The profile embedded suits this server: a question would take about")
        assert found.verdict.endswith("marked (!): 1.")
