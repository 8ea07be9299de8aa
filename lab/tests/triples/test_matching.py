"""The hand labels, and when an extracted triple is one of them."""

import pytest

from golden_lab.triple_extraction.normalisation import normalise_triple
from golden_lab.triples.gold_labels import labelled_claims, labelled_texts
from golden_lab.triples.match import match_loosely, match_triples
from lab.tests.triples.builders import triple


def test_no_scene_and_no_text_is_in_both_halves() -> None:
    assert not {each.group for each in labelled_claims("fit")} & {each.group for each in labelled_claims("score")}
    assert not {each.id for each in labelled_texts("fit")} & {each.id for each in labelled_texts("score")}


def test_labelled_triples_are_claims_in_normal_form() -> None:
    for text in (*labelled_texts("fit"), *labelled_texts("score")):
        for labelled in text.triples:
            normal = normalise_triple(labelled)
            assert normal is not None, (text.id, labelled.text)
            assert normal.text.casefold() == labelled.text.casefold(), text.id


def test_other_spellings_of_a_claim_match_and_other_claims_do_not(subtests: pytest.Subtests) -> None:
    for predicted, gold, hits in [
        ("the pumps | must deliver | 5V", "pump | shall deliver | 5 V", 1),
        ("pump | shall deliver at least | 5 V", "pump | shall deliver ≥ | 5 V", 1),
        ("relay card (RC-8) | reports | coil voltage", "RC-8 relay card | reports | coil voltage", 1),
        ("staff | can work | from home", "staff | can work from | home", 1),
        ("pump | delivers | 6 V", "pump | delivers | 5 V", 0),
        ("pump | delivers ≥ | 5 V", "pump | delivers ≤ | 5 V", 0),
        ("pump | does not deliver | oil", "pump | delivers | oil", 0),
        ("pump | should deliver | oil", "pump | shall deliver | oil", 0),
        ("fan | delivers | oil", "pump | delivers | oil", 0),
        ("pump | delivers | oil", "pump | delivers | hot water and steam to the third floor", 0),
    ]:
        with subtests.test(predicted=predicted, gold=gold):
            assert match_triples([triple(predicted)], [triple(gold)]).hits == hits


def test_pairs_are_one_to_one_and_as_many_as_can_be() -> None:
    gold = [triple("pump | delivers | hot oil"), triple("pump | delivers | oil")]
    matching = match_triples([triple("pump | delivers | hot oil"), triple("pump | delivers | hot oil fast")], gold)
    assert matching.pairs == ((0, 1), (1, 0)) or matching.pairs == ((0, 0), (1, 1))
    twice = match_triples([triple("pump | delivers | oil")] * 2, gold[1:])
    assert (twice.hits, twice.predicted, twice.gold) == (1, 2, 1)


def test_loose_matching_asks_only_for_words() -> None:
    predicted, listed = triple("oil pump of the city | was built | in 1990"), triple("city | oil pump built | 1990")
    assert match_triples([predicted], [listed]).hits == 1
    assert match_loosely([triple("He | moved to | Rome in 1990")], [triple("Rome | moved 1990 | he")]).hits == 1
    assert match_loosely([triple("He | left | Rome")], [triple("ship | reached | harbour")]).hits == 0
    assert match_loosely([], [triple("a | is | b")]).hits == 0
