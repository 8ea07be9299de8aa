"""Recipes: which model to train, on which data, and how."""

from pathlib import Path
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from golden_lab.toml_files import TomlForm, toml_text


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BaseModelOfRecipe(_Strict):
    """The base model: its ``name`` on a hub or its folder, and its ``revision``.

    quantization: "nf4" loads the frozen weights in 4 bits (QLoRA; needs a CUDA GPU), "none" loads them as ``dtype``.
    """

    name: str = Field(min_length=1)
    revision: str = "main"
    quantization: Literal["none", "nf4"] = "none"
    dtype: Literal["auto", "bfloat16", "float16", "float32"] = "auto"


class DataOfRecipe(_Strict):
    """The source of the examples: the online prompts of the judgement ``intrinsic``, or passages.

    For passages, ``prompt`` is the prompt file next to the recipe; ``variant`` names the variant of controlled
    retrieval, or "" for one passage per question.
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
    """The low-rank matrices: their ``rank``, ``alpha`` (scaled by alpha / rank), ``dropout``, and target layers."""

    rank: int = Field(ge=1, le=512)
    alpha: int = Field(ge=1)
    dropout: float = Field(0.0, ge=0, lt=1)
    targets: tuple[str, ...] = Field(min_length=1)


class TrainingOfRecipe(_Strict):
    """The training parameters.

    The effective batch is ``batch_size`` × ``accumulation``. ``validation_share`` of the groups (0: none) is held out,
    drawn with ``seed``, and measured after each epoch. Training stops if the validation loss has not decreased for
    ``patience`` epochs (0: never). The best weights are kept if there is validation, otherwise the last ones. A killed
    run continues from its last checkpoint; one is written after each epoch and every ``checkpoint_every_steps`` steps.
    Examples of more than ``max_tokens`` tokens are left out and counted, never truncated, because a truncated prompt
    does not occur online.
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
            raise ValueError("patience: early stopping needs a validation_share")
        return self


class Recipe(TomlForm):
    """A recipe; ``source`` names the paper and the section that gives its parameters."""

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
    """Return a recipe as TOML with all keys, so that later changes of defaults do not change it."""
    return toml_text(recipe.model_dump(mode="json"))
