"""Merging two terms."""

import pytest

from contracts.errors import Conflict, InvalidInput, NotFound
from jargon_db.store import JargonStore
from tests.models import change_sense, mined, replace


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
    assert [(change.action, change.after) for change in undone] == [("undo", moved), ("undo", own)]
    store.undo(undone[0].number)
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
    store.add_candidates(
        [mined(term, "Logical Unit Number", file) for term, file in (("LUN", "a"), ("LU", "a"), ("LU", "b"))]
    )
    store.merge_terms("LU", "LUN")
    (candidate,) = store.candidates()
    assert sorted(each.document for each in candidate.evidence) == ["a", "b"]
    store.undo(store.history()[0].number)
    assert {each.sense.term: len(each.evidence) for each in store.candidates()} == {"LUN": 2, "LU": 2}


def test_merge_distinguishes_letter_case_of_ambiguous_terms(store: JargonStore) -> None:
    for term, name in (("MB", "Megabyte"), ("Mb", "Megabit"), ("Bit", "Binary Digit")):
        store.add_sense(term, name)
    with pytest.raises(InvalidInput, match="MB or Mb"):
        store.merge_terms("Bit", "mb")
    with pytest.raises(InvalidInput, match="into itself"):
        store.merge_terms("MB", "MB")
    for old, new in (("ABSENT", "MB"), ("MB", "ABSENT")):
        with pytest.raises(NotFound, match="'ABSENT'"):
            store.merge_terms(old, new)
    assert [sense.aliases for sense in store.merge_terms("Mb", "MB").items] == [("Mb",), ("Mb",)]
