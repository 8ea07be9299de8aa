"""Feedback, the review desk, cases and the overview, on SQLite and PostgreSQL: what a reviewer of some groups sees."""

from functools import partial

import pytest
from sqlalchemy import Engine

from contracts.answer import Answer
from contracts.errors import Conflict, InvalidInput, NotFound
from contracts.jargon import Mention, Reading
from contracts.question import Asker
from contracts.records import ReviewFilter
from contracts.text import Span
from library.records.cases import CaseStore
from library.records.conversations import ConversationStore
from library.records.feedback import FeedbackStore
from library.records.reviews import ReviewStore
from library.records.turns import TurnStore
from library.records.usage import count_usage
from library.store import LibraryStore
from tests.library.records.samples import ADA, BOB, BOTH, EVERYONE, answer_of, citation_of, turn_of
from tests.library.samples import Put

EVERY = None
ALL = ReviewFilter(concerns=("thumbs_down", "declined", "unknown_term", "low_certainty", "degraded"))


def ids(reviews: ReviewStore, groups: frozenset[str] | None, wanted: ReviewFilter = ALL) -> set[str]:
    found = reviews.page(groups, wanted)
    assert reviews.count(groups, wanted) == len(found)
    return {each.id for each in found}


def test_each_concern_selects_its_turns(turns: TurnStore, reviews: ReviewStore, feedback: FeedbackStore) -> None:
    turns.add([
        turn_of("fine"),
        turn_of("down", minutes=1),
        turn_of("declined", minutes=2, answer=answer_of(outcome="closest_passages", certainty=None)),
        turn_of("unknown", minutes=3, answer=answer_of(outcome="unknown_term", certainty=None)),
        turn_of("low", minutes=4, answer=answer_of(certainty=0.4)),
        turn_of("degraded", minutes=24 * 60, answer=answer_of(degraded=("retrieve: away",))),
    ])  # fmt: skip
    feedback.give(ADA.account, "down", "down")
    feedback.give(ADA.account, "fine", "up")
    assert [each.id for each in reviews.page(EVERY, ALL)] == ["degraded", "low", "unknown", "declined", "down"]
    for concern, found in [("thumbs_down", "down"), ("declined", "declined"), ("unknown_term", "unknown"),
                           ("low_certainty", "low"), ("degraded", "degraded")]:  # fmt: skip
        assert ids(reviews, EVERY, ReviewFilter(concerns=(concern,))) == {found}  # type: ignore[arg-type]
    assert ids(reviews, EVERY, ALL.model_copy(update={"certainty_below": 0.9})) >= {"fine", "down"}
    assert ids(reviews, EVERY, ALL.model_copy(update={"first_day": "2026-03-05"})) == {"degraded"}
    first_day = ids(reviews, EVERY, ALL.model_copy(update={"last_day": "2026-03-04"}))
    assert first_day == {"low", "unknown", "declined", "down"}
    assert ids(reviews, EVERY, ReviewFilter(concerns=())) == set()
    newest = reviews.page(EVERY, ALL, limit=2)
    rest = reviews.page(EVERY, ALL, after=(newest[-1].asked_at, newest[-1].id))
    assert [each.id for each in rest] == ["unknown", "declined", "down"]


def test_reviewer_does_not_see_turns_that_may_use_unreadable_documents(
    put: Put, store: LibraryStore, turns: TurnStore, reviews: ReviewStore, feedback: FeedbackStore, engine: Engine
) -> None:
    secret, plain = put("secret", "The level.", group="lab"), put("plain", "The level.")
    everything = Asker(account="key:chief", groups=None)
    turns.add([
        turn_of("plain", asker=BOB, answer=answer_of(citations=(citation_of(plain.id),), certainty=0.1)),
        turn_of("wide", asker=ADA, answer=answer_of(citations=(citation_of(plain.id),), certainty=0.1)),
        turn_of("all", asker=everything, answer=answer_of(citations=(citation_of(plain.id),), certainty=0.1)),
        turn_of("moved", asker=BOB, answer=answer_of(citations=(citation_of(secret.id),), certainty=0.1)),
        turn_of("near", asker=BOB, answer=answer_of(outcome="closest_passages", closest=(citation_of(secret.id),))),
        turn_of("never", asker=BOB, answer=answer_of(citations=(citation_of("none"),), certainty=0.1)),
        turn_of("defined", asker=BOB, answer=answer_of(citations=(citation_of("dictionary"),), certainty=0.1)),
    ])  # fmt: skip
    assert ids(reviews, EVERY) == {"plain", "wide", "all", "moved", "near", "never", "defined"}
    assert ids(reviews, EVERYONE) == {"plain", "defined"}
    assert ids(reviews, BOTH) == {"plain", "wide", "moved", "near", "defined"}
    assert ids(reviews, frozenset({"lab"})) == set()
    for turn, account in (("wide", ADA.account), ("plain", BOB.account)):
        feedback.give(account, turn, "down")
    for call in (reviews.find, partial(reviews.decide, state="resolved")):
        with pytest.raises(NotFound):
            call(EVERYONE, "wide")
    counted = count_usage(engine, EVERYONE, "2026-03-01", "2026-03-31")
    assert [(day.asked, day.thumbs_down) for day in counted.days] == [(2, 1)]
    # A deleted document still belongs to the group that it had.
    store.delete_document(secret.id)
    store.delete_document(plain.id)
    assert ids(reviews, EVERYONE) == {"plain", "defined"}
    assert reviews.find(EVERYONE, "plain").withheld == "gone"


