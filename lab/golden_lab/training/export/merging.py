"""Merged weights: the base model with the adapter added to it, for servers that take no adapters."""

from pathlib import Path
from typing import Any

from golden_lab.training.lora.loading import Dtype, load_adapter, load_base, load_tokenizer


def write_merged(adapter: Path, folder: Path, *, base: str, revision: str, dtype: Dtype) -> None:
    """Write the weights of ``base`` with ``adapter`` added to them, tokenizer and chat template into ``folder``.

    The base model is loaded as it is stored (or as ``dtype`` says), never in 4 bits: what was trained on a quantised
    one is added to the exact weights, of which those were the rounded ones. Blocking.

    Raises:
        ConfigurationError: the base model cannot be loaded, the adapter does not fit it, or the sum is not finite.
    """
    from contracts.errors import ConfigurationError

    model: Any = load_adapter(load_base(base, revision=revision, dtype=dtype), adapter)
    try:
        merged = model.merge_and_unload(safe_merge=True)
    except ValueError as error:
        raise ConfigurationError(f"{adapter} cannot be merged into {base}: {error}") from error
    merged.save_pretrained(folder)
    # The tokenizer that it was trained with lies beside the adapter, chat template and all.
    own = (adapter / "tokenizer_config.json").is_file()
    load_tokenizer(str(adapter) if own else base, revision="main" if own else revision).save_pretrained(folder)
