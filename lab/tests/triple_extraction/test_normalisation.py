"""The normal form of claims, by the rules of TRIFEX, appendix C.1."""

import pytest

from golden_lab.triple_extraction.normalisation import normalise_all, normalise_subject, normalise_triple
from golden_lab.triples.triple import Triple


def test_subjects_are_lower_case_singular_without_articles(subtests: pytest.Subtests) -> None:
    for written, normal in [
        ("The Power Stage Modules", "power stage module"),
        ("IAMP175 instrumentation amplifier", "instrumentation amplifier (IAMP175)"),
        ("the reference regulator RG7444", "reference regulator (RG7444)"),
        ("IAMP175", "IAMP175"),
        ("The system", "System"),
        ("it", "System"),
        ("System (Strain Sense Pro)", "System (Strain Sense Pro)"),
        ("All Employees", "employee"),
        ("the batteries of the drone", "battery of the drone"),
        ("ADCs", "ADC"),
        ("The address bus", "address bus"),
        ("Series", "series"),
    ]:
        with subtests.test(written=written):
            assert normalise_subject(written) == normal


def test_modality_and_comparator_stand_in_the_predicate(subtests: pytest.Subtests) -> None:
    for predicate, value, expected in [
            ("must deliver", "at least 4.72V", ("shall deliver ≥", "4.72 V")),
            ("will maintain at least", "85 %", ("shall maintain ≥", "85%")),
                ("shall maintain", ">= 85%", ("shall maintain ≥", "85%")),
            ("was measured at", "225mV", ("has measured =", "225 mV")),
            ("has been observed to be below", "3 A", ("has measured <", "3 A")),
            ("anticipates", "no more than 5 W", ("targets ≤", "5 W")),
            ("targets", "0.5 W", ("targets =", "0.5 W")),
                ("may use", "an external clock", ("may use", "external clock")),
            ("has to stop", "the motor", ("shall stop", "motor")),
            ("are", "blue", ("is", "blue")),
            ("support", "SPI", ("supports", "SPI")),
            ("must not exceed", "40 °C", ("shall be ≤", "40 °C")),
                ("does not exceed", "2 A", ("is ≤", "2 A")),
            ("accepts", "90–264 VAC", ("accepts", "90 to 264 VAC")),
            ("lasts", "12 hours or more", ("lasts ≥", "12 hours")),
            ("delivers", "peak efficiency greater than 85% across 100 to 425 VDC",
             ("delivers >", "peak efficiency 85% across 100 to 425 VDC")),
            ("cannot exceed the limits of", "the battery", ("can not exceed the limits of", "battery")),
            ("was built in", "the 1990s", ("was built in", "1990s")),
        ]:  # fmt: skip
        with subtests.test(predicate=predicate, value=value):
            normal = normalise_triple(Triple(subject="unit", predicate=predicate, object=value))
            assert normal is not None
            assert (normal.predicate, normal.object) == expected


def test_what_says_nothing_is_left_out() -> None:
    assert normalise_triple(Triple(subject="a", predicate="is", object="...")) is None
    assert normalise_triple(Triple(subject="the pump", predicate="is", object="pump")) is None


def test_the_same_claim_stands_once_and_keeps_its_first_sentence() -> None:
    first = Triple(subject="The pump", predicate="must reach", object="5V", sentence=2)
    again = Triple(subject="pump", predicate="shall reach", object="5 V", sentence=7)
    assert normalise_all([first, again]) == (Triple(subject="pump", predicate="shall reach", object="5 V", sentence=2),)


def test_normal_form_is_stable() -> None:
    for subject, predicate, value in [
        ("The LX200 relay cards", "will switch", "up to 10A"),
        ("They", "observed", "3mV"),
    ]:
        once = normalise_triple(Triple(subject=subject, predicate=predicate, object=value))
        assert once is not None
        assert normalise_triple(once) == once
