"""Mined candidates: offered, forgotten, published; and terms merged, with the evidence of both."""

import pytest

from contracts.errors import Conflict, InvalidInput, NotFound
from jargon_db.normalization import loose_name, loose_term
from jargon_db.store import JargonStore
from tests.models import change_sense, mined, replace


def test_spelling_variants_are_one_candidate_and_mining_is_idempotent(store: JargonStore) -> None:
    found = [
        mined("ECC", "Error-Correcting Code", score=0.8),
        mined("ECCs", "error correcting codes", page=2, score=0.7),
        mined("ECC", "Error Correcting Code", page=3, score=0.95),
        mined("ECS", "Error Codes", score=0.5),
        mined("ecs", "error codes", page=2, score=0.4),
    ]
    assert store.add_candidates(found) == 2
    before = (store.version(), store.candidates())
    assert [candidate.sense.extended_name for candidate in before[1]] == ["Error Correcting Code", "Error Codes"]
    assert [[evidence.page for evidence in each.evidence] for each in before[1]] == [[3, 1, 2], [1, 2]]
    assert store.add_candidates([*found, *found]) == 0
    assert (store.version(), store.candidates()) == before
    unusable = [mined("", "Nothing"), mined("X", ""), mined("LONG", "x" * 500)]
    assert store.add_candidates([*unusable, mined("OK", "All Right")]) == 1


def test_decided_candidate_is_not_offered_again(store: JargonStore) -> None:
    store.add_sense("PLR", "Physical Layer Retransmission", context="Protocols")
    store.add_sense("ECC", "Error Correcting Code", state="rejected")
    version = store.version()
    again = [mined("PLRs", "physical-layer retransmissions"), mined("ECC", "error-correcting codes")]
    assert store.add_candidates(again) == 0
    assert (store.candidates(), store.version()) == ((), version)


def test_forgetting_a_document_removes_its_evidence_and_its_drafts(store: JargonStore) -> None:
    store.add_candidates(
        [
            mined("PLR", "Physical Layer Retransmission"),
            mined("PLR", "Physical Layer Retransmission", document="b.pdf"),
            mined("ECC", "Error Correcting Code"),
            mined("NAK", "Not Acknowledged"),
        ]
    )
    by_hand = store.add_sense("OWN", "By Hand", state="draft")
    published = store.set_state(store.senses(term="NAK")[0].id, "published")
    assert store.forget_document("a.pdf") == 1
    assert {sense.term for sense in store.senses()} == {"PLR", "OWN", "NAK"}
    assert by_hand in store.senses(state="draft")
    assert published in store.senses(state="published")
    by_term = {candidate.sense.term: candidate for candidate in store.candidates()}
    assert [evidence.document for evidence in by_term["PLR"].evidence] == ["b.pdf"]
    assert by_term["OWN"].evidence == ()


def test_a_draft_names_a_source_that_is_still_there(store: JargonStore) -> None:
    name = "Physical Layer Retransmission"
    places = [("a.pdf", 4, 0.9), ("b.pdf", 2, 0.5), ("c.pdf", 3, 0.8)]
    store.add_candidates([mined("PLR", name, page=page, score=score, document=file) for file, page, score in places])
    store.forget_document("a.pdf")
    assert store.senses()[0].source == "c.pdf, page 3"
    change_sense(store, replace(store.senses()[0], source="My own handbook"))
    store.forget_document("c.pdf")
    assert store.senses()[0].source == "My own handbook"
    version = store.version()
    assert store.forget_document("absent.pdf") == 0
    assert store.version() == version


def test_edited_draft_outlives_its_document(store: JargonStore) -> None:
    store.add_candidates([mined("PLR", "Physical Layer Retransmission"), mined("ECC", "Error Correcting Code")])
    draft = store.senses(term="PLR")[0]
    change_sense(store.acting_as("Ada"), replace(draft, description="Repeats frames."))
    assert store.forget_document("a.pdf") == 1
    kept = replace(draft, description="Repeats frames.", source="")
    assert store.senses() == (kept,)
    assert store.add_candidates([mined("PLR", "Physical Layer Retransmission", page=7)]) == 0
    assert [place.page for place in store.candidates()[0].evidence] == [7]


def test_several_candidates_are_published_together_or_not_at_all(store: JargonStore) -> None:
    store.add_candidates([mined("PLR", "Physical Layer Retransmission"), mined("ECC", "Error Correcting Code")])
    one, other = (candidate.sense for candidate in store.candidates())
    with pytest.raises(NotFound):
        store.set_states([one.id, 999], "published")
    change_sense(store, replace(other, description="Changed."))
    with pytest.raises(Conflict, match="version 2"):
        store.set_states([one.id, other.id], "published", versions={one.id: 1, other.id: 1})
    assert store.vocabulary().terms == {}
    made = store.set_states([one.id, other.id, one.id], "published", versions={other.id: 2})
    assert [(sense.id, sense.state) for sense in made.items] == [(one.id, "published"), (other.id, "published")]
    last, first = store.history(limit=2)
    assert (last.action, last.batch) == ("publish", first.number)
    version = store.version()
    store.set_states([one.id, other.id], "published")
    assert store.version() == version
    store.undo(last.number)
    assert len(store.candidates()) == 2


