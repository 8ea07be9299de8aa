"""Where the tokens of a text stand, by a tokenizer's file."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.errors import ConfigurationError
from contracts.text import Span

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
        from tokenizers import Tokenizer

        try:
            tokenizer: Tokenizer = Tokenizer.from_file(str(self._path))
        except Exception as error:  # the library raises nothing more exact
            raise ConfigurationError(
                f"the tokenizer {self._path} cannot be read ({error}): name the tokenizer.json of the model"
            ) from error
        # The file of an encoder says how much of a text the encoder looks at; here all of it counts.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def __call__(self, text: str) -> list[Span]:
        """Return the place of each token of ``text``, in order, without the special ones.

        Raises:
            ConfigurationError: the file is not there, or no tokenizer.
        """
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return [Span(start, end) for start, end in encoding.offsets if end > start]
