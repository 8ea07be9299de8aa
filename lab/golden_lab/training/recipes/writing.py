"""Recipes as text, for the folder of a run."""

import json
from typing import Any

from golden_lab.training.recipes.form import Recipe


def recipe_text(recipe: Recipe) -> str:
    """Return a recipe as TOML, every key with its value, so that it reads the same when a default has changed."""
    values = recipe.model_dump(mode="json")
    lines = [f"{key} = {_value(value)}" for key, value in values.items() if not isinstance(value, dict)]
    for name, table in values.items():
        if isinstance(table, dict):
            lines += ["", f"[{name}]", *(f"{key} = {_value(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    # What a recipe holds (texts, numbers, truth values, lists of texts) is written alike in TOML and in JSON, but for
    # the one control character that JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
