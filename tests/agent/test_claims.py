"""The writer's own marks: read sentence by sentence, and never believed."""

from agent.claims import claims_of, weigh_claims
from contracts.provenance import Provenance
from contracts.verdicts import CitationLink, ClaimedSource, Draft
from tests.agent.scripted import passage

PASSAGES = [
    passage("a.pdf", 1, "The H4 lifts 400 kg. It is red."),
    passage("b.pdf", 2, "Hoists are heavy. The H4 lifts 400 kg."),
    passage("c.pdf", 3, "The H4 lifts 500 kg."),
    passage("d.pdf", 4, "Lunch is at noon."),
]


def draft(text: str, *claims: tuple[int, int] | tuple[int, int, int]) -> Draft:
    made = [ClaimedSource(position=each[0], passage=each[1], sentence=each[2] if each[2:] else None) for each in claims]
    return Draft(text=text, provenance=Provenance(implementation="test"), claims=tuple(made))


def link(sentence: int, number: int, *places: int) -> CitationLink:
    return CitationLink(sentence=sentence, passage=number, passage_sentences=places, score=0.7)


def test_a_mark_belongs_to_the_sentence_before_it_or_to_the_line_it_begins() -> None:
    text = "One is so. Two is so.\n- Three is so.\nFour is so."
    places = [text.index(word) for word in (". Two", " Two", ".\n- T", "\n- T", "Three", "Four")]
    found = claims_of(draft(text, (0, 9), *((place, number) for number, place in enumerate(places))))
    assert [[each.passage for each in claims] for claims in found] == [[9, 0, 1], [2, 3], [4], [5]]
    assert claims_of(draft("", (0, 1))) == ()


def test_of_passages_that_say_the_same_the_named_one_is_cited() -> None:
    text = "The H4 lifts 400 kg."
    (weighed,) = weigh_claims(draft(text, (19, 1)), [link(0, 0, 0)], PASSAGES)
    assert (weighed.passage, weighed.passage_sentences) == (1, (1,))
    assert weigh_claims(draft(text), [link(0, 0, 0)], PASSAGES) == (link(0, 0, 0),)


def test_a_mark_that_is_not_borne_out_changes_nothing() -> None:
    text = "The H4 lifts 400 kg."
    for wrong in (2, 3, 4, 77):
        assert weigh_claims(draft(text, (19, wrong)), [link(0, 0, 0)], PASSAGES) == (link(0, 0, 0),)
        assert weigh_claims(draft(text, (19, wrong)), [], PASSAGES) == ()
    # Nor does a right one make a link where the finder found none.
    assert weigh_claims(draft(text, (19, 1)), [], PASSAGES) == ()


def test_a_passage_is_cited_once_a_sentence() -> None:
    text = "The H4 lifts 400 kg."
    both = [link(0, 0, 0), link(0, 2, 0)]
    assert weigh_claims(draft(text, (19, 1)), both, PASSAGES) == (link(0, 1, 1), link(0, 2, 0))
    assert weigh_claims(draft(text, (19, 0), (19, 1)), both, PASSAGES)[0] == link(0, 0, 0)


def test_links_that_lead_nowhere_do_no_harm() -> None:
    text = "The H4 lifts 400 kg."
    strange = [link(5, 0, 0), link(0, 9, 0), link(0, 0, 17)]
    assert weigh_claims(draft(text, (19, 1)), strange, PASSAGES)[:2] == tuple(strange[:2])
