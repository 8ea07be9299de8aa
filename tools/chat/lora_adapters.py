"""LoRA adapters on a llama.cpp server, which does not accept the name of an adapter as a model: a request lists the
adapters to apply by number.
"""

from pathlib import PurePath
from typing import Any

# The owner of models in llama.cpp's list.
OWNER = "llamacpp"


class LoadedAdapters:
    """The adapters that a llama.cpp server has loaded, each named after its file without ``.gguf``.

    ``known`` is true if the server has reported them.

    Source: tools/server/README.md in ggml-org/llama.cpp: ``GET /lora-adapters``, and ``lora`` in the body of a request.
    """

    def __init__(self) -> None:
        self.known = False
        self._numbers: dict[str, int] = {}
        self._scales: dict[int, float] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._numbers)

    def take(self, listed: Any) -> None:
        """Store the list from the server; any other value, such as None, means that there are no adapters."""
        try:
            found = [(PurePath(each["path"]).stem, int(each["id"]), float(each["scale"])) for each in listed]
        except (KeyError, TypeError, ValueError):
            self.known, found = False, []
        else:
            self.known = True
        self._numbers = {name: number for name, number, _ in found}
        self._scales = {number: scale for _, number, scale in found}

    def fields(self, model: str) -> dict[str, Any]:
        """Return the fields for the body of a request to ``model``, which apply this adapter or the default adapters;
        return {} if the server has no adapters.

        Each request names all adapters: if a request names none, llama.cpp does not notice that the beginning of the
        prompt, which it cached in the last request, was read with an adapter.
        """
        scales = self._scales
        if model in self._numbers:
            scales = {number: float(number == self._numbers[model]) for number in scales}
        return {"lora": [{"id": number, "scale": scale} for number, scale in scales.items()]} if scales else {}
