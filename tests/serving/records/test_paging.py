"""Where a list goes on, and which version was seen: what clients send back, and what they make up."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from contracts.errors import InvalidInput
from serving.records.service import place_of, word_of
from serving.routing import version_in

TIME = datetime(2026, 3, 4, 12, 0, 0, 123456, tzinfo=UTC)


def test_cursor_round_trip() -> None:
    for entry in ("one", "x" * 200, "ü/\ud800", ""):
        assert place_of(word_of(TIME, entry)) == (TIME, entry)
    assert place_of(word_of(TIME.astimezone(timezone(timedelta(hours=2))), "one")) == (TIME, "one")
    assert place_of("") is None


def test_invalid_cursor_is_refused(subtests: pytest.Subtests) -> None:
    for word in ["x", "e30", "MTI", "WzEsMl0", "ü", "W10", "/../", "[]", "bnVsbA", "WyJ4IiwieSJd"]:
        with subtests.test(word=word):
            with pytest.raises(InvalidInput) as caught:
                place_of(word)
            assert caught.value.field == "after"


def test_etag_is_parsed_to_a_version() -> None:
    assert version_in('"v7"') == 7
    assert version_in('W/"v0"') == 0
    assert [version_in(each) for each in (None, "", "*")] == [None] * 3
    for wrong in ("7", '"12.3"', '"v"', '"v1", "v2"', '"v٣"'):
        with pytest.raises(InvalidInput) as caught:
            version_in(wrong)
        assert caught.value.field == "If-Match"
