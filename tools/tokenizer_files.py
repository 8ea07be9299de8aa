"""Opens tokenizers from their files."""

from pathlib import Path
from typing import TYPE_CHECKING

from contracts.errors import ConfigurationError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def open_tokenizer(path: Path, *, advice: str = "") -> "Tokenizer":
    """Open the ``tokenizer.json`` at ``path``, or in the folder ``path``, without truncation or padding of texts.

    Raises:
        ConfigurationError: the file does not exist or is not a tokenizer; the message ends with ``advice``.
    """
    from tokenizers import Tokenizer

    file = path / "tokenizer.json" if path.is_dir() else path
    try:
        tokenizer: Tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises nothing more specific
        raise ConfigurationError(f"The tokenizer {file} cannot be read ({error}). {advice}".rstrip()) from error
    # The limits stored in the file come from a training run.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def special_token(tokenizer: "Tokenizer", token: str, path: Path) -> int:
    """Return the id of a special token of a BERT encoder.

    Raises:
        ConfigurationError: the tokenizer at ``path`` does not have this token.
    """
    found = tokenizer.token_to_id(token)
    if found is None:
        raise ConfigurationError(f"{path} lacks the token {token}: it is not the tokenizer of a BERT encoder.")
    return int(found)
