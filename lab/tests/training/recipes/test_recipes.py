"""The recipes that come along are those of the papers, and a wrong one is refused by key."""

from pathlib import Path

import pytest

from contracts.errors import ConfigurationError, InvalidInput
from golden_lab.training.recipes import find_recipe, load_recipe, recipe_names
from tools.prompts import load_prompt


@pytest.mark.parametrize("name", recipe_names())
def test_each_recipe_is_named_like_its_file_and_has_its_prompt(name: str) -> None:
    recipe = find_recipe(name)
    assert recipe.name == name
    if recipe.prompt_path is not None:
        assert load_prompt(recipe.prompt_path).variables


def test_the_figures_of_the_papers() -> None:
    rag, pbqa = find_recipe("rag-lora-7b"), find_recipe("pbqa-qlora-8b")
    assert (rag.lora.rank, rag.lora.alpha, rag.lora.dropout) == (16, 32, 0.2)
    assert rag.training.batch_size * rag.training.accumulation == 32
    assert (rag.training.learning_rate, rag.training.schedule) == (4e-4, "constant")
    assert (pbqa.lora.rank, pbqa.lora.dropout, pbqa.model.quantization) == (16, 0.05, "nf4")
    assert (pbqa.training.batch_size, pbqa.training.accumulation, pbqa.training.learning_rate) == (1, 8, 2e-4)
    assert (pbqa.training.epochs, pbqa.training.max_tokens, pbqa.export.merged) == (3, 2048, True)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("rank = 16", "rank = 0"), "lora.rank"),
        (("[lora]", "[lora]\nrnak = 3"), "lora.rnak"),
        (('kind = "passages"', 'kind = "conditions"'), "variant"),
        (("validation_share = 0", "validation_share = 0\npatience = 3"), "patience"),
    ],
)
def test_a_wrong_recipe_is_refused_by_key(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    text = find_recipe("pbqa-qlora-8b").path.read_text("utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(*change), "utf-8")
    with pytest.raises(ConfigurationError, match=said):
        load_recipe(path)


def test_an_unknown_recipe_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="rag-lora-7b"):
        find_recipe("rag-lora-8b")
