"""Recipes of training: TOML files, and their form."""

from golden_lab.training.recipes.form import Recipe, find_recipe, load_recipe, recipe_names

__all__ = ["Recipe", "find_recipe", "load_recipe", "recipe_names"]
