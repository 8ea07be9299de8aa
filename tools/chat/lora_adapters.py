"""LoRA adapters of a llama.cpp server. It takes no adapter's name as a model: a request numbers those to apply."""

from pathlib import PurePath
from typing import Any

# What llama.cpp lists as the owner of its models.
OWNER = "llamacpp"


class LoadedAdapters:
    """The adapters that a llama.cpp server has loaded, each called like its file, without .gguf.

    ``known`` says whether the server has told which they are.

    Source: tools/server/README.md of ggml-org/llama.cpp: ``GET /lora-adapters``, and ``lora`` in a request's body.
    """

    def __init__(self) -> None:
        self.known = False
        self._numbers: dict[str, int] = {}
        self._scales: dict[int, float] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._numbers)

    def take(self, listed: Any) -> None:
        """Take the server's list; anything else, such as None, is none."""
        try:
            found = [(PurePath(each["path"]).stem, int(each["id"]), float(each["scale"])) for each in listed]
        except (KeyError, TypeError, ValueError):
            self.known, found = False, []
        else:
            self.known = True
        self._numbers = {name: number for name, number, _ in found}
        self._scales = {number: scale for _, number, scale in found}

    def fields(self, model: str) -> dict[str, Any]:
        """Return what goes into the body of a request to ``model``: an adapter alone, or those that always apply.

        {} where the server has no adapters. Otherwise each request names them all: from one that names none, llama.cpp
        does not notice that the prompt's beginning, which it keeps from the last request, was read with an adapter.
        """
        scales = self._scales
        if model in self._numbers:
            scales = {number: float(number == self._numbers[model]) for number in scales}
        return {"lora": [{"id": number, "scale": scale} for number, scale in scales.items()]} if scales else {}
