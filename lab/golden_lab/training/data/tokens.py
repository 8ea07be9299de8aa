"""Where the tokens of a text stand, by a tokenizer's file."""

from collections.abc import Callable
from pathlib import Path

from contracts.text import Span
from tools.tokenizer_files import open_tokenizer


def token_spans(path: Path) -> Callable[[str], list[Span]]:
    """Return what says where each token of a text stands, in order, without the special ones.

    ``path`` is a ``tokenizer.json``, or the folder of one.

    Raises:
        ConfigurationError: the file is not there, or no tokenizer.
    """
    file = path / "tokenizer.json" if path.is_dir() else path
    tokenizer = open_tokenizer(file, advice="Name the tokenizer.json of the model.")

    def spans_of(text: str) -> list[Span]:
        encoding = tokenizer.encode(text, add_special_tokens=False)
        return [Span(start, end) for start, end in encoding.offsets if end > start]

    return spans_of
