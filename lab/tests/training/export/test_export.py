"""A real training of a tiny model, exported: what vLLM gets, merged weights, the card, the declaration."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import ConfigurationError, Conflict, InvalidInput, NotFound
from lab.tests.training.lora.lessons import colours, recipe, tiny_base
from tools.adapters import load_adapter as load_declaration

torch = pytest.importorskip("torch")
pytest.importorskip("peft")
pytestmark = pytest.mark.torch

from golden_lab.training.data.examples import write_examples  # noqa: E402
from golden_lab.training.export import Exported, ExportOrder, MeasuredScore, TrainedPrompt, export_run  # noqa: E402
from golden_lab.training.export.adapter import check_servable, read_adapter  # noqa: E402
from golden_lab.training.lora import DataSource, train  # noqa: E402
from golden_lab.training.lora.loading import load_adapter, load_base, load_tokenizer  # noqa: E402

OWN_PROMPT = Path("intrinsics/answerability/llm.toml").resolve()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run on a model in the folder ``base`` beside it."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("trained")
    write_examples(folder / "colours.jsonl", colours())
    lesson = recipe(folder, epochs=1, validation_share=0.2)
    source = DataSource.of_file(folder / "colours.jsonl")
    train(lesson, colours(), folder / "run", model=str(tiny_base(folder / "base")), source=source)
    return folder / "run"


@pytest.fixture
def order(trained: Path, tmp_path: Path) -> ExportOrder:
    return ExportOrder(run=trained, out=tmp_path / "out", name="house-gate", code_revision="abc1234")


def logits(model: Any, tokenizer: Any) -> Any:
    ids = torch.tensor([tokenizer("What colour is the sky?")["input_ids"]])
    with torch.no_grad():
        return model(ids).logits[0]


def test_the_adapter_is_what_vllm_and_peft_read(trained: Path, order: ExportOrder) -> None:
    done = export_run(order)
    assert sorted(each.name for each in done.adapter.iterdir()) == [
        "README.md",
        "adapter_config.json",
        "adapter_model.safetensors",
    ]
    files = read_adapter(done.adapter)
    assert files.config["base_model_name_or_path"] == done.base_model == "base"
    assert str(trained.parent) not in (done.adapter / "adapter_config.json").read_text()
    assert str(trained.parent) not in (done.adapter / "README.md").read_text()
    assert set(files.config["target_modules"]) == set(files.layers)
    assert all(name.startswith("base_model.model.model.layers.") for name in files.shapes)
    assert done.notes[-1].startswith("The base model was a folder, and is called base here")
    base, tokenizer = str(trained.parent / "base"), load_tokenizer(str(trained.parent / "base"))
    before = logits(load_adapter(load_base(base), trained / "adapter"), tokenizer)
    after = logits(load_adapter(load_base(base), done.adapter), tokenizer)
    assert torch.equal(before, after)


def test_merged_weights_give_the_logits_of_base_and_adapter(trained: Path, order: ExportOrder) -> None:
    done = export_run(replace(order, merged=True))
    assert done.merged is not None
    base, tokenizer = load_base(str(trained.parent / "base")), load_tokenizer(str(done.merged))
    plain = logits(base, tokenizer)
    unmerged = logits(load_adapter(base, done.adapter), tokenizer)
    merged = logits(load_base(str(done.merged)), tokenizer)
    torch.testing.assert_close(merged, unmerged, rtol=1e-4, atol=1e-5)
    assert not torch.allclose(merged, plain, atol=1e-3), "the adapter changes something at all"
    assert tokenizer.chat_template == load_tokenizer(str(trained.parent / "base")).chat_template
    assert "base_model_relation: finetune" in (done.merged / "README.md").read_text()


def test_the_card_tells_of_data_recipe_losses_and_scores(trained: Path, order: ExportOrder) -> None:
    score = MeasuredScore(
        benchmark="SQuADRUN", metric="f1", value=0.9134, low=0.9, high=0.93, cases=1_200, revision="r1", model="gate"
    )
    done = export_run(replace(order, scores=(score,), base_model="ibm-granite/granite-3.3-8b-instruct"))
    text = (done.adapter / "README.md").read_text()
    front = text.split("---\n")[1]
    assert 'base_model: "ibm-granite/granite-3.3-8b-instruct"' in front
    assert 'license: "unknown"' in front
    assert "not known: that of `ibm-granite/granite-3.3-8b-instruct` and of the data hold" in text
    result = json.loads((trained / "result.json").read_text())
    for told in (
        result["data_sha256"],
        "`colours.jsonl`",
        f"| Examples trained on | {result['examples']} |",
        f"{result['training_loss_before']:.4f}, {result['training_loss_after']:.4f}",
        f"{result['validation_loss_before']:.4f}, {result['validation_loss_after']:.4f}",
        f"| torch | {torch.__version__} |",
        "code revision abc1234",
        "| SQuADRUN | f1 | 0.913 | 0.900 to 0.930 | 1,200 | gate | r1 |",
        "learning_rate = ",
        "Intended use and limits",
    ):
        assert told in text, told
    licensed = export_run(replace(order, name="other", licence="apache-2.0"))
    assert 'license: "apache-2.0"' in (licensed.adapter / "README.md").read_text()


def declared(done: Exported) -> Any:
    assert done.declaration is not None
    return load_declaration(done.declaration)


def test_the_declaration_has_the_frozen_prompt_that_was_trained_on(order: ExportOrder) -> None:
    published = load_declaration(Path("intrinsics/answerability/adapter.toml"))
    # The examples are messages: a declaration with a frozen prompt would ask otherwise than they did.
    frozen = TrainedPrompt(intrinsic="answerability", adapter=published, file=OWN_PROMPT)
    with pytest.raises(InvalidInput, match="was made of messages, and answerability would be asked with a frozen"):
        export_run(replace(order, prompt=frozen))
    assert not order.out.exists(), "nothing is written"
    own = declared(export_run(replace(order, prompt=TrainedPrompt(intrinsic="answerability", file=OWN_PROMPT))))
    assert (own.model, own.base_model, own.weights.rank) == ("house-gate", "base", 8)
    assert own.weights.path == str((order.out / "house-gate").resolve())
    assert own.prompt.convention == "chat"
    assert own.prompt_path is not None
    assert own.prompt_path.read_bytes() == OWN_PROMPT.read_bytes(), "it stays what it was trained on"


def test_the_version_changes_with_data_and_recipe_and_with_nothing_else(order: ExportOrder, trained: Path) -> None:
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


def test_nothing_is_replaced_unless_told_and_a_failed_export_leaves_what_was_there(
    order: ExportOrder, trained: Path
) -> None:
    done = export_run(replace(order, merged=True))
    (done.adapter / "mine.txt").write_text("kept")
    with pytest.raises(Conflict, match=r"house-gate, .*house-gate-merged is there already"):
        export_run(replace(order, merged=True))
    base = trained.parent / "base"
    try:
        base.rename(trained.parent / "elsewhere")
        with pytest.raises(ConfigurationError):
            export_run(replace(order, merged=True, force=True))
    finally:
        (trained.parent / "elsewhere").rename(base)
    assert (done.merged or base).joinpath("config.json").is_file(), "the old merged weights are still there"
    assert [each.name for each in order.out.iterdir() if each.name.startswith(".")] == [], "nothing lies about"
    export_run(replace(order, merged=True, force=True))
    assert not (done.adapter / "mine.txt").exists()


def test_a_training_that_has_not_ended_and_a_wrong_name_are_refused(order: ExportOrder, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="has not ended"):
        export_run(replace(order, run=tmp_path))
    for name in ("../gate", ".hidden", "a b", ""):
        with pytest.raises(InvalidInput, match="is none for a folder"):
            export_run(replace(order, name=name))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"modules_to_save": ["lm_head"]}, "whole layers are trained"),
        ({"bias": "all"}, "it trains biases"),
        ({"use_dora": True}, "it is a DoRA"),
        ({"r": 1024}, "its rank is 1024"),
        ({"r": 4}, "have the rank 8, not 4"),
        ({"rank_pattern": {"q_proj": 4}}, "several ranks"),
        ({"init_lora_weights": "pissa_niter_4"}, "changes the base model's own weights"),
        ({"peft_type": "IA3"}, "it is no LoRA but IA3"),
    ],
)
def test_what_vllm_does_not_serve_is_refused_by_name(change: dict[str, Any], said: str, trained: Path) -> None:
    files = read_adapter(trained / "adapter")
    assert check_servable(files) == ()
    with pytest.raises(ConfigurationError, match=said):
        check_servable(replace(files, config={**files.config, **change}))


@pytest.mark.parametrize(
    ("renamed", "said"),
    [
        ("q_proj.lora_A.weight", "are not called base_model"),
        ("base_model.model.lm_head.lora_A.weight", "it stands on lm_head"),
        ("base_model.model.model.layers.0.self_attn.q_proj.lora_magnitude_vector", "are not called"),
    ],
)
def test_tensors_that_vllm_does_not_read_are_refused_by_name(renamed: str, said: str, trained: Path) -> None:
    files = read_adapter(trained / "adapter")
    name, shape = next((name, shape) for name, shape in files.shapes.items() if "lora_A" in name)
    shapes = {**{key: value for key, value in files.shapes.items() if key != name}, renamed: shape}
    with pytest.raises(ConfigurationError, match=said):
        check_servable(replace(files, shapes=shapes))


def test_layers_of_other_names_are_served_with_a_word_of_warning(trained: Path) -> None:
    files = read_adapter(trained / "adapter")
    shapes = {name.replace("q_proj", "query_key_value"): shape for name, shape in files.shapes.items()}
    assert "query_key_value must have the same names" in check_servable(replace(files, shapes=shapes))[0]
