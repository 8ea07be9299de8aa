"""A causal language model of transformers with PEFT's adapters, each under a name. Blocking."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError

_EXTRA = 'install them with: pip install "golden-retriever-lab[training]"'


class LocalWeights:
    """A ``module`` and its ``tokenizer`` under ``name``, and ``adapters`` on it: their names, by what PEFT calls them.

    ``window`` is how many tokens prompt and reply may have together; 0: the model does not say.
    """

    def __init__(self, module: Any, tokenizer: Any, *, name: str, adapters: Mapping[str, str] | None = None) -> None:
        self.module = module.eval()
        self.tokenizer = tokenizer
        self.name = name
        self._adapters = dict(adapters or {})
        self.window = int(getattr(module.config, "max_position_embeddings", 0) or 0)

    @classmethod
    def load(
        cls,
        base: str,
        adapters: Mapping[str, Path] | None = None,
        *,
        name: str = "",
        revision: str = "main",
        device: str = "",
        dtype: str = "auto",
    ) -> "LocalWeights":
        """Load ``base``, a folder or a name of the model hub, and adapters in PEFT's layout by their names.

        ``name`` is what the base model is called ("": as ``base``, of a folder its last part); ``device`` is torch's
        name of one ("": a GPU where there is one); ``dtype`` as transformers takes it.

        Raises:
            ConfigurationError: torch, transformers or peft is not installed, or something cannot be loaded.
        """
        try:
            import peft
            import torch
            from transformers import AutoModelForCausalLM, AutoTokenizer
        except ImportError as error:
            raise ConfigurationError(f"a model in this process needs torch, transformers and peft: {_EXTRA}") from error
        called = name or (Path(base).name if Path(base).is_dir() else base)
        if called in (adapters or {}):
            raise ConfigurationError(f"the base model and an adapter are both called {called}: name one otherwise")
        place = device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            tokenizer: Any = AutoTokenizer.from_pretrained(base, revision=revision)
            module: Any = AutoModelForCausalLM.from_pretrained(base, revision=revision, dtype=dtype)
            module = module.to(place)
        except (OSError, ValueError, RuntimeError) as error:
            raise ConfigurationError(f"{base}: no causal language model can be loaded from there: {error}") from error
        inner: dict[str, str] = {}
        for number, (adapter, folder) in enumerate((adapters or {}).items()):
            # PEFT takes no dots in its names.
            inner[adapter] = f"adapter_{number}"
            try:
                if not (folder / "adapter_config.json").is_file():
                    raise ConfigurationError(f"{folder}: there is no adapter (no adapter_config.json in it)")
                if number == 0:
                    module = peft.PeftModel.from_pretrained(module, str(folder), adapter_name=inner[adapter])
                else:
                    module.load_adapter(str(folder), adapter_name=inner[adapter])
            except (OSError, ValueError, RuntimeError, KeyError, TypeError) as error:
                raise ConfigurationError(f"{folder}: the adapter does not go onto {base}: {error}") from error
        return cls(module, tokenizer, name=called, adapters=inner)

    @property
    def names(self) -> tuple[str, ...]:
        """What may be asked for: the base model, then the adapters."""
        return (self.name, *self._adapters)

    @contextmanager
    def active(self, name: str) -> Iterator[Any]:
        """Give the module with the adapter ``name`` on it, or without any. One at a time."""
        if name in self._adapters:
            self.module.set_adapter(self._adapters[name])
            yield self.module
        elif self._adapters:
            with self.module.disable_adapter():
                yield self.module
        else:
            yield self.module

    @property
    def ends(self) -> frozenset[int]:
        """The ids of the tokens that end a reply."""
        generation = getattr(self.module, "generation_config", None)
        told = getattr(generation, "eos_token_id", None)
        ids = told if isinstance(told, list) else [told]
        return frozenset(each for each in (*ids, self.tokenizer.eos_token_id) if each is not None)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of tokens, without the model's own marks."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def shown(self, token: int) -> str:
        """Return the text of one token, a mark of the model's as it is written."""
        return str(self.tokenizer.decode([token], clean_up_tokenization_spaces=False))

    def count(self, text: str) -> int:
        """Return how many tokens a text takes, without those that begin and end one."""
        return len(self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])
