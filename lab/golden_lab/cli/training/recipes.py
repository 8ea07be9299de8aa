"""``golden-lab train recipes``: what can be trained, and with which figures."""

import json
from typing import Annotated

import typer


def recipes(
    name: Annotated[str, typer.Argument(help="Print this recipe's file, to begin one of your own with.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print plain values as JSON.")] = False,
) -> None:
    """List the recipes that come along, or print one."""
    from golden_lab.training.recipes import find_recipe, recipe_names

    if name:
        recipe = find_recipe(name)
        typer.echo(recipe.model_dump_json(indent=2) if as_json else recipe.path.read_text("utf-8").rstrip())
        return
    found = [find_recipe(each) for each in recipe_names()]
    if as_json:
        typer.echo(json.dumps([each.model_dump() for each in found], indent=2))
        return
    for each in found:
        typer.echo(f"{each.name}\n  {each.description}\n  {each.model.name}; {each.source}")
