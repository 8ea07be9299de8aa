"""Python's garbage collections, kept short while a server runs.

A full collection looks at every object there is, and nothing else runs meanwhile: a quarter of a second with all that a
server loads, every few dozen questions. Hardly anything of it is ever garbage: objects go when nobody refers to them,
and only circles of references are left to the collector.
"""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

_FULL = 2
# Circles among what was set aside are found when everything is looked at again: once in so many full collections.
_ALL_AGAIN = 200


class _SettingAside:
    """Called by the collector before and after each of its rounds: what a full one leaves is set aside for the next."""

    def __init__(self) -> None:
        self._rounds = 0

    def __call__(self, phase: str, info: Mapping[str, Any]) -> None:
        if info["generation"] != _FULL:
            return
        if phase == "start":
            self._rounds += 1
            if self._rounds % _ALL_AGAIN == 0:
                gc.unfreeze()
        else:
            gc.freeze()


@contextmanager
def short_collections() -> Iterator[None]:
    """Collect now; until the end of the block a full collection looks only at what was made since the last one."""
    setting_aside = _SettingAside()
    gc.callbacks.append(setting_aside)
    try:
        gc.collect()
        yield
    finally:
        gc.callbacks.remove(setting_aside)
        gc.unfreeze()
