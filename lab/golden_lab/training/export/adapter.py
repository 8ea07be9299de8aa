"""An adapter in the layout that vLLM serves: what it takes, and what it refuses or would misread."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"

_MOST_RANK = 512
_KEY = re.compile(r"base_model\.model\.(?P<module>.+)\.lora_(?P<side>[AB])\.weight")
# What every model of the Llama kind has (Llama, Mistral, Qwen, Granite, Phi, Gemma).
_PROJECTIONS = frozenset(
    {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "qkv_proj", "gate_up_proj"}
)
_EMBEDDINGS = frozenset({"embed_tokens", "lm_head", "wte"})
# Each with what it does: where it is set, vLLM refuses the adapter, or passes it over and answers otherwise.
_UNSERVED = {
    "modules_to_save": "whole layers are trained beside the matrices",
    "use_dora": "it is a DoRA",
    "lora_bias": "its matrices have biases",
    "rank_pattern": "its layers have several ranks",
    "alpha_pattern": "its layers have several scales",
    "layer_replication": "it repeats layers of the base model",
    "trainable_token_indices": "tokens of its own are trained",
    "target_parameters": "it stands on bare parameters",
    "alora_invocation_tokens": "it is an activated LoRA",
    "use_qalora": "it is a QALoRA",
}
# These initialisations change the base model's own weights: on the plain ones the adapter says something else.
_CHANGES_BASE = ("pissa", "olora", "corda", "loftq", "lora_ga")


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterFiles:
    """An adapter as PEFT saved it: its configuration, and the shape of each tensor by its name."""

    folder: Path
    config: Mapping[str, Any]
    shapes: Mapping[str, tuple[int, ...]]

    @property
    def rank(self) -> int:
        """The rank of its matrices."""
        return int(self.config["r"])

    @property
    def layers(self) -> tuple[str, ...]:
        """The last names of the layers that it stands on."""
        return tuple(sorted({module.rpartition(".")[2] for module in modules_of(self)}))


def read_adapter(folder: Path) -> AdapterFiles:
    """Read an adapter's configuration and the shapes of its tensors, without loading them.

    Raises:
        ConfigurationError: a file is missing or cannot be read.
    """
    from safetensors import SafetensorError, safe_open

    try:
        config = json.loads((folder / CONFIG).read_text("utf-8"))
        with safe_open(folder / WEIGHTS, framework="np") as file:
            shapes = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118 - no dict
    except (OSError, ValueError, SafetensorError) as error:
        raise ConfigurationError(f"{folder} holds no adapter in PEFT's layout: {error}") from error
    return AdapterFiles(folder=folder, config=config, shapes=shapes)


def modules_of(adapter: AdapterFiles) -> dict[str, dict[str, tuple[int, ...]]]:
    """Return the shapes of the matrices "A" and "B" of each layer, by the layer's name."""
    found: dict[str, dict[str, tuple[int, ...]]] = defaultdict(dict)
    for name, shape in adapter.shapes.items():
        match = _KEY.fullmatch(name)
        if match:
            found[match["module"]][match["side"]] = shape
    return dict(found)


def check_servable(adapter: AdapterFiles) -> tuple[str, ...]:
    """See that vLLM serves the adapter as it was trained; return what should be known besides.

    Source: vLLM's ``vllm/lora/peft_helper.py``, ``lora_model.py`` and ``utils.py``, v0.8.5 and later: what it refuses
    in a configuration, the names of tensors that it reads, and what it does not look at.

    Raises:
        ConfigurationError: it does not; the text names everything that is in the way.
    """
    problems = [*_problems_of_config(adapter.config), *_problems_of_tensors(adapter)]
    if problems:
        raise ConfigurationError(f"vLLM does not serve the adapter in {adapter.folder}: {'; '.join(problems)}")
    strange = [name for name in adapter.layers if name not in _PROJECTIONS]
    if not strange:
        return ()
    return (f"The layers {', '.join(strange)} must have the same names in vLLM's code of the base model.",)


def servable_config(adapter: AdapterFiles, *, base_model: str, revision: str) -> dict[str, Any]:
    """Return the configuration for the export: the base model by its name, only layers that it really stands on."""
    targets = adapter.config.get("target_modules")
    modules = tuple(modules_of(adapter))
    if isinstance(targets, list):
        targets = sorted(each for each in targets if any(f".{name}".endswith(f".{each}") for name in modules))
    return {
        **adapter.config,
        "base_model_name_or_path": base_model,
        "revision": revision or None,
        "target_modules": targets,
        "auto_mapping": None,
        "inference_mode": True,
    }


def _problems_of_config(config: Mapping[str, Any]) -> Iterator[str]:
    if config.get("peft_type") != "LORA":
        yield f"it is no LoRA but {config.get('peft_type')}"
    rank = config.get("r")
    if not isinstance(rank, int) or not 1 <= rank <= _MOST_RANK:
        yield f"its rank is {rank}, not between 1 and {_MOST_RANK}"
    if config.get("bias", "none") != "none":
        yield f'it trains biases (bias = "{config["bias"]}")'
    for name, meaning in _UNSERVED.items():
        if config.get(name):
            yield f"{meaning} ({name})"
    begun = config.get("init_lora_weights")
    if isinstance(begun, str) and begun.lower().startswith(_CHANGES_BASE):
        yield f"it was begun by {begun}, which changes the base model's own weights (init_lora_weights)"


def _problems_of_tensors(adapter: AdapterFiles) -> Iterator[str]:
    if not adapter.shapes:
        yield "it has no weights"
    unread = sorted(name for name in adapter.shapes if not _KEY.fullmatch(name))
    if unread:
        more = f" and {len(unread) - 3} more" if len(unread) > 3 else ""
        yield f"its tensors {', '.join(unread[:3])}{more} are not called base_model.model.….lora_A.weight or lora_B"
    rank = adapter.config.get("r")
    for module, sides in modules_of(adapter).items():
        if set(sides) != {"A", "B"}:
            yield f"{module} lacks one of its two matrices"
        elif sides["A"][0] != rank or sides["B"][1] != rank:
            yield f"the matrices of {module} have the rank {sides['A'][0]}, not {rank}"
    if embeddings := sorted(_EMBEDDINGS & {module.rpartition(".")[2] for module in modules_of(adapter)}):
        yield f"it stands on {', '.join(embeddings)}: only layers between embedding and output are served everywhere"
