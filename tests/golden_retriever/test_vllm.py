"""``golden vllm``: the command for the settings, and what a server that plays vLLM has of what they ask for."""

import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from contracts.errors import ConfigurationError
from golden_retriever.cli.vllm import app
from golden_retriever.settings import Settings
from golden_retriever.wiring.vllm import RunningReport, check_running, serve_command
from tests.golden_retriever.served import environment_for, golden, the_one_line
from tests.golden_retriever.vllm_server import BASE, VllmServer, serving
from tests.tools.chat.server import free_port

GRANITE = "ibm-granite/granite-3.3-8b-instruct"
LIBRARY = "ibm-granite/granite-3.3-8b-rag-agent-lib"
OWN = """
version = "1"
description = "Ours"
model = "MODEL"
base_model = "BASE"
[weights]
path = "/srv/our adapters/gate"
rank = 100
[prompt]
convention = "chat"
"""


def settings(**given: object) -> Settings:
    return Settings.model_validate({"llm": "vllm:http://gpu-box:8000/v1", **given})


def test_the_line_has_what_the_settings_say() -> None:
    found = serve_command(
        settings(
            engines="answerability=adapter,faithfulness=adapter",
            llm="vllm:http://gpu-box:8000/v1#house",
            llm_api_key="se cret",
            llm_max_context_tokens=16_384,
        )
    )
    assert found.line == (
        'VLLM_API_KEY="$GOLDEN_LLM_API_KEY" vllm serve ibm-granite/granite-3.3-8b-instruct --host 0.0.0.0 --port 8000 '
        "--served-model-name house --max-model-len 16384 "
        "--enable-prefix-caching --enable-lora --max-loras 2 --max-lora-rank 32 --lora-modules "
        f"answerability_prediction=adapters/{LIBRARY}/answerability_prediction_lora "
        f"hallucination_detection=adapters/{LIBRARY}/hallucination_detection_lora"
    )
    assert "se cret" not in found.line
    assert [shlex.join(each) for each in found.downloads] == [
        f"hf download {LIBRARY} --include '{folder}/*' --local-dir adapters/{LIBRARY}"
        for folder in ("answerability_prediction_lora", "hallucination_detection_lora")
    ]


def test_without_adapters_the_line_is_plain() -> None:
    found = serve_command(Settings(vllm_model="/models/my model"))
    assert found.line == "vllm serve '/models/my model' --host 127.0.0.1 --port 8000 --enable-prefix-caching"
    assert found.downloads == ()
    assert "GOLDEN_LLM=vllm:http://127.0.0.1:8000/v1" in found.notes[0]
    with pytest.raises(ConfigurationError, match="GOLDEN_VLLM_MODEL"):
        serve_command(settings())


def test_a_proxy_is_noted() -> None:
    found = serve_command(settings(llm=f"https://llm.house/v1#{GRANITE}"))
    assert found.arguments[5:7] == ("--port", "8000")
    assert "proxy" in found.notes[0]
    assert "--served-model-name" not in found.arguments


def test_adapters_of_ones_own_are_served_from_their_place(tmp_path: Path) -> None:
    own = tmp_path / "answerability.toml"
    own.write_text(OWN.replace("MODEL", "gate").replace("BASE", GRANITE))
    chosen = settings(adapters_dir=tmp_path, engines="answerability=adapter,certainty=adapter")
    line = serve_command(chosen).line
    assert "'gate=/srv/our adapters/gate' " in line
    assert "--max-lora-rank 128" in line
    own.write_text(OWN.replace("MODEL", "gate").replace("BASE", "house/base"))
    with pytest.raises(ConfigurationError, match=r"several base models \(house/base, ibm-granite"):
        serve_command(chosen)
    assert serve_command(settings(**chosen.model_dump() | {"vllm_model": "merged"})).arguments[2] == "merged"
    own.write_text(OWN.replace("MODEL", "certainty").replace("BASE", GRANITE))
    with pytest.raises(ConfigurationError, match='Two adapters are called "certainty"'):
        serve_command(chosen)


