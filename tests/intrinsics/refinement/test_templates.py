"""The wordings of the critique, and who sends which."""

import pytest

from contracts.errors import ConfigurationError
from intrinsics.refinement.embedded import OverlapAnswerRefiner, stored_template
from intrinsics.refinement.llm import SelfCritiquingAnswerRefiner
from tests.conformance.reading_cases import PASSAGES
from tools.chat.scripted import ScriptedChatModel


def test_wordings_differ_in_what_they_name_and_leave_out() -> None:
    named, omitting, plain = (stored_template(name) for name in ("v2a", "v2b", "v2c"))
    assert omitting.text.startswith(named.text)
    assert stored_template() == plain
    assert len({each.version for each in (named, omitting, plain)}) == 3


def test_a_wording_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"v2z.*v2a, v2b, v2c, generic"):
        stored_template("v2z")


@pytest.mark.parametrize(
    ("indexes", "named"),
    [((0,), "rest on passage 1 more"), ((0, 2), "passages 1 and 3 more"), ((0, 1, 3), "passages 1, 2 and 4 more")],
)
def test_passages_are_named_as_the_writer_sees_them(indexes: tuple[int, ...], named: str) -> None:
    assert named in stored_template("v2a").naming(indexes)
    assert stored_template("v2c").naming(indexes) == stored_template("v2c").text


async def test_baselines_send_every_draft_back_under_their_own_words() -> None:
    held = "The P-200 pump runs at 48 V."
    always, generic = [await OverlapAnswerRefiner(each).review("?", held, PASSAGES) for each in ("always", "generic")]  # type: ignore[arg-type]
    assert always.critique == stored_template().text
    assert generic.critique == stored_template("generic").text
    chat = ScriptedChatModel(["<think>hm</think>\nIt names\n no source."])
    own = await SelfCritiquingAnswerRefiner(chat).review("?", held, PASSAGES)
    assert (own.critique, own.rewrite, own.provenance.implementation) == ("It names no source.", True, "llm")
    assert held in chat.requests[0].messages[-1].content
