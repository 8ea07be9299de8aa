"""The model card: what an adapter was made of, how, what it scores, and what it is not for."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from golden_lab.training.lora.result import TrainingResult
from golden_lab.training.recipes.form import Recipe, recipe_text

# What vLLM's --max-lora-rank may be.
_RANKS_OF_SERVER = (8, 16, 32, 64, 128, 256, 320, 512)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredScore:
    """A score of an evaluation report: ``value`` of ``metric`` with its 95 % interval over ``cases`` cases."""

    benchmark: str
    metric: str
    value: float
    low: float
    high: float
    cases: int
    revision: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFacts:
    """What a card tells. ``base`` is the base model's name, ``licence`` "" where nobody said it."""

    name: str
    version: str
    base: str
    licence: str
    intrinsic: str
    recipe: Recipe
    result: TrainingResult
    data_file: str
    code_revision: str
    scores: Sequence[MeasuredScore]
    rank: int
    merged: bool


def write_card(path: Path, facts: CardFacts) -> None:
    """Write the card as Markdown, with the front matter that model hubs read."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {"cell": _cell, "tojson": json.dumps}
    text = environment.get_template("card.md.j2").render(
        {each.name: getattr(facts, each.name) for each in fields(facts)},
        rank_of_server=next(each for each in _RANKS_OF_SERVER if each >= facts.rank),
        recipe_text=recipe_text(facts.recipe),
    )
    path.write_text(text, "utf-8")


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
