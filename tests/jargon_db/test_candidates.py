import pytest

from contracts.jargon import MinedTerm
from jargon_db.folding import loose_name, loose_term
from jargon_db.store import JargonStore


def mined(term: str, name: str, *, page: int = 1, score: float = 0.9, document: str = "a.pdf") -> MinedTerm:
    evidence = f"The {name} ({term}) is here."
    return MinedTerm(term=term, extended_name=name, evidence=evidence, page=page, score=score, document=document)


def test_mined_terms_wait_as_drafts_with_their_evidence(store: JargonStore) -> None:
    assert store.add_candidates([mined("PLR", "Physical Layer Retransmission", page=4)]) == 1
    (candidate,) = store.candidates()
    assert (candidate.sense.term, candidate.sense.state) == ("PLR", "draft")
    assert candidate.sense.source == "a.pdf, page 4"
    (evidence,) = candidate.evidence
    assert (evidence.document, evidence.page, evidence.score) == ("a.pdf", 4, 0.9)
    assert evidence.sentence == "The Physical Layer Retransmission (PLR) is here."
    assert store.look_up(["PLR"]) == {"PLR": ()}
    store.set_state(candidate.sense.id, "published")
    assert store.look_up(["PLR"])["PLR"][0].extended_name == "Physical Layer Retransmission"
    assert store.candidates() == ()


def test_the_same_in_other_words_is_one_candidate(store: JargonStore) -> None:
    found = [
        mined("ECC", "Error-Correcting Code", score=0.8),
        mined("ECCs", "error correcting codes", page=2, score=0.7),
        mined("ECC", "Error Correcting Code", page=3, score=0.95),
    ]
    assert store.add_candidates(found) == 1
    (candidate,) = store.candidates()
    assert candidate.sense.extended_name == "Error Correcting Code"
    assert [evidence.page for evidence in candidate.evidence] == [3, 1, 2]


def test_mining_again_changes_nothing(store: JargonStore) -> None:
    found = [mined("PLR", "Physical Layer Retransmission"), mined("ECC", "Error Correcting Code")]
    assert store.add_candidates(found) == 2
    before = (store.version(), store.candidates())
    assert store.add_candidates([*found, *found]) == 0
    assert (store.version(), store.candidates()) == before


@pytest.mark.parametrize("state", ["published", "rejected"])
def test_what_was_decided_is_not_offered_again(store: JargonStore, state: str) -> None:
    store.add_sense("PLR", "Physical Layer Retransmission", context="Protocols", state=state)  # type: ignore[arg-type]
    version = store.version()
    assert store.add_candidates([mined("PLRs", "physical-layer retransmissions")]) == 0
    assert store.candidates() == ()
    assert store.version() == version


def test_a_candidate_shows_the_published_senses_it_contradicts(store: JargonStore) -> None:
    published = store.add_sense("PLR", "Parts Lost Ratio", context="Test")
    store.add_sense("ECC", "Error Correcting Code")
    store.add_candidates([mined("PLR", "Physical Layer Retransmission"), mined("NAK", "Not Acknowledged", score=0.5)])
    contradicting, other = store.candidates()
    assert contradicting.conflicts == (published,)
    assert other.conflicts == ()


def test_what_could_be_no_sense_is_passed_over(store: JargonStore) -> None:
    found = [mined("", "Nothing"), mined("X", ""), mined("LONG", "x" * 500), mined("OK", "All Right")]
    assert store.add_candidates(found) == 1


def test_a_forgotten_document_takes_its_evidence_and_lone_drafts_along(store: JargonStore) -> None:
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


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("ECC", "ECCs", True),
        ("ECC", "ecc", True),
        ("ECS", "EC", False),
        ("PIN", "PINS", False),
        ("Wi-Fi", "WiFi", True),
    ],
)
def test_terms_compare_without_plural_and_hyphen(one: str, other: str, same: bool) -> None:
    assert (loose_term(one) == loose_term(other)) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Error-Correcting Codes", "error correcting code", True),
        ("co-processor", "Coprocessors", True),
        ("memory entries", "memory entry", True),
        ("test boxes", "test box", True),
        ("bus", "bu", False),
        ("process", "proces", False),
        ("analysis", "analysi", False),
        ("Parts Lost", "Parts List", False),
    ],
)
def test_names_compare_without_plural_and_hyphen(one: str, other: str, same: bool) -> None:
    assert (loose_name(one) == loose_name(other)) is same
