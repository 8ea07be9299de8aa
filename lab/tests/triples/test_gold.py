"""The hand labels that ship with the bench."""

from golden_lab.triple_extraction.normalisation import normalise_triple
from golden_lab.triples.gold_labels import labelled_claims, labelled_texts


def test_no_scene_and_no_text_is_in_both_halves() -> None:
    assert not {each.group for each in labelled_claims("fit")} & {each.group for each in labelled_claims("score")}
    assert not {each.id for each in labelled_texts("fit")} & {each.id for each in labelled_texts("score")}


def test_labelled_triples_are_claims_in_normal_form() -> None:
    for text in (*labelled_texts("fit"), *labelled_texts("score")):
        for triple in text.triples:
            normal = normalise_triple(triple)
            assert normal is not None, (text.id, triple.text)
            assert normal.text.casefold() == triple.text.casefold(), text.id
