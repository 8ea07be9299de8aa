"""The included recipes match the papers, and the error for a faulty recipe names the key."""

from pathlib import Path

import pytest

from contracts.errors import ConfigurationError
from golden_lab.training.judgements.forms import CASE_FORMS
from golden_lab.training.recipes import Recipe
from golden_lab.wiring.training_prompts import online_judgement
from golden_retriever.settings import Settings
from tests.intrinsics.adapted import published
from tests.scripted_chat import ScriptedChatModel
from tools.adapters.declaration import load_adapter
from tools.prompts import load_prompt


@pytest.mark.parametrize("name", Recipe.names())
def test_each_recipe_is_named_like_its_file_and_has_its_prompt(name: str) -> None:
    recipe = Recipe.find(name)
    assert recipe.name == name
    if recipe.prompt_path is not None:
        assert load_prompt(recipe.prompt_path).variables


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("[lora]", "[lora]\nrnak = 3"), "lora.rnak"),
        (("[data]", '[data]\nintrinsic = "citation"'), "name the prompt file"),
        (("validation_share = 0", "validation_share = 0\npatience = 3"), "patience"),
    ],
)
def test_a_wrong_recipe_is_refused_by_key(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    text = Recipe.find("pbqa-qlora-8b").path.read_text("utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(*change), "utf-8")
    with pytest.raises(ConfigurationError, match=words):
        Recipe.load(path)


@pytest.mark.parametrize("name", [name for name in Recipe.names() if name.startswith("smollm2-")])
def test_each_small_recipe_has_a_prompt_for_its_intrinsic(name: str) -> None:
    recipe = Recipe.find(name)
    adapter = load_adapter(recipe.path.parent / "prompts" / f"{name}.toml")
    assert adapter.model == name
    assert adapter.weights.rank == recipe.lora.rank
    online_judgement(Settings(), recipe.data.intrinsic, ScriptedChatModel([]), adapter)


def test_each_published_adapter_has_a_recipe_on_its_base_model() -> None:
    recipes = {
        each.data.intrinsic: each
        for name in Recipe.names()
        if (each := Recipe.find(name)).name.startswith("intrinsic-")
    }
    assert len(recipes) == 6
    assert set(recipes) <= set(CASE_FORMS)
    for intrinsic, recipe in recipes.items():
        assert recipe.model.name == published(intrinsic).base_model
        assert recipe.training.max_tokens >= 8_192
