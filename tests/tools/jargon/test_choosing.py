"""Choosing among senses: picks, contexts, words, ambiguity, and the reasons given."""

from dataclasses import replace

import pytest

from contracts.jargon import Lookup, Mention, Sense
from contracts.provenance import Provenance
from contracts.question import SensePick
from contracts.text import Span
from contracts.verdicts import ContextProbability, ContextVerdict
from tools.jargon.choosing import choose_sense

MENTION = Mention(text="BE", span=Span(0, 2), term="BE", known=True)
ERROR = Sense(id=1, term="BE", extended_name="Bit Error", context="Reliability", description="A single wrong bit.")
LINE = Sense(
    id=2, term="BE", extended_name="Back End", context="Packaging", description="Steps after sawing the wafer."
)
ANYWHERE = Sense(id=3, term="BE", extended_name="Best Effort")
BOTH = Lookup(mention=MENTION, senses=(ERROR, LINE))


def contexts(none: float = 0.0, **probabilities: float) -> ContextVerdict:
    ranked = sorted(probabilities.items(), key=lambda pair: -pair[1])
    return ContextVerdict(
        contexts=tuple(ContextProbability(name=name, probability=value) for name, value in ranked),
        none_of_these=none,
        provenance=Provenance(implementation="embedded"),
    )


EVEN = contexts(Reliability=0.5, Packaging=0.5)


@pytest.mark.parametrize(("place", "sense"), [("Reliability", ERROR), ("Packaging", LINE)])
def test_the_context_decides(place: str, sense: Sense) -> None:
    other = "Packaging" if place == "Reliability" else "Reliability"
    reading = choose_sense(BOTH, contexts(**{place: 0.92, other: 0.08}), {})
    assert (reading.status, reading.sense) == ("chosen", sense)
    assert reading.reason == f"because context = {place} 92 %"
    assert reading.probability > 0.8


def test_close_senses_are_ambiguous_and_offered_best_first() -> None:
    reading = choose_sense(BOTH, EVEN, {1: 0.30, 2: 0.31})
    assert (reading.status, reading.sense) == ("ambiguous", None)
    assert reading.alternatives == (LINE, ERROR)


def test_similarity_decides_where_the_context_does_not() -> None:
    assert choose_sense(BOTH, EVEN, {1: 0.1, 2: 0.6}).sense == LINE


def test_words_of_the_question_decide_where_nothing_else_does() -> None:
    reading = choose_sense(BOTH, EVEN, {}, question="What steps follow in the BE after sawing the wafer?")
    assert reading.sense == LINE


def test_the_department_tips_a_balance() -> None:
    assert choose_sense(BOTH, contexts(0.4, Reliability=0.3, Packaging=0.3), {}, department="packaging").sense == LINE


def test_a_pick_wins_over_everything() -> None:
    pick = SensePick(term="be", extended_name="bit error")
    reading = choose_sense(BOTH, contexts(Packaging=0.99), {2: 0.9}, picks=[pick])
    assert (reading.sense, reading.probability, reading.reason) == (ERROR, 1.0, "because you chose it")


def test_a_pick_for_another_term_does_nothing() -> None:
    pick = SensePick(term="XY", extended_name="Bit Error")
    assert choose_sense(BOTH, contexts(Packaging=0.95, Reliability=0.05), {}, picks=[pick]).sense == LINE


def test_a_single_sense_is_chosen_in_any_context() -> None:
    lookup = Lookup(mention=MENTION, senses=(ERROR,))
    assert choose_sense(lookup, contexts(Packaging=1.0), {}).sense == ERROR


def test_drafts_are_not_read_and_twins_count_once() -> None:
    draft = Sense(id=9, term="BE", extended_name="Draft", state="draft")
    lookup = Lookup(mention=MENTION, senses=(ERROR, draft, ERROR))
    reading = choose_sense(lookup, EVEN, {})
    assert (reading.status, reading.sense, reading.alternatives) == ("chosen", ERROR, ())


def test_a_sense_that_holds_everywhere_wins_where_no_context_fits() -> None:
    lookup = Lookup(mention=MENTION, senses=(ERROR, ANYWHERE))
    verdict = contexts(0.9, Reliability=0.05, Packaging=0.05)
    assert choose_sense(lookup, verdict, {}).sense == ANYWHERE
    assert choose_sense(lookup, contexts(Reliability=0.95, Packaging=0.05), {}).sense == ERROR


def test_a_term_of_the_documents_and_an_unknown_term() -> None:
    unlisted = Mention(text="QZ", span=Span(0, 2), term="QZ")
    found = choose_sense(Lookup(mention=unlisted, document_frequency=3), EVEN, {})
    assert found.status == "documents"
    assert "3 passages" in found.reason
    missing = choose_sense(Lookup(mention=unlisted, suggestions=("QX",)), EVEN, {})
    assert (missing.status, missing.suggestions) == ("unknown", ("QX",))


def test_a_corrected_misspelling_is_said() -> None:
    typo = Mention(text="VCQQ", span=Span(0, 4), term="VCCQ", known=True, corrected=True)
    sense = Sense(id=4, term="VCCQ", extended_name="I/O Supply")
    assert "“VCQQ”" in choose_sense(Lookup(mention=typo, senses=(sense,)), EVEN, {}).reason


def test_a_bare_question_asks_back_unless_the_asker_has_a_department() -> None:
    likely = contexts(Reliability=0.45, Packaging=0.12)
    question = "What does BE stand for?"
    assert choose_sense(BOTH, likely, {}, question=question).status == "ambiguous"
    own = choose_sense(BOTH, likely, {}, question=question, department="Packaging")
    assert own.sense == LINE


def test_a_pick_chooses_among_the_meanings_of_the_documents() -> None:
    mined = (replace(ERROR, state="draft"), replace(LINE, state="draft", source="rig.pdf"))
    lookup = Lookup(mention=MENTION, mined=mined, document_frequency=4)
    assert choose_sense(lookup, EVEN, {}).sense == mined[0]
    reading = choose_sense(lookup, EVEN, {}, picks=[SensePick(term="be", extended_name="back end")])
    assert (reading.status, reading.sense, reading.alternatives) == ("documents", mined[1], mined[:1])
    assert choose_sense(lookup, EVEN, {}, picks=[SensePick(term="BE", extended_name="Barn Owl")]).sense == mined[0]
