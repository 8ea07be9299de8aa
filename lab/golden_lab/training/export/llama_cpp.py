"""Converts a LoRA adapter from the safetensors that PEFT writes into the GGUF file that llama.cpp loads."""

import json
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError

# llama.cpp stores the query and key rows of these in a different order (see ``_reordered``).
_ARCHITECTURES = ("llama",)
_PREFIX, _A, _B = "base_model.model.", ".lora_A.weight", ".lora_B.weight"


def write_gguf(adapter: Path, target: Path, *, model: str, revision: str = "") -> None:
    """Write the adapter in the folder ``adapter`` as the GGUF file ``target``.

    ``model`` is its base model: a folder, a GGUF file, or a name on a hub with its ``revision``. Blocking.

    Source: convert_lora_to_gguf.py in ggml-org/llama.cpp defines the keys and tensors of such a file.

    Raises:
        ConfigurationError: the architecture of the base model is not supported, its configuration cannot be loaded, a
            layer has no counterpart in llama.cpp, or a package is missing; the message names it.
    """
    try:
        import gguf
        from safetensors.torch import load_file

        config = _base_config(model, revision)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise ConfigurationError(str(error).strip().partition("\n")[0]) from error
    if config.model_type not in _ARCHITECTURES:
        raise ConfigurationError(
            f"the base model's architecture is {config.model_type}, but only {', '.join(_ARCHITECTURES)} is supported"
        )
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config.num_hidden_layers)
    tensors = {}
    for key, tensor in sorted(load_file(adapter / "adapter_model.safetensors").items()):
        layer = key.removeprefix(_PREFIX).removesuffix(_A).removesuffix(_B)
        name = names.get_name(layer)
        if name is None:
            raise ConfigurationError(f"llama.cpp has no layer for {layer}")
        projection = layer.rpartition(".")[2]
        values = tensor.float().numpy()
        if key.endswith(_A):
            tensors[f"{name}.weight.lora_a"] = values
        else:
            tensors[f"{name}.weight.lora_b"] = _reordered(values, heads[projection]) if projection in heads else values
    writer = gguf.GGUFWriter(target, config.model_type)
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    settings = json.loads((adapter / "adapter_config.json").read_text("utf-8"))
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, settings["lora_alpha"])
    for name, values in tensors.items():
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _base_config(model: str, revision: str) -> Any:
    from transformers import AutoConfig

    path = Path(model)
    if path.suffix == ".gguf":
        return AutoConfig.from_pretrained(path.parent, gguf_file=path.name)
    return AutoConfig.from_pretrained(model, revision=revision or "main")


def _reordered(rows: Any, heads: int) -> Any:
    """Return ``rows`` in llama.cpp's order: it rotates adjacent pairs, but transformers rotates halves of a head."""
    return rows.reshape(heads, 2, -1, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)
