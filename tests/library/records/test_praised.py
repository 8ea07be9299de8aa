"""Praised turns are those with a thumb up, as far as their reader may see them."""

from sqlalchemy import Engine

from contracts.question import Asker
from library.records.feedback import FeedbackStore
from library.records.praised import PraisedTurnStore
from library.records.turns import TurnStore
from tests.library.conftest import Put
from tests.library.records.samples import ADA, BOB, answer_of, citation_of, turn_of

ROOT = Asker(account="local")


def test_only_answers_that_were_praised_and_may_be_seen_are_praised(engine: Engine, put: Put) -> None:
    open_, closed = put("open.pdf"), put("closed.pdf", group="lab")
    turns, said, praised = TurnStore(engine), FeedbackStore(engine), PraisedTurnStore(engine)
    cited = {each.id: answer_of(citations=(citation_of(each.id),)) for each in (open_, closed)}
    turns.add([
        turn_of("open", asker=BOB, answer=cited[open_.id]),
        turn_of("closed", asker=ADA, minutes=1, answer=cited[closed.id]),
        turn_of("plain", asker=BOB, minutes=2),
        turn_of("bad", asker=BOB, minutes=3),
        turn_of("no-answer", asker=BOB, minutes=4, answer=answer_of(outcome="declined", certainty=None)),
        turn_of("gone", asker=BOB, minutes=5, answer=answer_of(citations=(citation_of("gone"),))),
        turn_of("everywhere", asker=ROOT, minutes=6),
    ])  # fmt: skip
    for account, name in ((BOB, "open"), (ADA, "closed"), (BOB, "no-answer"), (BOB, "gone"), (ROOT, "everywhere")):
        said.give(account.account, name, "up")
    said.give(BOB.account, "bad", "down")
    assert [each.id for each in praised.all(None)] == ["open", "closed", "everywhere"]
    assert [each.id for each in praised.all(frozenset({"everyone"}))] == ["open"]
    assert [each.id for each in praised.all(frozenset({"everyone", "lab"}))] == ["open", "closed"]
    assert [each.id for each in praised.all(None, limit=1)] == ["open"]
