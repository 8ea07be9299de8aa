"""What is loaded before a training: the model with its new matrices, and the examples in tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from contracts.errors import InvalidInput
from golden_lab.training.data.examples import TrainingExample
from golden_lab.training.lora.formatting import ExampleTokeniser, TokenisedExample, tokenise_all
from golden_lab.training.lora.holding_out import hold_out
from golden_lab.training.lora.loading import add_lora, load_base, load_tokenizer, require_gpu_packages
from golden_lab.training.recipes.form import Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A model with new matrices, the examples that it learns or is validated on, and the ids of those left out."""

    model: Any
    tokenizer: Any
    base: str
    revision: str
    pad: int
    learned: tuple[TokenisedExample, ...]
    held_out: tuple[TokenisedExample, ...]
    left_out: tuple[str, ...]


def see_that_it_can_be_trained(recipe: Recipe, examples: Sequence[TrainingExample]) -> None:
    """See, before anything is loaded, that recipe and machine fit, and that the examples have ids of their own.

    Raises:
        ConfigurationError: the recipe needs a GPU, and there is none.
        InvalidInput: two examples have one id.
    """
    if recipe.model.quantization == "nf4":
        require_gpu_packages(
            'quantization = "nf4"', instead='set quantization = "none" and optimizer = "adamw" in a recipe of your own'
        )
    if recipe.training.optimizer == "paged-adamw-8bit":
        require_gpu_packages(
            'optimizer = "paged-adamw-8bit"', instead='set optimizer = "adamw" in a recipe of your own'
        )
    seen: set[str] = set()
    for each in examples:
        if each.id in seen:
            raise InvalidInput(f"two examples have the id {each.id!r}: give each its own", field="data")
        seen.add(each.id)


def prepare(recipe: Recipe, examples: Sequence[TrainingExample], base_name: str) -> Lesson:
    """Load the model named ``base_name``, tokenise and divide the examples, and put new matrices on the model.

    Raises:
        InvalidInput: an example cannot be trained on, or none is left, or none can be held out.
        ConfigurationError: the model cannot be loaded, or has no chat template or none of the recipe's layers.
    """
    from transformers import set_seed

    training = recipe.training
    # A name of a hub has a revision; of another model than the recipe's, that is not known.
    revision = recipe.model.revision if base_name == recipe.model.name else "main"
    tokenizer = load_tokenizer(base_name, revision=revision)
    base = load_base(base_name, revision=revision, dtype=recipe.model.dtype, quantization=recipe.model.quantization)
    stops = getattr(base.generation_config, "eos_token_id", None) or []
    tokeniser = ExampleTokeniser(tokenizer, stops=stops if isinstance(stops, list) else [stops])
    most = getattr(base.config, "max_position_embeddings", None) or training.max_tokens
    tokenised, left_out = tokenise_all(tokeniser, examples, max_tokens=min(training.max_tokens, most))
    groups = {each.id: each.held_out_with for each in examples}
    learned, held_out = hold_out(
        tokenised, [groups[each.id] for each in tokenised], share=training.validation_share, seed=training.seed
    )
    set_seed(training.seed)
    model = add_lora(base, recipe.lora, gradient_checkpointing=training.gradient_checkpointing)
    return Lesson(
        model=model,
        tokenizer=tokenizer,
        base=base_name,
        revision=getattr(base.config, "_commit_hash", None) or revision,
        pad=tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id,
        learned=learned,
        held_out=held_out,
        left_out=left_out,
    )
