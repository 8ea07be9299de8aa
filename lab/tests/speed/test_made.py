"""The made dictionary and its questions."""

import random
from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from contracts.jargon import Sense
from database.connection import open_database
from database.migrating import migrate
from golden_lab.speed.made_jargon import CONTEXTS, KINDS, import_dictionary, make_questions, make_senses, misspell
from jargon_db.folding import fold
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore


def test_equal_seeds_make_equal_dictionaries_and_larger_ones_begin_alike() -> None:
    small, large = make_senses(50, seed=3), make_senses(200, seed=3)
    assert small == make_senses(50, seed=3)
    assert large[: len(small)] == small
    assert small != make_senses(50, seed=4)
    assert len({sense.term for sense in large}) == 200


def test_terms_are_of_every_kind_and_no_spelling_comes_twice() -> None:
    senses = make_senses(400, seed=0)
    terms = {sense.term for sense in senses}
    assert any(term.isupper() and term.isalpha() for term in terms)
    assert any(" " in term for term in terms)
    assert any("_" in term for term in terms)
    assert any(term[0].islower() and term[1:].isupper() for term in terms)
    spellings = {sense.term: (sense.term, *sense.aliases) for sense in senses}
    folded = [fold(spelling) for each in spellings.values() for spelling in each]
    assert len(folded) == len(set(folded))
    # About a tenth of the terms have two or three senses, each in a context of its own.
    places = {term: [sense.context for sense in senses if sense.term == term] for term in terms}
    ambiguous = [each for each in places.values() if len(each) > 1]
    assert 15 <= len(ambiguous) <= 80
    assert all(len(set(each)) == len(each) and "" not in each for each in ambiguous)
    assert any(sense.aliases for sense in senses)


def test_the_importer_takes_the_dictionary_whole(tmp_path: Path) -> None:
    senses = make_senses(50, seed=1)
    engine = open_database(f"sqlite:///{tmp_path / 'golden.db'}")
    try:
        migrate(engine, DICTIONARY)
        store = JargonStore(engine)
        assert import_dictionary(store, senses, tmp_path) == len(senses)
        assert {each.name for each in CONTEXTS} <= {each.name for each in store.contexts()}
        stored = store.senses()
        assert {(s.term, s.extended_name, s.context, s.aliases) for s in stored} == {
            (s.term, s.extended_name, s.context, s.aliases) for s in senses
        }
        assert import_dictionary(store, senses, tmp_path) == 0
    finally:
        engine.dispose()


def test_questions_are_of_four_kinds_in_turn() -> None:
    small, large = make_senses(50, seed=2), make_senses(150, seed=2)
    questions = make_questions(small, large, count=10, seed=2)
    assert [question.kind for question in questions] == [KINDS[at % 4] for at in range(10)]
    assert questions == make_questions(small, large, count=10, seed=2)
    known = {sense.term for sense in small}
    taken = {fold(spelling) for sense in large for spelling in (sense.term, *sense.aliases)}
    for question in questions:
        assert "{" not in question.text
        written = [term in question.text for term in question.wanted]
        if question.kind == "known":
            assert set(question.wanted) <= known
            assert all(written)
        elif question.kind == "misspelt":
            assert set(question.wanted) <= known
            assert not all(written)
        elif question.kind == "unknown":
            assert all(written)
            assert not {fold(term) for term in question.wanted} & taken
        else:
            assert question.wanted == ()


def test_a_misspelling_swaps_two_letters_behind_the_first() -> None:
    assert {misspell("ABCC", random.Random(seed)) for seed in range(20)} == {"ACBC"}
    with pytest.raises(InvalidInput, match="no two letters"):
        misspell("ABBB", random.Random(0))


def test_a_misspelling_leads_to_one_term_only() -> None:
    pair = [Sense(id=1, term="ABCD", extended_name=""), Sense(id=2, term="AZYX", extended_name="")]
    # ACBD and ABDC come from ABCD; ACBD is a term itself, and ABDC comes from ADBC as well.
    others = [Sense(id=3, term="ACBD", extended_name=""), Sense(id=4, term="ADBC", extended_name="")]
    questions = make_questions(pair, pair + others, count=80, seed=1)
    assert {term for each in questions if each.kind == "misspelt" for term in each.wanted} == {"AZYX"}


def test_what_cannot_be_made_is_refused() -> None:
    senses = make_senses(20, seed=0)
    with pytest.raises(InvalidInput, match="too few"):
        make_questions(senses, senses, count=3, seed=0)
    with pytest.raises(InvalidInput, match="dictionary of 0 terms"):
        make_senses(0, seed=0)
