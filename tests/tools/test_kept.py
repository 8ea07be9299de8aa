"""What is kept of one version of a store."""

from collections.abc import Mapping, Sequence

from tools.kept import KeptOfVersion


class Shelf:
    """A store whose reads are counted."""

    def __init__(self, **rows: int) -> None:
        self.rows: dict[str, int] = rows
        self.asked: list[list[str]] = []

    def read(self, keys: Sequence[str]) -> Mapping[str, int]:
        self.asked.append([*keys])
        return {key: self.rows[key] for key in keys if key in self.rows}


def test_what_was_read_is_not_read_again_and_the_order_is_that_of_the_keys() -> None:
    shelf, kept = Shelf(a=1, b=2, c=3), KeptOfVersion[str, int](10)
    assert [*kept.read(["b", "a"], 1, shelf.read).items()] == [("b", 2), ("a", 1)]
    assert [*kept.read(["a", "gone", "c", "b", "c"], 1, shelf.read).items()] == [("a", 1), ("c", 3), ("b", 2)]
    assert [*kept.read(["c", "b"], 1, shelf.read)] == ["c", "b"]
    assert shelf.asked == [["b", "a"], ["gone", "c"]]
    # What is not there may come to be.
    assert kept.read(["gone"], 1, shelf.read) == {}
    assert shelf.asked[-1] == ["gone"]


def test_another_version_is_read_anew_be_it_a_later_or_an_earlier_one() -> None:
    shelf, kept = Shelf(a=1), KeptOfVersion[str, int](10)
    kept.read(["a"], "7", shelf.read)
    for value, version in enumerate(("8", "7", "8"), start=2):
        shelf.rows["a"] = value
        assert kept.read(["a"], version, shelf.read) == {"a": value}


def test_what_a_slow_reader_read_of_an_old_version_is_not_kept_for_a_new_one() -> None:
    shelf, kept = Shelf(a=1, b=1), KeptOfVersion[str, int](10)

    def read_slowly(keys: Sequence[str]) -> Mapping[str, int]:
        old = dict(shelf.read(keys))
        shelf.rows["a"] = shelf.rows["b"] = 2
        kept.read(["b"], 2, shelf.read)  # another thread's question, after the change
        return old

    assert kept.read(["a"], 1, read_slowly) == {"a": 1}
    assert kept.read(["a", "b"], 2, shelf.read) == {"a": 2, "b": 2}


def test_only_the_last_used_are_kept() -> None:
    shelf, kept = Shelf(a=1, b=2, c=3), KeptOfVersion[str, int](2)
    for key in ("a", "b", "a", "c"):
        kept.read([key], 1, shelf.read)
    shelf.asked.clear()
    assert kept.read(["a", "c"], 1, shelf.read) == {"a": 1, "c": 3}
    assert shelf.asked == []
    kept.read(["b"], 1, shelf.read)
    assert shelf.asked == [["b"]]
