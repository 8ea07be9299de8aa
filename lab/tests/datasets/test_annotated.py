"""What is read from the public sets: which rows, which half, which truth, and where sentences stand."""

from pathlib import Path

from golden_lab.datasets.annotated import (
    expertqa_claims,
    wice_attributions,
    wice_claims,
)
from lab.tests.benchmarks import annotated_sets as sets


def test_only_the_scored_half_of_wice_is_read(tmp_path: Path) -> None:
    sets.write_wice(tmp_path)
    scored = sets.groups_of("wice", "score", 2)
    claims, attributions = wice_claims(tmp_path), wice_attributions(tmp_path)
    assert [(each.group, each.supported) for each in claims] == [(scored[0], True), (scored[1], False)]
    assert [each.id for each in attributions] == scored
    # Line 11 is the second sentence of the second passage of ten.
    assert attributions[0].annotations == (frozenset({(1, 1)}), frozenset({(0, 3), (1, 1)}))
    assert attributions[0].passages[1].sentence(1) == sets.FACT
    assert attributions[1].annotations == ()


def test_claims_without_a_text_as_evidence_are_left_out(tmp_path: Path) -> None:
    sets.write_expertqa(tmp_path)
    claims = expertqa_claims(tmp_path)
    assert [(each.id, each.label, each.supported) for each in claims] == [
        ("0", "Complete", True), ("1", "Incomplete", False),
    ]  # fmt: skip
    assert [[passage.text for passage in each.passages] for each in claims] == [[sets.FACT], [sets.FACT, sets.OTHER]]