def test_only_the_asker_gives_feedback_and_can_change_it(turns: TurnStore, feedback: FeedbackStore) -> None:
    turns.add([turn_of("a"), turn_of("b", minutes=1)])
    with pytest.raises(NotFound, match="no feedback"):
        feedback.take_back(ADA.account, "a")
    first = feedback.give(ADA.account, "a", "down", reason="wrong", text=" It is\x00 2 V. ")
    assert (first.reason, first.text, first.version) == ("wrong", "It is\ufffd 2 V.", 1)
    second = feedback.give(ADA.account, "a", "up")
    assert (second.verdict, second.reason, second.text, second.version) == ("up", "", "", 2)
    with pytest.raises(NotFound, match="You have no"):
        feedback.take_back(BOB.account, "a")
    with pytest.raises(NotFound):
        feedback.give(BOB.account, "a", "down")
    with pytest.raises(InvalidInput) as caught:
        feedback.give(ADA.account, "a", "down", text="x" * 4_001)
    assert caught.value.field == "text"
    feedback.take_back(ADA.account, "a")
    with pytest.raises(NotFound):
        feedback.take_back(ADA.account, "a")


def test_decision_requires_the_current_version(turns: TurnStore, reviews: ReviewStore) -> None:
    turns.add([turn_of("a", answer=answer_of(certainty=0.1))])
    assert reviews.find(EVERY, "a").review.version == 0
    done = reviews.decide(EVERY, "a", "resolved", note=" New sheet ", who="Eve", version=0).review
    assert (done.state, done.note, done.who, done.version) == ("resolved", "New sheet", "Eve", 1)
    with pytest.raises(Conflict, match="resolved by Eve in the meantime"):
        reviews.decide(EVERY, "a", "ignored", version=0)
    assert ids(reviews, EVERY) == set()
    assert ids(reviews, EVERY, ALL.model_copy(update={"state": "resolved"})) == {"a"}
    assert ids(reviews, EVERY, ALL.model_copy(update={"state": None})) == {"a"}
    assert reviews.decide(EVERY, "a", "open").review.version == 2
    assert ids(reviews, EVERY) == {"a"}


def test_earlier_turns_come_from_the_same_conversation(turns: TurnStore, reviews: ReviewStore) -> None:
    turns.add([turn_of(f"t{at}", minutes=at) for at in range(4)])
    turns.add([turn_of("other", conversation_id="two"), turn_of("bobs", asker=BOB)])
    assert [each.id for each in reviews.before(EVERY, "t3")] == ["t0", "t1", "t2"]
    assert [each.id for each in reviews.before(EVERY, "t3", limit=1)] == ["t2"]
    assert reviews.before(EVERYONE, "bobs") == ()


def test_case_takes_only_parts_of_the_answer_that_nobody_called_wrong(
    engine: Engine, put: Put, turns: TurnStore, reviews: ReviewStore, feedback: FeedbackStore
) -> None:
    document = put("pumps", "The level is 1.5 V.")
    turns.add([
        turn_of("good", answer=answer_of(citations=(citation_of(document.id),))),
        turn_of("bad", minutes=1, answer=answer_of(citations=(citation_of(document.id),))),
        turn_of("none", minutes=2, answer=answer_of("Why?", outcome="closest_passages")),
    ])  # fmt: skip
    feedback.give(ADA.account, "bad", "down")
    cases = CaseStore(engine)

    def make(turn_id: str, **given: object) -> dict[str, object]:
        return cases.make(reviews.find(BOTH, turn_id), given, history=("Before?",), who="Eve").case

    good = make("good", answer="1.5 V", accept=["1.5 volt"])
    assert (good["document"], good["page"]) == (f"{document.id}.pdf", 3)
    assert (good["term"], good["sense"]) == ("VCC", "Supply Voltage")
    assert (good["expect"], good["answer"], good["accept"]) == ("answered", "1.5 V", ["1.5 volt"])
    assert (good["question"], good["history"], good["context"]) == ("What is the level?", ["Before?"], "Power")
    bad = make("bad", answer="2 V")
    assert (bad["document"], bad["page"], bad["sense"], bad["expect"]) == (None, None, None, "answered")
    assert make("none")["expect"] == "closest_passages"
    for turn_id, field in (("bad", "expect"), ("good", "answer")):
        with pytest.raises(InvalidInput) as caught:
            make(turn_id)
        assert caught.value.field == field
    assert len(cases.cases(BOTH)) == 3
    assert cases.cases(EVERYONE) == (), "the asker could read more"
    with pytest.raises(NotFound):
        cases.remove(EVERYONE, str(good["id"]))
    ConversationStore(engine).delete(ADA.account, "one")
    kept = cases.cases(BOTH)
    assert [each.case["question"] for each in kept] == ["What is the level?"] * 2 + ["Why?"]
    assert {each.turn for each in kept} == {None}
    cases.remove(BOTH, str(good["id"]))
    assert len(cases.cases(EVERY)) == 2
    put("pumps", "The level is 1.5 V.", group="board")
    assert [each.case["question"] for each in cases.cases(BOTH)] == ["Why?"], "the document has moved"


