"""Full garbage collections while a server runs look only at what is new."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from golden_retriever import collecting
from golden_retriever.collecting import short_collections


class Circle:
    """An object that refers to itself: only the collector frees it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Leave the collector as it was."""
    yield
    gc.collect()


def test_what_a_full_collection_leaves_is_not_looked_at_again_until_the_end() -> None:
    kept = [Circle() for _ in range(100)]
    with short_collections():
        assert gc.get_freeze_count() >= len(kept)
        assert not any(each is kept[0] for each in gc.get_objects())
        later = [Circle()]
        gc.collect()
        assert not any(each is later[0] for each in gc.get_objects())
    assert gc.get_freeze_count() == 0
    assert any(each is kept[0] for each in gc.get_objects())


def test_new_circles_are_freed() -> None:
    with short_collections():
        gone = weakref.ref(Circle())
        gc.collect()
        assert gone() is None


def test_circles_among_what_was_set_aside_are_freed_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "_ALL_AGAIN", 3)
    with short_collections():
        circle = Circle()
        gone = weakref.ref(circle)
        gc.collect()
        del circle
        assert gone() is not None
        gc.collect()
        assert gone() is None
