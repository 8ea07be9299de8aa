"""What breaks a training, in words that say what to do."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from contracts.errors import ConfigurationError, GoldenError, Unavailable
from golden_lab.training.run_folder import RunFolder

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
# Of torch and of safetensors, which write on their own and tell it in a text only.
_SIGNS_OF_NO_SPACE = ("No space left", "File too large", "Disk quota", "PytorchStreamWriter", "inline_container")


@contextmanager
def in_plain_words(run: RunFolder) -> Iterator[None]:
    """Turn what the libraries raise for lack of memory or disk into errors for people.

    Raises:
        ConfigurationError: the GPU's memory is not enough.
        Unavailable: the disk is full.
    """
    import torch
    from safetensors import SafetensorError

    try:
        yield
    except GoldenError:
        raise
    except torch.OutOfMemoryError as error:
        raise ConfigurationError(
            "the GPU has too little memory for this training: in a recipe of your own, halve batch_size and double "
            'accumulation (the effective batch stays), lower max_tokens, or set quantization = "nf4"; then begin in '
            "another folder"
        ) from error
    except (OSError, RuntimeError, SafetensorError) as error:
        if not _is_lack_of_space(error):
            raise
        raise Unavailable(
            f"there is no space left to write to in {run.root}: make some, then go on with --resume from the last "
            "checkpoint"
        ) from error


def _is_lack_of_space(error: BaseException | None) -> bool:
    """Say whether it, or what it came from, tells of a full disk."""
    while error is not None:
        if isinstance(error, OSError) and error.errno is not None:
            if error.errno in _NO_SPACE:
                return True
        elif any(sign in str(error) for sign in _SIGNS_OF_NO_SPACE):
            return True
        error = error.__cause__ or error.__context__
    return False
