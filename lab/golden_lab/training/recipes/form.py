"""Recipes: which model is trained on what, how long, and what is exported."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from golden_lab.toml_files import find_toml, toml_names, toml_text
from tools.toml_files import read_toml

_STRICT = ConfigDict(extra="forbid", frozen=True)
_FOLDER = Path(__file__).parent


class BaseModelOfRecipe(BaseModel):
    """The model that is trained on: ``name`` of a hub or a folder, and its ``revision``.

    quantization: "nf4" loads the frozen weights in 4 bits (QLoRA; needs a CUDA GPU), "none" as ``dtype`` says.
    """

    model_config = _STRICT

    name: str = Field(min_length=1)
    revision: str = "main"
    quantization: Literal["none", "nf4"] = "none"
    dtype: Literal["auto", "bfloat16", "float16", "float32"] = "auto"


class DataOfRecipe(BaseModel):
    """What the examples are made of.

    kind: "passages", one passage with its question; "conditions", a ``variant`` of controlled retrieval; "intrinsic",
    the online prompts of the judgement ``intrinsic``. ``prompt`` is the prompt file beside the recipe for the first
    two; an intrinsic has its own.
    """

    model_config = _STRICT

    kind: Literal["passages", "conditions", "intrinsic"]
    variant: Literal["", "without-context", "with-relevant", "pa-rag", "raft", "with-all"] = ""
    intrinsic: str = ""
    prompt: str = ""

    @model_validator(mode="after")
    def _fits_its_kind(self) -> "DataOfRecipe":
        if (self.kind == "conditions") != bool(self.variant):
            raise ValueError("variant: the kind conditions needs one, and no other kind has one")
        if (self.kind == "intrinsic") != bool(self.intrinsic):
            raise ValueError("intrinsic: the kind intrinsic needs one, and no other kind has one")
        if (self.kind == "intrinsic") == bool(self.prompt):
            raise ValueError("prompt: name the prompt file, except for an intrinsic, which has its own")
        return self


class LoraOfRecipe(BaseModel):
    """The low-rank matrices: their ``rank``, ``alpha`` (scaled by alpha / rank), ``dropout``, and where they stand."""

    model_config = _STRICT

    rank: int = Field(ge=1, le=512)
    alpha: int = Field(ge=1)
    dropout: float = Field(0.0, ge=0, lt=1)
    targets: tuple[str, ...] = Field(min_length=1)


class TrainingOfRecipe(BaseModel):
    """How it is trained.

    The effective batch is ``batch_size`` × ``accumulation``. ``epochs`` are at most so many. ``validation_share``
    of the groups is held out, by ``seed``; 0: none. With ``patience`` training ends when the validation loss has
    not become less in so many evaluations, of which there are ``evaluations_per_epoch``; 0: it runs to its end. The
    best weights are kept where there is a validation, the last ones else. A killed training goes on from its last
    checkpoint: there is one after each evaluation, after every ``checkpoint_every_steps``, and at the end. An example
    of more than ``max_tokens`` tokens is left out and counted, never cut: a cut prompt is not the one that is used
    online.
    """

    model_config = _STRICT

    epochs: float = Field(gt=0)
    batch_size: int = Field(ge=1)
    accumulation: int = Field(1, ge=1)
    learning_rate: float = Field(gt=0, lt=1)
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    warmup_share: float = Field(0.0, ge=0, lt=1)
    weight_decay: float = Field(0.0, ge=0)
    gradient_clipping: float = Field(1.0, gt=0)
    optimizer: Literal["adamw", "paged-adamw-8bit"] = "adamw"
    gradient_checkpointing: bool = True
    max_tokens: int = Field(4096, ge=16)
    validation_share: float = Field(0.1, ge=0, lt=1)
    evaluations_per_epoch: int = Field(1, ge=1)
    patience: int = Field(0, ge=0)
    checkpoint_every_steps: int = Field(50, ge=1)
    seed: int = 0

    @model_validator(mode="after")
    def _can_stop_early(self) -> "TrainingOfRecipe":
        if self.patience and not self.validation_share:
            raise ValueError("patience: stopping early needs a validation_share")
        return self


class ExportOfRecipe(BaseModel):
    """What is exported besides the adapter: ``merged`` weights, for servers that take none."""

    model_config = _STRICT

    merged: bool = False


class Recipe(BaseModel):
    """A recipe: ``source`` names the paper and section that its figures are from."""

    model_config = _STRICT

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    description: str = Field(min_length=1)
    source: str = Field(min_length=1)
    model: BaseModelOfRecipe
    data: DataOfRecipe
    lora: LoraOfRecipe
    training: TrainingOfRecipe
    export: ExportOfRecipe = ExportOfRecipe()
    _path: Path = PrivateAttr(_FOLDER / "recipe.toml")

    @property
    def path(self) -> Path:
        """The file that it was read from."""
        return self._path

    @property
    def prompt_path(self) -> Path | None:
        """The prompt file of the examples; None for an intrinsic."""
        return self._path.parent / self.data.prompt if self.data.prompt else None


def load_recipe(path: Path) -> Recipe:
    """Read a recipe.

    Raises:
        ConfigurationError: it cannot be read, is no TOML, lacks a key or has an unknown one; the text names it.
    """
    recipe = read_toml(path, Recipe, what="recipe")
    recipe._path = path
    return recipe


def recipe_names() -> tuple[str, ...]:
    """Return the names of the shipped recipes."""
    return toml_names(_FOLDER)


def find_recipe(name: str) -> Recipe:
    """Return a shipped recipe by name, or the one in the file that ``name`` is the path of.

    Raises:
        InvalidInput: there is neither; the text lists the shipped ones.
        ConfigurationError: the file is no recipe.
    """
    return load_recipe(find_toml(name, _FOLDER, what="recipe"))


def recipe_text(recipe: Recipe) -> str:
    """Return a recipe as TOML, every key with its value, so that it reads the same when a default has changed."""
    return toml_text(recipe.model_dump(mode="json"))
