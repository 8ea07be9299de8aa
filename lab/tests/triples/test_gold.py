"""The hand labels that ship with the bench."""

from golden_lab.splits import Half
from golden_lab.triple_extraction.normalisation import normalise_triple
from golden_lab.triples.gold_labels import labelled_claims, labelled_texts
from golden_lab.triples.pipeline import NEAREST

HALVES: tuple[Half, Half] = ("fit", "score")


def test_there_are_enough_labels_in_both_halves() -> None:
    texts = [labelled_texts(part) for part in HALVES]
    claims = [labelled_claims(part) for part in HALVES]
    assert sum(map(len, texts)) >= 24
    assert sum(len(each.triples) for half in texts for each in half) >= 120
    assert sum(map(len, claims)) >= 120
    assert min(map(len, texts)) >= 10
    assert min(map(len, claims)) >= 50


def test_no_scene_and_no_text_is_in_both_halves() -> None:
    assert not {each.group for each in labelled_claims("fit")} & {each.group for each in labelled_claims("score")}
    assert not {each.id for each in labelled_texts("fit")} & {each.id for each in labelled_texts("score")}


def test_each_claim_has_seven_candidates_and_a_label_for_each() -> None:
    for each in (*labelled_claims("fit"), *labelled_claims("score")):
        sources = [one.source for one in each.claim.candidates]
        assert {name: sources.count(name) for name in NEAREST} == dict(NEAREST)
        assert len(each.supports) == len(sources)
        for number, one in enumerate(each.claim.candidates):
            assert one.rank == sources[:number].count(one.source)


def test_labelled_triples_are_claims_in_normal_form() -> None:
    for text in (*labelled_texts("fit"), *labelled_texts("score")):
        for triple in text.triples:
            normal = normalise_triple(triple)
            assert normal is not None, (text.id, triple.text)
            assert normal.text.casefold() == triple.text.casefold(), text.id
