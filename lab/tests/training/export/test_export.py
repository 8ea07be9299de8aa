"""The export of a really trained tiny model: the files for vLLM, the card and the declaration."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import Conflict, InvalidInput, NotFound
from lab.tests.training.lora.colours import colours, recipe, tiny_base
from lab.tests.training.tiny_model import write_tiny_gguf
from tools.adapters.declaration import load_adapter as load_declaration

torch = pytest.importorskip("torch")
pytest.importorskip("peft")
pytestmark = pytest.mark.torch

from peft import PeftModel  # noqa: E402

from golden_lab.training.data.examples import write_examples  # noqa: E402
from golden_lab.training.export.adapter import ExportOrder, export_run  # noqa: E402
from golden_lab.training.export.declaration import TrainedPrompt  # noqa: E402
from golden_lab.training.lora.models import load_base, load_tokenizer  # noqa: E402
from golden_lab.training.lora.run import train  # noqa: E402
from golden_lab.training.recipes import BaseModelOfRecipe  # noqa: E402

OWN_PROMPT = Path("intrinsics/answerability/llm.toml").resolve()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run on a model in the neighbouring folder ``base``."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("trained")
    write_examples(folder / "colours.jsonl", colours())
    lesson = recipe(folder, epochs=1, validation_share=0.2)
    train(lesson, colours(), folder / "run", model=str(tiny_base(folder / "base")), source=folder / "colours.jsonl")
    return folder / "run"


@pytest.fixture
def order(trained: Path, tmp_path: Path) -> ExportOrder:
    return ExportOrder(run=trained, out=tmp_path / "out", name="house-gate", code_revision="abc1234")


def logits(model: Any, tokenizer: Any) -> Any:
    ids = torch.tensor([tokenizer("What colour is the sky?")["input_ids"]])
    with torch.no_grad():
        return model(ids).logits[0]


def test_exported_adapter_is_readable_by_vllm_and_peft(trained: Path, order: ExportOrder) -> None:
    done = export_run(order)
    assert sorted(each.name for each in done.adapter.iterdir()) == [
        "README.md",
        "adapter_config.json",
        "adapter_model.safetensors",
        "house-gate.gguf",
    ]
    config = json.loads((done.adapter / "adapter_config.json").read_text())
    assert config["base_model_name_or_path"] == done.base_model == "base"
    assert config["inference_mode"] is True
    assert str(trained.parent) not in (done.adapter / "adapter_config.json").read_text()
    assert str(trained.parent) not in (done.adapter / "README.md").read_text()
    base, tokenizer = trained.parent / "base", load_tokenizer(str(trained.parent / "base"))
    before, after = (
        logits(PeftModel.from_pretrained(load_base(BaseModelOfRecipe(name=str(base))), str(folder)).eval(), tokenizer)
        for folder in (trained / "adapter", done.adapter)
    )
    assert torch.equal(before, after)


def test_llama_cpp_probabilities_match_peft(trained: Path, order: ExportOrder, tmp_path: Path) -> None:
    gguf_file = export_run(order).gguf
    base = trained.parent / "base"
    xllamacpp = pytest.importorskip("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(write_tiny_gguf(base, tmp_path / "base.gguf"))
    params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(gguf_file), 0.0)]
    params.n_ctx, params.n_parallel, params.verbosity = 256, 1, 1
    server = xllamacpp.Server(params)
    ids = load_tokenizer(str(base))("Is a scarlet coat warm or cold?")["input_ids"]
    adapted = PeftModel.from_pretrained(load_base(BaseModelOfRecipe(name=str(base))), str(trained / "adapter")).eval()
    with torch.no_grad(), adapted.disable_adapter():
        without = torch.log_softmax(adapted(torch.tensor([ids])).logits[0, -1], -1)
    with torch.no_grad():
        with_adapter = torch.log_softmax(adapted(torch.tensor([ids])).logits[0, -1], -1)
    assert (with_adapter - without).abs().mean() > 0.1, "the training changed the model"
    for scale, expected in ((0.0, without), (1.0, with_adapter)):
        # The grammar excludes tokens that are half a character, because they have no probabilities; other probabilities
        # stay the same.
        asked = {"prompt": ids, "max_tokens": 1, "logprobs": len(expected), "grammar": "root ::= [a-z]+"}
        (choice,) = server.handle_completions(asked | {"lora": [{"id": 0, "scale": scale}]})["choices"]
        options = choice["logprobs"]["content"][0]["top_logprobs"]
        given = torch.tensor([each["logprob"] for each in sorted(options, key=lambda each: each["id"])])
        torch.testing.assert_close(given, expected, atol=0.02, rtol=0.01)


def test_the_declaration_has_the_frozen_prompt_that_was_trained_on(order: ExportOrder) -> None:
    published = load_declaration(Path("intrinsics/answerability/adapter.toml"))
    # The training examples are messages, but a declaration with a frozen prompt would send a different format.
    frozen = TrainedPrompt(intrinsic="answerability", adapter=published, file=OWN_PROMPT)
    with pytest.raises(InvalidInput, match="was made from messages, but answerability would be asked with a frozen"):
        export_run(replace(order, prompt=frozen))
    assert not order.out.exists(), "nothing is written"
    done = export_run(replace(order, prompt=TrainedPrompt(intrinsic="answerability", file=OWN_PROMPT)))
    assert done.declaration is not None
    own = load_declaration(done.declaration)
    assert (own.model, own.base_model, own.weights.rank) == ("house-gate", "base", 8)
    assert own.weights.path == str((order.out / "house-gate").resolve())
    assert own.prompt.convention == "chat"
    assert own.prompt_path is not None
    assert own.prompt_path.read_bytes() == OWN_PROMPT.read_bytes(), "the export keeps the prompt of the training"


def test_version_depends_on_data_and_recipe_only(order: ExportOrder, trained: Path) -> None:
    first = export_run(order).version
    assert first.startswith("house-gate ")
    assert export_run(replace(order, force=True)).version == first
    result = trained / "result.json"
    kept = result.read_text()
    try:
        result.write_text(json.dumps({**json.loads(kept), "data_sha256": "0" * 64}))
        assert export_run(replace(order, force=True)).version != first
    finally:
        result.write_text(kept)


def test_existing_export_is_replaced_only_with_force(order: ExportOrder) -> None:
    done = export_run(order)
    (done.adapter / "mine.txt").write_text("kept")
    with pytest.raises(Conflict, match="house-gate already exists"):
        export_run(order)
    assert (done.adapter / "mine.txt").exists()
    export_run(replace(order, force=True))
    assert not (done.adapter / "mine.txt").exists()


def test_unfinished_training_and_invalid_name_are_refused(order: ExportOrder, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="has not ended"):
        export_run(replace(order, run=tmp_path))
    for name in ("../gate", ".hidden", "a b", ""):
        with pytest.raises(InvalidInput, match="is not valid for a folder"):
            export_run(replace(order, name=name))
