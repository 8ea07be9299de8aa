"""Where the tokens of a text stand, by a tokenizer's file."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.text import Span
from tools.tokenizer_files import open_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class FileTokenSpans:
    """Cuts into tokens with the ``tokenizer.json`` at ``path``, or in that folder; it is read at the first text."""

    def __init__(self, path: Path) -> None:
        self._path = path / "tokenizer.json" if path.is_dir() else path

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        return open_tokenizer(self._path, advice="Name the tokenizer.json of the model.")

    def __call__(self, text: str) -> list[Span]:
        """Return the place of each token of ``text``, in order, without the special ones.

        Raises:
            ConfigurationError: the file is not there, or no tokenizer.
        """
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return [Span(start, end) for start, end in encoding.offsets if end > start]
