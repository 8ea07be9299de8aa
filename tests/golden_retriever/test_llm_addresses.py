"""``GOLDEN_LLM``: one short address for every kind of server, and clear words for one that is wrong."""

import sys
from pathlib import Path

import pytest

from contracts.errors import ConfigurationError
from golden_retriever.language_models.local_server import serving_file
from golden_retriever.settings import load_settings
from golden_retriever.wiring.chat import build_server


def test_an_address_names_the_server_and_its_model(subtests: pytest.Subtests) -> None:
    for written, base_url, model in [
        ("ollama:qwen3:4b", "http://127.0.0.1:11434/v1", "qwen3:4b"),
        ("lmstudio:google/gemma-3-4b", "http://127.0.0.1:1234/v1", "google/gemma-3-4b"),
        ("vllm:http://gpu-box:8000/v1#ibm-granite/granite", "http://gpu-box:8000/v1", "ibm-granite/granite"),
        ("vllm:http://gpu-box:8000", "http://gpu-box:8000/v1", ""),
        ("openai:gpt-5-mini", "https://api.openai.com/v1", "gpt-5-mini"),
        ("https://llm.house/openai/v1/#big", "https://llm.house/openai/v1", "big"),
        ("models/Qwen3-4B.Q4_K_M.gguf", "", "Qwen3-4B.Q4_K_M"),
    ]:
        with subtests.test(written=written, base_url=base_url, model=model):
            settings = load_settings(llm=written)
            assert (settings.llm_base_url, settings.llm_model) == (base_url, model)
            assert load_settings(llm=settings.llm).llm_address == settings.llm_address
            assert settings.with_llm_model("other").llm_model == "other" or not base_url


def test_a_wrong_address_is_refused_with_an_example(subtests: pytest.Subtests) -> None:
    for written, complaint in [
        ("qwen3:4b", "neither a kind of server nor a URL: write ollama:qwen3:4b"),
        ("ollama:", "needs the name of a model, such as ollama:qwen3:4b"),
        ("vllm://gpu-box:8000", "needs the name of a model, such as vllm:NAME"),
        ("openai:http://gpu-box:8000/v1#gpt", "write the URL of another server alone"),
        ("http://", "is no address of a server: write one such as"),
        ("http://one:8000,http://two:8000", "put a load balancer in front"),
    ]:
        with subtests.test(written=written, complaint=complaint):
            with pytest.raises(ConfigurationError, match="GOLDEN_LLM") as caught:
                load_settings(llm=written)
            assert complaint in str(caught.value)


def test_the_key_of_openai_goes_to_openai_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-theirs")
    assert load_settings(llm="openai:gpt-5-mini").llm_key == "sk-theirs"
    assert load_settings(llm="openai:gpt-5-mini", llm_api_key="sk-ours").llm_key == "sk-ours"
    assert load_settings(llm="http://gpu-box:8000/v1").llm_key == ""
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ConfigurationError, match="set GOLDEN_LLM_API_KEY or OPENAI_API_KEY"):
        build_server(load_settings(llm="openai:gpt-5-mini"))


async def assert_no_model(path: Path) -> str:
    with pytest.raises(ConfigurationError) as caught:
        async with serving_file(path):
            pass
    return str(caught.value)


async def test_a_file_that_cannot_be_served_is_named_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "some.gguf"
    assert (
        await assert_no_model(path) == f"There is no file {path}: GOLDEN_LLM or --model takes the path of a GGUF file."
    )
    path.write_bytes(b"<html>not found</html>")
    assert "is not a GGUF file" in await assert_no_model(path)
    path.write_bytes(b"GGUF and no more")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    assert "pip install 'golden-retriever-bot[local]'" in await assert_no_model(path)
