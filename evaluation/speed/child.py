"""A fresh process for each measurement: nothing that was loaded before counts."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
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
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as pool:
        try:
            return pool.submit(function, *arguments, **named).result()
        except BrokenProcessPool as error:
            raise Unavailable(
                "the measuring process ended before it had a result: it may have been short of memory; ask for less"
            ) from error
