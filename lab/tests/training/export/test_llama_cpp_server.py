"""Adapters of a tiny model in a real llama.cpp server, requested by name."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from contracts.errors import ConfigurationError
from golden_retriever.language_models.local_server import LocalServer, serving_file
from golden_retriever.settings import Settings
from golden_retriever.wiring.llm_check import check_llm
from tools.chat.base import ChatMessage, ChatRequest
from tools.chat.openai import OpenAIChatModel

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
pytest.importorskip("gguf")
pytest.importorskip("xllamacpp")
pytestmark = pytest.mark.torch

from safetensors.numpy import save_file  # noqa: E402

from golden_lab.training.export.llama_cpp import write_gguf  # noqa: E402
from lab.tests.training.lora.colours import tiny_base  # noqa: E402
from lab.tests.training.tiny_model import write_tiny_gguf  # noqa: E402

QUESTION = "Is a scarlet coat warm or cold? Say it in one word, and say nothing else."
OTHER_QUESTION = "Wall lamp, azure door, teal coat: cold ones come first, amber and rust ones last, and so on."
DECLARATION = """
version = "house 1"
description = "Ours"
model = "gate"
base_model = "base"
[weights]
path = "."
rank = 4
[prompt]
convention = "chat"
"""


HIDDEN, LAYERS = 32, 2


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a tiny base model."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("tiny")
    return write_tiny_gguf(tiny_base(folder), folder / "base.gguf")


def write_adapter(model: Path, folder: Path, name: str, *, seed: int, hidden: int = HIDDEN) -> Path:
    """Write an adapter of random matrices in the layout of an export, large enough to have a visible effect."""
    random, rank, weights = np.random.default_rng(seed), 4, {}
    for layer in range(LAYERS):
        for projection in ("q_proj", "o_proj"):
            place = f"base_model.model.model.layers.{layer}.self_attn.{projection}"
            weights[f"{place}.lora_A.weight"] = random.normal(size=(rank, hidden)).astype("float32")
            weights[f"{place}.lora_B.weight"] = random.normal(size=(HIDDEN, rank)).astype("float32") / 4
    folder.mkdir(parents=True, exist_ok=True)
    save_file(weights, folder / "adapter_model.safetensors")
    (folder / "adapter_config.json").write_text(json.dumps({"lora_alpha": 4}))
    write_gguf(folder, folder / f"{name}.gguf", model=str(model))
    return folder / f"{name}.gguf"


@pytest.fixture
async def local(model: Path, tmp_path: Path) -> AsyncIterator[LocalServer]:
    adapters = [write_adapter(model, tmp_path / name, name, seed=seed) for seed, name in enumerate(("gate", "judge"))]
    async with serving_file(model, adapters=adapters, max_context_tokens=512) as served:
        yield served


def assert_same(reply: dict[str, float], expected: dict[str, float]) -> None:
    """Compare the three likeliest tokens: the order of the others depends on the rest of the batch."""
    likeliest = dict(sorted(expected.items(), key=lambda each: -each[1])[:3])
    assert {text: reply.get(text) for text in likeliest} == pytest.approx(likeliest, abs=0.1)


async def test_request_uses_only_the_adapter_it_names(local: LocalServer) -> None:
    chat = OpenAIChatModel(local.base_url, local.key, local.model, 120.0)

    async def ask(name: str, question: str, *, whole: bool) -> dict[str, float]:
        """Return the twenty likeliest first tokens with their log-probabilities."""
        messages = () if whole else (ChatMessage(role="user", content=question),)
        prompt = question if whole else ""
        asked = ChatRequest(messages=messages, prompt=prompt, model=name, max_tokens=4, top_logprobs=20)
        reply = await chat.complete(asked)
        assert reply.tokens
        return {option.text: option.logprob for option in reply.tokens[0].options}

    # The prompts are repeated because llama.cpp reuses its cache for them, regardless of the adapter.
    for whole in (False, True):
        expected = {name: await ask(name, QUESTION, whole=whole) for name in ("gate", "judge", "")}
        for one, other in itertools.permutations(expected.values(), 2):
            with pytest.raises(AssertionError):
                assert_same(one, other)
        for name in ("gate", "", "judge", "", "gate"):
            await ask("", OTHER_QUESTION, whole=whole)
            assert_same(await ask(name, QUESTION, whole=whole), expected[name])
        names = ("", "gate", "judge", "gate", "", "judge", "", "")
        replies = await asyncio.gather(*(ask(name, QUESTION, whole=whole) for name in names))
        for name, reply in zip(names, replies, strict=True):
            assert_same(reply, expected[name])
    await chat.close()


async def test_doctor_finds_an_adapter_from_a_file(model: Path, tmp_path: Path) -> None:
    write_adapter(model, tmp_path, "gate", seed=0)
    (tmp_path / "answerability.toml").write_text(DECLARATION)
    chosen = {"llm": str(model), "engines": "answerability=adapter", "adapters_dir": tmp_path}
    found = await check_llm(Settings.model_validate({**chosen, "llm_max_context_tokens": 512}))
    assert "  adapter gate: yes" in found.lines
    assert found.server.models[1:] == ("gate",)
    assert [each.model for each in found.engines if each.runs_on == "adapter"] == ["gate"]


async def test_an_adapter_of_another_base_model_is_refused(model: Path, tmp_path: Path) -> None:
    other = write_adapter(model, tmp_path, "gate", seed=0, hidden=2 * HIDDEN)
    with pytest.raises(ConfigurationError, match=r"incorrect shape \(hint: maybe wrong base model\?\)"):
        async with serving_file(model, adapters=[other]):
            pass
