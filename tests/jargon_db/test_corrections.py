"""What askers chose: kept with the sense, bounded, and redacted."""

import pytest
from sqlalchemy import Engine

from contracts.jargon import Correction
from database.transactions import writing
from jargon_db.corrections import record_correction
from jargon_db.store import JargonStore
from tests.models import change_sense, replace

PROTOCOLS = Correction(
    term="PLR", extended_name="Physical Layer Retransmission", context="Protocols", question="Who counts the PLR?"
)


@pytest.fixture
def filled(store: JargonStore) -> JargonStore:
    store.add_sense("PLR", "Physical Layer Retransmission", context="Protocols", aliases=["phy retry"])
    store.add_sense("PLR", "Parts Lost Ratio", context="Test")
    return store


def test_the_same_choice_in_the_same_question_is_stored_once(filled: JargonStore) -> None:
    version, before = filled.version(), filled.corrections_version()
    filled.acting_as("Ada").record_correction(PROTOCOLS)
    seen = filled.corrections_version()
    again = replace(PROTOCOLS, term="phy retry", context="PROTOCOLS", question="who  counts the plr?")
    filled.acting_as("Bob").record_correction(again)
    assert len({before, seen, filled.corrections_version()}) == 3
    assert filled.version() == version
    assert filled.corrections() == (replace(PROTOCOLS, question="who  counts the plr?"),)


def test_correction_follows_its_sense_and_is_deleted_with_it(filled: JargonStore) -> None:
    filled.record_correction(PROTOCOLS)
    sense = filled.senses(context="Protocols")[0]
    before = filled.corrections_version()
    change_sense(filled, replace(sense, term="PHYR", extended_name="Physical Retry", context="Links"))
    assert filled.corrections_version() != before
    moved = replace(PROTOCOLS, term="PHYR", extended_name="Physical Retry", context="Links")
    assert filled.corrections() == (moved,)
    filled.set_state(sense.id, "rejected")
    assert filled.corrections() == ()
    filled.set_state(sense.id, "published")
    assert filled.corrections() == (moved,)
    filled.remove_sense(sense.id)
    assert filled.corrections() == ()
    filled.undo(filled.history()[0].number)
    assert [each.id for each in filled.senses(context="Links")] == [sense.id]
    assert filled.corrections() == ()


def test_merged_senses_have_the_corrections_of_both(filled: JargonStore) -> None:
    filled.add_sense("PHY-R", "Physical Layer Retransmission", context="Protocols")
    other = replace(PROTOCOLS, term="PHY-R", question="Another one?")
    for each in (PROTOCOLS, other, replace(other, question=PROTOCOLS.question), other):
        filled.record_correction(each)
    filled.merge_terms("PHY-R", "PLR")
    kept = sorted(each.question for each in filled.corrections())
    assert kept == ["Another one?", PROTOCOLS.question]
    assert {each.term for each in filled.corrections()} == {"PLR"}


def test_oldest_corrections_are_deleted_beyond_the_limit(filled: JargonStore, engine: Engine) -> None:
    asked = [replace(PROTOCOLS, question=f"Question {number}?") for number in range(5)]
    for each in (*asked[:3], asked[0], *asked[3:]):
        with writing(engine) as connection:
            record_correction(connection, each, "Ada", most=3)
    assert filled.corrections() == (asked[4], asked[3], asked[0])
    assert filled.corrections(limit=2) == (asked[4], asked[3])


def test_questions_are_not_stored_if_the_setting_says_so(filled: JargonStore, engine: Engine) -> None:
    silent = JargonStore(engine, keep_questions=False).acting_as("Ada")
    filled.record_unknown("XQZ", "What is XQZ?", "Test")
    silent.record_unknown("XQZ", "And my XQZ?", "Test")
    silent.record_correction(PROTOCOLS)
    silent.record_correction(replace(PROTOCOLS, question="Another one?"))
    (unknown,) = filled.unknown_terms()
    assert (unknown.count, unknown.last_question, unknown.context) == (2, "", "Test")
    assert [each.question for each in filled.corrections()] == [""]


def test_stored_questions_can_be_redacted(filled: JargonStore) -> None:
    filled.record_unknown("XQZ", "What is XQZ?", "Test")
    filled.record_unknown("ABC", "", "")
    test = replace(PROTOCOLS, extended_name="Parts Lost Ratio", context="Test")
    for each in (replace(PROTOCOLS, question=""), PROTOCOLS, replace(PROTOCOLS, question="Another one?"), test):
        filled.record_correction(each)
    before = filled.corrections_version()
    assert filled.redact_questions() == 4
    assert filled.corrections_version() != before
    assert {each.last_question for each in filled.unknown_terms()} == {""}
    kept = [(each.extended_name, each.question) for each in filled.corrections()]
    assert kept == [(test.extended_name, "")] + [(PROTOCOLS.extended_name, "")] * 3
    assert filled.redact_questions() == 0


def test_correction_accepts_any_question(filled: JargonStore) -> None:
    for question in ("x" * 10_000, "\x00\ud800", "\u202e\u0301", "' OR 1=1; --"):
        filled.record_correction(replace(PROTOCOLS, question=question))
    assert [len(each.question) for each in filled.corrections()] == [12, 2, 2, 500]
