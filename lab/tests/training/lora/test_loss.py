"""The loss of a batch, and what it teaches, depend on the completions only: against a cross entropy made by hand."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from golden_lab.training.data.examples import TrainingExample
from lab.tests.training.lora.colours import colours, recipe, tiny_base

torch = pytest.importorskip("torch")
pytest.importorskip("peft")
pytestmark = pytest.mark.torch

from golden_lab.training.lora.models import load_base, load_tokenizer  # noqa: E402
from golden_lab.training.lora.run import train  # noqa: E402
from golden_lab.training.lora.tokens import ExampleTokeniser, TokenisedExample  # noqa: E402
from golden_lab.training.recipes import BaseModelOfRecipe  # noqa: E402


@pytest.fixture(scope="module", params=["llama", "granite"])
def base(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    return tiny_base(tmp_path_factory.mktemp(request.param), request.param)


def unlike() -> tuple[TrainingExample, ...]:
    """Examples of both forms, prompts and completions of very different lengths."""
    asked, frozen = colours("messages"), colours("frozen")
    return (
        asked[0],
        asked[1].model_copy(update={"completion": "warm, as far as one can tell from here"}),
        frozen[2].model_copy(update={"id": "f2"}),
        frozen[3].model_copy(update={"id": "f3", "prompt": "Hm?"}),
    )


def by_hand(model: Any, rows: Sequence[TokenisedExample]) -> Any:
    """Mean cross entropy over the completions' tokens, one example at a time, without padding, labels or masks."""
    losses = []
    for row in rows:
        logs = torch.log_softmax(model(input_ids=torch.tensor([row.ids])).logits[0], dim=-1)
        losses += [-logs[len(row.prompt) - 1 + place, token] for place, token in enumerate(row.completion)]
    return torch.stack(losses).mean()


@pytest.mark.parametrize(("batch_size", "accumulation"), [(4, 1), (1, 4)])
def test_the_trainer_s_loss_is_that_of_the_completions(
    tmp_path: Path, base: Path, batch_size: int, accumulation: int
) -> None:
    """However a batch is divided: its tokens weigh the same, and the first step's loss is the base model's."""
    lesson = recipe(tmp_path, epochs=1, batch_size=batch_size, accumulation=accumulation)
    result = train(lesson, unlike(), tmp_path / "run", model=str(base))
    tokeniser = ExampleTokeniser(load_tokenizer(str(base)))
    expected = by_hand(
        load_base(BaseModelOfRecipe(name=str(base))), [tokeniser.tokenise(each) for each in unlike()]
    ).item()
    assert result.training_loss_before == pytest.approx(expected, abs=1e-4)
    assert result.training_loss_after == result.training_loss_before
