"""One recipe for each published adapter, with the paper's figures, on the base model that the adapter file names."""

import pytest

from golden_lab.training.judgements.forms import CASE_FORMS
from golden_lab.training.recipes import find_recipe, recipe_names
from tests.intrinsics.adapted import published

# Rank, learning rate, at most so many epochs (0: not given), whether training stops early.
# Source: arXiv 2504.11704, the training details of sections 2, 4, 5, 8 and 9; none are given for certainty.
FIGURES = {
    "question_rewriting": (32, 3e-6, 25, True),
    "context_relevance": (32, 5e-6, 25, False),
    "answerability": (32, 5e-6, 25, True),
    "faithfulness": (16, 1e-5, 0, True),
    "citation": (8, 1e-5, 0, True),
}


@pytest.mark.parametrize("intrinsic", FIGURES)
def test_the_figures_of_the_paper(intrinsic: str) -> None:
    recipe = find_recipe(f"intrinsic-{intrinsic.replace('_', '-')}")
    rank, rate, epochs, early = FIGURES[intrinsic]
    assert (recipe.data.kind, recipe.data.intrinsic) == ("intrinsic", intrinsic)
    assert (recipe.lora.rank, recipe.training.learning_rate) == (rank, rate)
    assert recipe.training.epochs == (epochs or 25)
    assert bool(recipe.training.patience) == early
    assert recipe.training.validation_share == 0.1
    assert recipe.lora.rank == published(intrinsic).weights.rank


def test_each_published_adapter_has_a_recipe_on_its_base_model() -> None:
    recipes = {each.data.intrinsic: each for name in recipe_names() if (each := find_recipe(name)).data.intrinsic}
    assert set(recipes) == {*FIGURES, "certainty"}
    assert set(recipes) <= set(CASE_FORMS)
    for intrinsic, recipe in recipes.items():
        assert recipe.model.name == published(intrinsic).base_model
        assert recipe.training.max_tokens >= 8_192


def test_the_recipe_of_certainty_says_that_its_figures_are_not_published() -> None:
    assert "gives no figures" in find_recipe("intrinsic-certainty").source
