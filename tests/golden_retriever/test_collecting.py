"""Full garbage collections while a server runs look only at what is new."""

import gc
import weakref
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from golden_retriever import collecting
from golden_retriever.collecting import short_collections


class Circle:
    """An object that refers to itself: only the collector frees it."""

    def __init__(self) -> None:
        self.itself = self


def in_a_process_of_its_own(check: Callable[[], None]) -> None:
    """Run ``check`` where there is little to collect, and the collector is nobody else's."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        process.submit(check).result(timeout=60)


def set_aside() -> None:
    kept = [Circle() for _ in range(100)]
    with short_collections():
        assert gc.get_freeze_count() >= len(kept)
        assert not any(each is kept[0] for each in gc.get_objects())
        later = [Circle()]
        gc.collect()
        assert not any(each is later[0] for each in gc.get_objects())
    assert gc.get_freeze_count() == 0
    assert any(each is kept[0] for each in gc.get_objects())


def test_what_a_full_collection_leaves_is_not_looked_at_again_until_the_end() -> None:
    in_a_process_of_its_own(set_aside)


def freed_when_new() -> None:
    with short_collections():
        gone = weakref.ref(Circle())
        gc.collect()
        assert gone() is None


def test_new_circles_are_freed() -> None:
    in_a_process_of_its_own(freed_when_new)


def freed_in_the_third_round() -> None:
    collecting._ALL_AGAIN = 3
    with short_collections():
        circle = Circle()
        gone = weakref.ref(circle)
        gc.collect()
        del circle
        assert gone() is not None
        gc.collect()
        assert gone() is None


def test_circles_among_what_was_set_aside_are_freed_once_in_a_while() -> None:
    in_a_process_of_its_own(freed_in_the_third_round)
