"""Recipes: which model is trained on what, and how long."""

from pathlib import Path
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from golden_lab.toml_files import TomlForm, toml_text


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BaseModelOfRecipe(_Strict):
    """The model that is trained on: ``name`` of a hub or a folder, and its ``revision``.

    quantization: "nf4" loads the frozen weights in 4 bits (QLoRA; needs a CUDA GPU), "none" as ``dtype`` says.
    """

    name: str = Field(min_length=1)
    revision: str = "main"
    quantization: Literal["none", "nf4"] = "none"
    dtype: Literal["auto", "bfloat16", "float16", "float32"] = "auto"


class DataOfRecipe(_Strict):
    """What the examples are made of: the online prompts of the judgement ``intrinsic``, or passages.

    For passages, ``prompt`` is the prompt file beside the recipe; ``variant`` names the controlled retrieval, "" for
    one passage with its question.
    """

    intrinsic: str = ""
    prompt: str = ""
    variant: Literal["", "without-context", "with-relevant", "pa-rag", "raft", "with-all"] = ""

    @model_validator(mode="after")
    def _has_one_prompt(self) -> "DataOfRecipe":
        if bool(self.intrinsic) == bool(self.prompt):
            raise ValueError("prompt: name the prompt file, except for an intrinsic, which has its own")
        return self


class LoraOfRecipe(_Strict):
    """The low-rank matrices: their ``rank``, ``alpha`` (scaled by alpha / rank), ``dropout``, and where they stand."""

    rank: int = Field(ge=1, le=512)
    alpha: int = Field(ge=1)
    dropout: float = Field(0.0, ge=0, lt=1)
    targets: tuple[str, ...] = Field(min_length=1)


class TrainingOfRecipe(_Strict):
    """How it is trained.

    The effective batch is ``batch_size`` × ``accumulation``. ``validation_share`` of the groups is held out, by
    ``seed``, and measured after each epoch; 0: none. With ``patience`` training ends when the validation loss has not
    become less in so many epochs; 0: it runs to its end. The best weights are kept where there is a validation, the
    last ones else. A killed training continues from its last checkpoint: there is one after each epoch and after every
    ``checkpoint_every_steps``. An example of more than ``max_tokens`` tokens is left out and counted, never cut: a cut
    prompt is not the one that is used online.
    """

    epochs: int = Field(ge=1)
    batch_size: int = Field(ge=1)
    accumulation: int = Field(1, ge=1)
    learning_rate: float = Field(gt=0, lt=1)
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    weight_decay: float = Field(0.0, ge=0)
    optimizer: Literal["adamw", "paged-adamw-8bit"] = "adamw"
    gradient_checkpointing: bool = True
    max_tokens: int = Field(4096, ge=16)
    validation_share: float = Field(0.1, ge=0, lt=1)
    patience: int = Field(0, ge=0)
    checkpoint_every_steps: int = Field(50, ge=1)
    seed: int = 0

    @model_validator(mode="after")
    def _can_stop_early(self) -> "TrainingOfRecipe":
        if self.patience and not self.validation_share:
            raise ValueError("patience: stopping early needs a validation_share")
        return self


class Recipe(TomlForm):
    """A recipe: ``source`` names the paper and section that its figures are from."""

    folder: ClassVar[Path] = Path(__file__).parent
    what: ClassVar[str] = "recipe"

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    description: str = Field(min_length=1)
    source: str = Field(min_length=1)
    model: BaseModelOfRecipe
    data: DataOfRecipe
    lora: LoraOfRecipe
    training: TrainingOfRecipe

    @property
    def prompt_path(self) -> Path | None:
        """The prompt file of the examples; None for an intrinsic."""
        return self.path.parent / self.data.prompt if self.data.prompt else None


def recipe_text(recipe: Recipe) -> str:
    """Return a recipe as TOML, every key with its value, so that it reads the same when a default has changed."""
    return toml_text(recipe.model_dump(mode="json"))
