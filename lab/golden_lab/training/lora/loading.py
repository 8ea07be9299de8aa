"""Base models and their adapters, loaded into this process by transformers and PEFT. Blocking."""

import importlib.util
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

from contracts.errors import ConfigurationError
from golden_lab.training.recipes.form import LoraOfRecipe

Dtype = Literal["auto", "bfloat16", "float16", "float32"]
Quantization = Literal["none", "nf4"]
Loaded = TypeVar("Loaded")

_EXTRA = 'pip install "golden-retriever-lab[training]"'
_EXTRA_GPU = 'pip install "golden-retriever-lab[training-gpu]"'


def require_training_packages() -> None:
    """See that the packages of the extra ``training`` are there.

    Raises:
        ConfigurationError: one is not; the text says how to install it.
    """
    missing = [
        each for each in ("torch", "transformers", "peft", "accelerate") if importlib.util.find_spec(each) is None
    ]
    if missing:
        raise ConfigurationError(f"training needs {', '.join(missing)}: {_EXTRA}")


def choose_device(device: str = "") -> str:
    """Return torch's name of a device: ``device`` itself, else a CUDA GPU where there is one, else the processor."""
    import torch

    return device or ("cuda:0" if torch.cuda.is_available() else "cpu")


def require_gpu_packages(what: str, *, instead: str) -> None:
    """See that what needs bitsandbytes can run: there is a CUDA GPU, and the extra ``training-gpu``.

    Raises:
        ConfigurationError: there is none; the text names ``what`` needs it and what to set ``instead``.
    """
    import torch

    if not torch.cuda.is_available():
        raise ConfigurationError(
            f"{what} needs a CUDA GPU (and the extra training-gpu: {_EXTRA_GPU}), and there is none here: {instead}"
        )
    if importlib.util.find_spec("bitsandbytes") is None:
        raise ConfigurationError(f"{what} needs the package bitsandbytes: {_EXTRA_GPU}")


def load_tokenizer(name: str, *, revision: str = "main") -> Any:
    """Load the tokenizer of a model from a folder of this machine, or by its name on a hub.

    Raises:
        ConfigurationError: it cannot be loaded.
    """
    require_training_packages()
    from transformers import AutoTokenizer

    return _load("tokenizer", name, lambda: AutoTokenizer.from_pretrained(name, revision=revision))


def load_base(
    name: str,
    *,
    revision: str = "main",
    dtype: Dtype = "auto",
    quantization: Quantization = "none",
    device: str = "",
) -> Any:
    """Load a causal language model from a folder of this machine, or by its name on a hub.

    dtype: of its weights; "auto" as they are stored. quantization: "nf4" loads them in 4 bits by bitsandbytes (double
    quantization, as QLoRA). device: torch's name of one; "" for a CUDA GPU where there is one. No code that comes with
    a model is run.

    Raises:
        ConfigurationError: it cannot be loaded, or 4 bits are asked for without a CUDA GPU.
    """
    require_training_packages()
    import torch
    from transformers import AutoModelForCausalLM

    place = choose_device(device)
    more: dict[str, Any] = {"dtype": dtype if dtype == "auto" else getattr(torch, dtype)}
    if quantization == "nf4":
        require_gpu_packages('quantization = "nf4"', instead='load it with "none"')
        more |= {"quantization_config": _four_bits(dtype), "device_map": {"": place}}
    model: Any = _load("model", name, lambda: AutoModelForCausalLM.from_pretrained(name, revision=revision, **more))
    return model if quantization == "nf4" else model.to(place)


def load_adapter(base: Any, folder: Path) -> Any:
    """Put the adapter in ``folder`` (PEFT's layout) on ``base``; return a model of PEFT, for inference or merging.

    Raises:
        ConfigurationError: there is no adapter, or it does not fit the model.
    """
    from peft import PeftModel

    if not (folder / "adapter_config.json").is_file():
        raise ConfigurationError(f"{folder} holds no adapter: there is no adapter_config.json in it")
    with without_warnings_of_renaming():
        return _load("adapter", str(folder), lambda: PeftModel.from_pretrained(base, str(folder)).eval())


def add_lora(base: Any, lora: LoraOfRecipe, *, gradient_checkpointing: bool) -> Any:
    """Put new low-rank matrices on ``base``, which is frozen; return a model of PEFT, to be trained.

    Raises:
        ConfigurationError: the model has none of the layers that ``lora`` names; the text names those it has.
    """
    import torch
    from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training

    prepare: Any = prepare_model_for_kbit_training
    if getattr(base, "is_quantized", False):
        base = prepare(base, use_gradient_checkpointing=False)
    if gradient_checkpointing:
        _checkpoint_activations(base)
    base.config.use_cache = False
    targets: str | list[str] = "all-linear" if lora.targets == ("all-linear",) else list(lora.targets)
    config = LoraConfig(
        r=lora.rank, lora_alpha=lora.alpha, lora_dropout=lora.dropout, target_modules=targets, task_type="CAUSAL_LM"
    )
    try:
        with without_warnings_of_renaming():
            return get_peft_model(base, config)
    except ValueError as error:
        layers = sorted(
            {name.split(".")[-1] for name, each in base.named_modules() if isinstance(each, torch.nn.Linear)}
        )
        raise ConfigurationError(
            f"lora.targets: the model has no layer named {', '.join(lora.targets)}; its linear layers are "
            f"{', '.join(layers)}"
        ) from error


@contextmanager
def without_warnings_of_renaming() -> Iterator[None]:
    """Keep quiet of what nobody who trains can change: PEFT and transformers call each other by older names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield


def _checkpoint_activations(model: Any) -> None:
    kwargs = {"use_reentrant": False}
    # transformers renamed it, and warns at the older name.
    if hasattr(model, "activation_checkpointing_enable"):
        model.activation_checkpointing_enable(activation_checkpointing_kwargs=kwargs)
    else:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=kwargs)


def _four_bits(dtype: Dtype) -> Any:
    import torch
    from transformers import BitsAndBytesConfig

    config: Any = BitsAndBytesConfig
    named = {"float16": torch.float16, "float32": torch.float32}
    return config(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=named.get(dtype, torch.bfloat16),
    )


def _load(what: str, name: str, load: Callable[[], Loaded]) -> Loaded:
    from safetensors import SafetensorError
    from transformers.utils import logging as transformers_logging

    logging: Any = transformers_logging

    if name.startswith(("/", ".", "~")) and not Path(name).is_dir():
        raise ConfigurationError(f"the {what} cannot be loaded: there is no folder {name}")
    shows_bars = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        return load()
    except (OSError, ValueError, RuntimeError, KeyError, ImportError, SafetensorError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise ConfigurationError(f"the {what} {name} cannot be loaded: {reason} {_advice(name)}") from error
    finally:
        if shows_bars:
            logging.enable_progress_bar()


def _advice(name: str) -> str:
    if Path(name).is_dir():
        return "(the folder must hold config.json, the weights and the tokenizer's files, as transformers saves them)"
    offline = "HF_HUB_OFFLINE is set, so nothing is downloaded; " if os.environ.get("HF_HUB_OFFLINE") else ""
    return f"({offline}name a folder that holds the model with --model, or see that the hub can be reached)"
