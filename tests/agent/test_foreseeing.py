"""Following a draft: each of its sentences is handed on when it has ended, however the draft comes."""

import re
from collections.abc import Sequence

import pytest

from agent.composing import sentences_of
from agent.foreseeing import DraftFollower
from contracts.text import Passage

_DRAFTS = (
    "Level 3 is a line that is down. Dr. Meier is called at 10:00, e.g. by phone. It takes 1.5 V. The part is no. 3.",
    "# Gates\n\n- Hall 1 has 4 gates. They open at 7:15.\n- Hall 2 has 5 gates.\n\n1. Lock it. 2. Leave it.",
    "Is it so? Yes! See Fig. 2 and U.S. law … and so on. The end of Sec. 4.2 says so. A last one without a mark",
)


class _Heard:
    def __init__(self) -> None:
        self.sentences: list[str] = []

    def foresee(self, question: str, sentence: str, passages: Sequence[Passage]) -> None:
        self.sentences.append(sentence)


def _followed(draft: str, pieces: Sequence[str]) -> list[str]:
    heard = _Heard()
    follower = DraftFollower([heard], "What is it?", ())
    streamed = ""
    for piece in pieces:
        streamed += piece
        follower.follow(streamed, piece)
    assert streamed == draft
    return heard.sentences


@pytest.mark.parametrize("draft", _DRAFTS)
@pytest.mark.parametrize("size", [1, 7, 40])
def test_every_sentence_that_has_ended_is_handed_on_once(draft: str, size: int) -> None:
    words = re.findall(r"\S+\s*", draft)
    pieces = ["".join(words[at : at + size]) for at in range(0, len(words), size)]
    heard = _followed(draft, pieces)
    assert len(heard) == len(set(heard))
    *ended, last = (each.text for each in sentences_of(draft))
    assert set(ended) <= set(heard)
    # Behind a digit a full stop is no end yet.
    assert (last in heard) == (last.endswith(".") and not last[-2].isdigit())


def test_a_draft_that_begins_anew_is_followed_from_its_beginning() -> None:
    heard = _Heard()
    follower = DraftFollower([heard], "What is it?", ())
    follower.follow("One is so. Two is so. Three is so.", "Three is so.")
    follower.follow("One is else. Two is so.", "Two is so.")
    assert heard.sentences == ["One is so.", "Two is so.", "Three is so.", "One is else."]
