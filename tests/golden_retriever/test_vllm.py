"""``golden vllm``: the command line for the settings."""

import shlex
from pathlib import Path

import pytest

from contracts.errors import ConfigurationError
from golden_retriever.settings import Settings
from golden_retriever.wiring.vllm import serve_command
from tests.golden_retriever.served import environment_for, golden

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
    proxied = serve_command(settings(llm=f"https://llm.house/v1#{GRANITE}"))
    assert proxied.arguments[5:7] == ("--port", "8000")
    assert "proxy" in proxied.notes[0]
    assert "--served-model-name" not in proxied.arguments


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


def test_the_real_command_line_prints_one_line_on_standard_output(tmp_path: Path) -> None:
    environment = environment_for(
        tmp_path / "bot", llm="http://gpu-box:8000/v1", engines="answerability=adapter,certainty=adapter"
    )
    result = golden("vllm", "command", folder=tmp_path, environment=environment)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("\n") == 1
    assert "--max-loras 2" in result.stdout
    assert "# The adapters' weights, once:" in result.stderr
    assert result.stderr.count("hf download") == 2