def test_contradictory_drafts_are_not_published_by_score(store: JargonStore) -> None:
    published = store.add_sense("PLR", "Parts Lost Ratio", context="Test")
    store.add_candidates(
        [
            mined("PLR", "Physical Layer Retransmission"),
            mined("ECC", "Error Correcting Code", score=0.8),
            mined("NAK", "Not Acknowledged", score=0.79),
            mined("SDR", "Single Data Rate"),
            mined("SDRs", "Software-Defined Radios"),
        ]
    )
    store.add_sense("OWN", "By Hand", state="draft")
    seen = store.choose_drafts(0.8)
    made = store.publish_drafts(0.8)
    assert (made.published, made.kept) == (seen.published, seen.kept)
    assert [candidate.sense.term for candidate in seen.published] == ["ECC"]
    conflicts = {each.sense.term: [other.term for other in each.conflicts] for each in seen.kept}
    assert conflicts == {"PLR": ["PLR"], "SDR": ["SDRs"], "SDRs": ["SDR"]}
    assert {sense.term for sense in store.senses(state="published")} == {"PLR", "ECC"}
    assert published in seen.kept[0].conflicts
    assert {sense.term for sense in store.senses(state="draft")} == {"PLR", "NAK", "SDR", "SDRs", "OWN"}


def test_terms_and_names_compare_without_plural_and_hyphen(subtests: pytest.Subtests) -> None:
    for loose, one, other, same in [
        (loose_term, "ECC", "ECCs", True),
        (loose_term, "PIN", "PINS", False),
        (loose_term, "Wi-Fi", "WiFi", True),
        (loose_name, "Error-Correcting Codes", "error correcting code", True),
        (loose_name, "memory entries", "memory entry", True),
        (loose_name, "bus", "bu", False),
        (loose_name, "Parts Lost", "Parts List", False),
    ]:
        with subtests.test(one=one, other=other):
            assert (loose(one) == loose(other)) is same


def test_senses_and_aliases_move_and_the_old_spelling_becomes_an_alias(store: JargonStore) -> None:
    own = store.add_sense("PLR", "Physical Layer Retransmission", context="Protocols", aliases=["retry"])
    moved = store.add_sense("PHYR", "Parts Lost Ratio", context="Test", aliases=["PLR", "phyr rate"])
    result = tuple(each.sense for each in store.acting_as("Ada").merge_terms("phyr", "PLR").items)
    assert result == (
        replace(own, aliases=("retry", "PHYR")),
        replace(moved, term="PLR", aliases=("phyr rate", "PHYR")),
    )
    assert store.senses() == result
    assert store.look_up(["phyr"])["phyr"] == result
    assert store.vocabulary().terms == {"PHYR": ("PLR",), "PLR": ("PLR",), "phyr rate": ("PLR",), "retry": ("PLR",)}
    assert [(change.who, change.action) for change in store.history(limit=2)] == [("Ada", "merge")] * 2
    undone = store.undo(store.history()[1].number)
    assert store.senses() == (moved, own)
    assert [(change.action, change.after) for change in store.history(limit=2)] == [("undo", own), ("undo", moved)]
    store.undo(undone)
    assert store.senses() == result
    change_sense(store, replace(result[0], notes="since"))
    with pytest.raises(Conflict, match="'since'"):
        store.undo(store.history("PHYR")[1].number)


def test_meaning_that_both_terms_have_is_kept_once(store: JargonStore) -> None:
    kept = store.add_sense("LUN", "Logical Unit Number", notes="kept", state="draft", aliases=["unit"])
    gone = store.add_sense("LU", "logical unit number", notes="gone", description="An address.", aliases=["Unit", "L"])
    store.add_sense("LU", "Local Unit", state="rejected")
    store.add_candidates([mined("LUN", "Logical Unit Number", document) for document in "bc"])
    made = store.merge_terms("LU", "LUN").items
    merged, rejected = sorted((each.sense for each in made), key=lambda sense: sense.extended_name, reverse=True)
    assert (rejected.term, rejected.state) == ("LUN", "rejected")
    merge = store.history()[0].number
    assert merged == replace(kept, description="An address.", aliases=("unit", "LU", "L"), state="published")
    assert gone.id not in {sense.id for sense in store.senses()}
    store.undo(merge)
    assert {kept, gone} <= set(store.senses())


def test_merged_sense_keeps_the_evidence_of_both(store: JargonStore) -> None:
    places = (("LUN", "a"), ("LU", "a"), ("LU", "b"))
    store.add_candidates([mined(term, "Logical Unit Number", file) for term, file in places])
    store.merge_terms("LU", "LUN")
    (candidate,) = store.candidates()
    assert sorted(each.document for each in candidate.evidence) == ["a", "b"]
    store.undo(store.history()[0].number)
    assert {each.sense.term: len(each.evidence) for each in store.candidates()} == {"LUN": 2, "LU": 2}


def test_merge_distinguishes_letter_case_of_ambiguous_terms(store: JargonStore) -> None:
    for term, name in (("MB", "Megabyte"), ("Mb", "Megabit"), ("Bit", "Binary Digit")):
        store.add_sense(term, name)
    with pytest.raises(InvalidInput, match="MB, Mb"):
        store.merge_terms("Bit", "mb")
    with pytest.raises(InvalidInput, match="into itself"):
        store.merge_terms("MB", "MB")
    for old, new in (("ABSENT", "MB"), ("MB", "ABSENT")):
        with pytest.raises(NotFound, match="'ABSENT'"):
            store.merge_terms(old, new)
    assert [sense.aliases for sense in store.merge_terms("Mb", "MB").items] == [("Mb",), ("Mb",)]