async def report(server: VllmServer, **given: object) -> RunningReport:
    return await check_running(settings(**{"llm": server.url, **given}))


def engines(found: RunningReport) -> dict[str, tuple[str, str, str]]:
    return {each.intrinsic: (each.runs_on, each.model, each.note) for each in found.engines}


async def test_a_server_with_all_that_is_asked_for_passes() -> None:
    with serving(VllmServer(adapters=("answerability_prediction",))) as server:
        found = await report(server, profile="quality", engines="answerability=adapter")
    assert found.as_asked
    one = found.server
    assert (one.software, one.models[0], one.max_tokens) == ("vLLM 0.11.0", BASE, 8192)
    assert all(each.passed for each in (one.chat, one.streaming, one.schemas, one.logprobs))
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


async def test_missing_features_are_told_and_do_not_fail_it() -> None:
    with serving(VllmServer(schemas="refused", logprobs=False, version="")) as server:
        found = await report(server, profile="quality")
    assert found.as_asked
    assert found.server.software == ""
    assert "refuses JSON schemas" in found.server.schemas.said
    assert "refuses log-probabilities" in found.server.logprobs.said
    with serving(VllmServer(schemas="ignored")) as server:
        assert "does not keep to it" in (await report(server)).server.schemas.said


async def test_a_server_without_streams_or_prompts_cannot_write_or_ask_adapters() -> None:
    with serving(VllmServer(adapters=("certainty",), streaming=False, completions=False)) as server:
        found = await report(server, engines="certainty=adapter")
    assert engines(found)["answer_generation"][0] == "embedded"
    assert engines(found)["certainty"][0] == "embedded"
    assert engines(found)["summarisation"][0] == "llm"


async def test_a_wrong_key_a_wrong_model_and_an_absent_server_are_named() -> None:
    with serving(VllmServer(key="right")) as server:
        assert "GOLDEN_LLM_API_KEY" in (await report(server, llm_api_key="wrong")).server.problem
        assert (await report(server, llm_api_key="right")).as_asked
        unknown = await report(server, llm_api_key="right", llm=f"{server.url}#gpt")
    assert "does not know the model 'gpt'" in unknown.server.chat.said
    assert not unknown.as_asked
    away = await check_running(settings(llm=f"http://127.0.0.1:{free_port()}/v1"))
    assert "cannot be reached" in away.server.problem
    assert not away.as_asked
    with pytest.raises(ConfigurationError, match="GOLDEN_LLM"):
        await check_running(Settings())


def test_the_commands_print_what_they_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDEN_ENGINES", "certainty=adapter")
    with serving(VllmServer(adapters=("certainty",))) as server:
        monkeypatch.setenv("GOLDEN_LLM", server.url)
        shown = CliRunner().invoke(app, ["check"])
        assert shown.exit_code == 0, shown.output
        assert "vLLM 0.11.0" in shown.output
        assert "adapter certainty: yes" in shown.output
        assert "Everything runs as it is asked to." in shown.output
        server.adapters = ()
        shown = CliRunner().invoke(app, ["check"])
        assert shown.exit_code == 1
        assert "embedded !" in shown.output
        assert "1 do not run as they are asked to" in shown.output
    assert "# The adapters' weights, once:" in CliRunner().invoke(app, ["command"]).stderr


def test_the_real_command_line_prints_one_line_on_standard_output(tmp_path: Path) -> None:
    environment = environment_for(
        tmp_path / "bot", llm="http://gpu-box:8000/v1", engines="answerability=adapter,certainty=adapter"
    )
    result = golden("vllm", "command", folder=tmp_path, environment=environment)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("\n") == 1
    assert "--max-loras 2" in result.stdout
    assert result.stderr.count("hf download") == 2
    wrong = golden("vllm", "check", environment=environment_for(tmp_path / "bot"), folder=tmp_path)
    assert wrong.returncode == 1
    assert "set GOLDEN_LLM" in the_one_line(wrong)
    assert not (tmp_path / "bot").exists()
