"""Base models and their adapters, loaded into this process by transformers and PEFT. Blocking."""

import importlib.util
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from contracts.errors import ConfigurationError
from golden_lab.training.recipes import BaseModelOfRecipe, LoraOfRecipe, Recipe

Loaded = TypeVar("Loaded")

_EXTRA = 'pip install "golden-retriever-lab[training]"'
_EXTRA_GPU = 'pip install "golden-retriever-lab[training-gpu]"'


def require_packages(recipe: Recipe | None = None) -> None:
    """Check that the packages of the ``training`` extra are installed, and anything else that ``recipe`` needs.

    Raises:
        ConfigurationError: a package is missing, or 4-bit weights need a CUDA GPU; the message says what to do.
    """
    wanted = ("torch", "transformers", "peft", "accelerate")
    missing = [each for each in wanted if importlib.util.find_spec(each) is None]
    if missing:
        raise ConfigurationError(f"training needs {', '.join(missing)}: {_EXTRA}")
    if recipe is None or (recipe.model.quantization == "none" and recipe.training.optimizer == "adamw"):
        return
    import torch

    if not torch.cuda.is_available() or importlib.util.find_spec("bitsandbytes") is None:
        raise ConfigurationError(
            f"the recipe {recipe.name} needs a CUDA GPU and the package bitsandbytes ({_EXTRA_GPU}): otherwise, set "
            'quantization = "none" and optimizer = "adamw" in your own recipe'
        )


def load_tokenizer(name: str, *, revision: str = "main") -> Any:
    """Load the tokenizer of a model from a local folder or GGUF file, or by its name on a hub.

    Raises:
        ConfigurationError: it cannot be loaded.
    """
    from transformers import AutoTokenizer

    source, more = _source(name)
    return _load("tokenizer", name, lambda: AutoTokenizer.from_pretrained(source, revision=revision, **more))


def load_base(model: BaseModelOfRecipe) -> Any:
    """Load a causal language model, on a CUDA GPU if there is one; "nf4" loads 4-bit weights as in QLoRA.

    The weights of a GGUF file are expanded to the dtype. Code that comes with a model is never run.

    Raises:
        ConfigurationError: it cannot be loaded.
    """
    import torch
    from transformers import AutoModelForCausalLM

    place = "cuda:0" if torch.cuda.is_available() else "cpu"
    more: dict[str, Any] = {"dtype": model.dtype if model.dtype == "auto" else getattr(torch, model.dtype)}
    if model.quantization == "nf4":
        more |= {"quantization_config": _four_bits(model.dtype), "device_map": {"": place}}
    source, file = _source(model.name)
    if file:
        from transformers import GgufConfig

        # Packed weights are multiplied in float32, at half the speed.
        more |= {"quantization_config": GgufConfig(dequantize=True)}
    loaded: Any = _load(
        "model",
        model.name,
        lambda: AutoModelForCausalLM.from_pretrained(source, revision=model.revision, **file, **more),
    )
    return loaded if model.quantization == "nf4" else loaded.to(place)


def add_lora(base: Any, lora: LoraOfRecipe, *, gradient_checkpointing: bool) -> Any:
    """Add new low-rank matrices to ``base``, which is frozen; return the PEFT model to train.

    Raises:
        ConfigurationError: the model has none of the layers that ``lora`` names; the message lists its layers.
    """
    import torch
    from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training

    if getattr(base, "is_quantized", False):
        prepare: Any = prepare_model_for_kbit_training
        base = prepare(base, use_gradient_checkpointing=False)
    if gradient_checkpointing:
        base.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    base.config.use_cache = False
    targets: str | list[str] = "all-linear" if lora.targets == ("all-linear",) else list(lora.targets)
    config = LoraConfig(
        r=lora.rank, lora_alpha=lora.alpha, lora_dropout=lora.dropout, target_modules=targets, task_type="CAUSAL_LM"
    )
    try:
        return get_peft_model(base, config)
    except ValueError as error:
        linear = {name.split(".")[-1] for name, each in base.named_modules() if isinstance(each, torch.nn.Linear)}
        raise ConfigurationError(
            f"lora.targets: the model has no layer named {', '.join(lora.targets)}; its linear layers are "
            f"{', '.join(sorted(linear))}"
        ) from error


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """Hide transformers' progress bars and deprecation warnings, which users cannot act on."""
    from transformers.utils import logging as transformers_logging

    logging: Any = transformers_logging
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            yield
    finally:
        logging.enable_progress_bar()


def _four_bits(dtype: str) -> Any:
    import torch
    from transformers import BitsAndBytesConfig

    config: Any = BitsAndBytesConfig
    return config(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16 if dtype == "auto" else getattr(torch, dtype),
    )


def _source(name: str) -> tuple[str, dict[str, str]]:
    """Return the path or name, and the arguments, with which transformers loads ``name``."""
    path = Path(name)
    return (str(path.parent), {"gguf_file": path.name}) if path.suffix == ".gguf" else (name, {})


def _load(what: str, name: str, load: Callable[[], Loaded]) -> Loaded:
    from safetensors import SafetensorError

    if name.startswith(("/", ".", "~")) and not Path(name).exists():
        raise ConfigurationError(f"the {what} cannot be loaded: there is no folder or file {name}")
    try:
        return load()
    except (OSError, ValueError, RuntimeError, KeyError, ImportError, SafetensorError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise ConfigurationError(
            f"the {what} {name} cannot be loaded: {reason} (use --model with a folder that was saved by "
            "transformers, or check that the hub can be reached)"
        ) from error
