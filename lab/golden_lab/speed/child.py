"""A fresh process for each measurement: nothing that was loaded before counts, and nothing of it stays behind."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import ParamSpec, TypeVar

from contracts.errors import Unavailable

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def run_in_child(
    function: Callable[_Parameters, _Result], *arguments: _Parameters.args, **named: _Parameters.kwargs
) -> _Result:
    """Return what ``function``, of a module's top level, returns in a new process; raise what it raises.

    Raises:
        Unavailable: the process ended before it had a result.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=end_with_parent) as pool:
        try:
            return pool.submit(function, *arguments, **named).result()
        except BrokenProcessPool as error:
            raise Unavailable(
                "the measuring process ended before it had a result: it may have been short of memory; ask for less"
            ) from error


def end_with_parent() -> None:
    """End this process as soon as the one that started it has ended, in whichever way: a killed one ends no others."""
    parent = parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, name="golden-parent", daemon=True).start()
