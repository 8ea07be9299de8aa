"""A tiny model with Granite's marks reads a judgement's lines as they are sent, and learns from them."""

from functools import partial
from pathlib import Path

import pytest

from golden_lab.training.judgements.examples import make_example
from golden_lab.training.judgements.passages import AnswerabilityCase
from golden_lab.wiring.training_prompts import adapter_to_train, online_judgement
from golden_retriever.settings import Settings
from lab.tests.training.tiny_model import make_tiny_model

torch = pytest.importorskip("torch")
pytest.importorskip("peft")
pytestmark = [pytest.mark.torch, pytest.mark.slow]

from golden_lab.training.lora import train  # noqa: E402
from golden_lab.training.lora.formatting import ExampleTokeniser  # noqa: E402
from golden_lab.training.lora.loading import load_tokenizer  # noqa: E402
from golden_lab.training.recipes import find_recipe, load_recipe  # noqa: E402


async def test_the_gate_is_learnt_from_its_frozen_prompts(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    settings = Settings()
    online_of = partial(online_judgement, settings, "answerability")
    adapter = adapter_to_train(settings, "answerability")
    cases = [
        AnswerabilityCase.model_validate(
            {
                "id": str(number),
                "question": f"What is the {'pressure' if number % 2 else 'colour'}?",
                "passages": [{"text": f"The pressure is {number} bar."}],
                "answerable": bool(number % 2),
            }
        )
        for number in range(16)
    ]
    examples = [await make_example(case, online_of, adapter) for case in cases]
    base = make_tiny_model(
        tmp_path / "base", [each.prompt + each.completion for each in examples], convention="granite", vocabulary=600
    )
    tokenizer = load_tokenizer(str(base))
    tokeniser = ExampleTokeniser(tokenizer)
    for each in examples:
        tokens = tokeniser.tokenise(each)
        assert tokenizer.decode(tokens.prompt) == each.prompt
        assert tokenizer.decode(tokens.completion) == f"{each.completion}<|end_of_text|>"
    text = find_recipe("intrinsic-answerability").path.read_text("utf-8")
    for old, new in (
        ("epochs = 25", "epochs = 10"),
        ("learning_rate = 5e-6", "learning_rate = 1e-2"),
        ("validation_share = 0.1", "validation_share = 0"),
        ("patience = 3", "patience = 0"),
        ("accumulation = 4", "accumulation = 1"),
        ('dtype = "bfloat16"', 'dtype = "float32"'),
    ):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "recipe.toml").write_text(text, "utf-8")
    result = train(load_recipe(tmp_path / "recipe.toml"), examples, tmp_path / "run", model=str(base))
    assert result.examples == 16
    assert result.training_loss_after < result.training_loss_before / 4
