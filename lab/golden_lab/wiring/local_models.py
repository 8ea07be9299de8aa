"""A language model of this process with adapters of one's own, for trying them without a server of their own."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.errors import InvalidInput

if TYPE_CHECKING:
    from golden_lab.local_chat import LocalChat


def adapters_named(given: Sequence[str]) -> dict[str, Path]:
    """Read ``NAME=FOLDER`` of each, in PEFT's layout.

    Raises:
        InvalidInput: one has not that form, a name stands twice, or a folder is not there.
    """
    found: dict[str, Path] = {}
    for each in given:
        name, mark, folder = each.partition("=")
        if not (name and mark and folder):
            raise InvalidInput(f"--adapter {each}: give NAME=FOLDER, such as house-gate=exports/house-gate.")
        if name in found:
            raise InvalidInput(f"--adapter {each}: the name {name} stands twice.")
        if not Path(folder).is_dir():
            raise InvalidInput(f"--adapter {each}: there is no folder {folder}.")
        found[name] = Path(folder)
    return found


def load_local_chat(
    base: str, adapters: Mapping[str, Path], *, name: str = "", revision: str = "main", device: str = "", dtype: str
) -> "LocalChat":
    """Load ``base`` with ``adapters``, without the library's progress bars; blocking.

    Raises:
        ConfigurationError: the extra ``training`` is not installed, or something cannot be loaded.
    """
    import warnings

    from golden_lab.local_chat import LocalChat

    try:
        from transformers.utils import logging
    except ImportError:
        # What is missing is said below, where all of it is needed.
        pass
    else:
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    with warnings.catch_warnings():
        # Between libraries; whoever serves a model can do nothing about it.
        warnings.simplefilter("ignore", FutureWarning)
        return LocalChat.load(base, adapters, name=name, revision=revision, device=device, dtype=dtype)