def test_the_overview_counts_by_day(engine: Engine, turns: TurnStore, feedback: FeedbackStore) -> None:
    day = 24 * 60
    turns.add([turn_of(f"a{at}", minutes=at, seconds=1.0) for at in range(18)])
    turns.add([
        turn_of("slow", minutes=30, seconds=4.0),
        turn_of("slowest", minutes=31, seconds=8.0),
        turn_of("d", minutes=day, answer=answer_of(outcome="declined")),
        turn_of("c", minutes=day, answer=answer_of(outcome="closest_passages")),
        turn_of("u", minutes=2 * day, asker=BOB, answer=answer_of(outcome="unknown_term", degraded=("x",))),
    ])  # fmt: skip
    feedback.give(ADA.account, "a0", "up")
    feedback.give(ADA.account, "a1", "down")
    found = count_usage(engine, EVERY, "2026-03-04", "2026-03-05")
    first, second = found.days
    assert (first.day, first.asked, first.answered, first.thumbs_up, first.thumbs_down) == ("2026-03-04", 20, 20, 1, 1)
    assert (second.day, second.asked, second.degraded) == ("2026-03-05", 2, 0)
    assert (second.declined, second.closest_passages) == (1, 1)
    assert (first.median_s, first.p95_s) == (1.0, 4.0)
    whole = count_usage(engine, EVERY, "2026-03-04", "2026-03-06")
    assert (whole.days[-1].unknown_term, whole.days[-1].degraded) == (1, 1)


def test_overview_ranks_terms_and_documents_visible_to_its_reader(engine: Engine, turns: TurnStore, put: Put) -> None:
    def unknown(*terms: str) -> Answer:
        mentions = [Mention(text=term, span=Span(start=0, end=1), term=term, known=False) for term in terms]
        readings = tuple(Reading(mention=each, status="unknown") for each in mentions)
        return answer_of(outcome="unknown_term", unknown_terms=readings, certainty=None)

    ids = {"open": put("open", group="everyone").id, "lab": put("lab", group="lab").id, "gone": "gone"}
    names = {id_: name for name, id_ in ids.items()}
    cited = {name: answer_of(citations=(citation_of(id_),)) for name, id_ in ids.items()}
    low = answer_of(citations=(citation_of(ids["open"]), citation_of(ids["lab"])), certainty=0.05)
    turns.add([
        turn_of("t1", answer=unknown("PRL", "prl", "QXT")),
        turn_of("t2", answer=unknown("PRL"), asker=BOB),
        turn_of("t3", answer=unknown("Prl"), asker=BOB),
        turn_of("c1", answer=cited["open"], asker=BOB),
        turn_of("c2", answer=cited["lab"]),
        turn_of("c3", answer=low),
        turn_of("c4", answer=cited["gone"]),
        turn_of("c5", answer=answer_of(certainty=1.0), asker=BOB),
    ])  # fmt: skip
    every = count_usage(engine, EVERY, "2026-03-04", "2026-03-04")
    assert [(each.term.casefold(), each.count) for each in every.terms] == [("prl", 3), ("qxt", 1)]
    assert {(names[each.id], each.count, each.there) for each in every.documents} == {
        ("lab", 2, True), ("open", 2, True), ("gone", 1, False),
    }  # fmt: skip
    assert every.documents[-1].name == "gone.pdf"
    assert every.days[0].certainty == pytest.approx((0.05 + 3 * 0.8 + 1) / 5)
    some = count_usage(engine, EVERYONE, "2026-03-04", "2026-03-04")
    assert [(each.term, each.count) for each in some.terms] in ([("PRL", 2)], [("Prl", 2)])
    assert [(each.id, each.count) for each in some.documents] == [(ids["open"], 1)]
    none = count_usage(engine, EVERY, "2026-01-01", "2026-01-02")
    assert (none.terms, none.documents) == ((), ())
