import pytest

from contracts.errors import Conflict
from contracts.grading import CRITERIA, GoldItem, Rubric
from golden_lab.judge.scoring_page import ScoringDesk, as_grade, build_scoring_ui, render_item, render_progress
from tests.ui.hostile import PAYLOADS, assert_harmless

RUBRICS = tuple(
    Rubric(criterion=name, asks=f"Is it {name}?", levels=tuple(f"{name} {grade}" for grade in range(1, 6)))
    for name in CRITERIA
)

WORST: dict[str, object] = {"relevance": 1, "faithfulness": 1, "completeness": 1}


def items(count: int = 3) -> tuple[GoldItem, ...]:
    return tuple(
        GoldItem(id=f"q{at}/gpt-9", question=f"Question {at}?", passage="P", answer=f"Answer {at}.", system="gpt-9")
        for at in range(count)
    )


def test_each_change_is_saved_once_with_its_item() -> None:
    saved: list[GoldItem] = []
    desk = ScoringDesk(items(), saved.append)
    assert desk.put(1, {"relevance": 4})
    assert not desk.put(1, {"relevance": 4})
    assert desk.put(1, {"faithfulness": 5, "completeness": 2, "explanation": "The unit is missing."})
    assert [item.id for item in saved] == ["q1/gpt-9", "q1/gpt-9"]
    expected = items()[1].model_copy(
        update={"relevance": 4, "faithfulness": 5, "completeness": 2, "explanation": "The unit is missing."}
    )
    assert saved[-1] == desk.items[1] == expected
    assert desk.scored == 1


def test_what_cannot_be_saved_is_not_held() -> None:
    def refuse(item: GoldItem) -> None:
        raise Conflict(f"{item.id}: somebody else wrote the file")

    desk = ScoringDesk(items(), refuse)
    with pytest.raises(Conflict):
        desk.put(0, WORST)
    assert desk.items == items()


def test_next_unscored_goes_around() -> None:
    desk = ScoringDesk(items(), lambda item: None)
    desk.put(1, WORST)
    assert desk.next_unscored(0) == 2
    assert desk.next_unscored(2) == 0
    desk.put(0, WORST)
    desk.put(2, {**WORST, "completeness": None})
    assert desk.next_unscored(2) == 2
    desk.put(2, WORST)
    assert desk.next_unscored(0) is None


@pytest.mark.parametrize("sent", [0, 6, True, "5", 4.5, None, [5], float("nan")])
def test_only_whole_grades_count(sent: object) -> None:
    assert as_grade(sent) is None


@pytest.mark.parametrize(
    ("sent", "place"), [(1, 1), (-4, 0), (99, 2), (None, 0), ("2", 0), (float("nan"), 0), (1.0, 1)]
)
def test_a_place_is_always_in_the_set(sent: object, place: int) -> None:
    assert ScoringDesk(items(), lambda item: None).place(sent) == place


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_texts_are_shown_not_run(payload: str) -> None:
    item = GoldItem(id="1", question=payload, passage=payload, answer=payload, reference=payload)
    page = assert_harmless(render_item(item))
    assert len(page.select("h2")) == 4


def test_the_system_and_the_id_are_not_shown() -> None:
    shown = render_item(items()[0])
    assert "gpt-9" not in shown
    assert "Answer 0." in shown


def test_empty_texts_say_so() -> None:
    shown = render_item(GoldItem(id="1", question="Q?", passage=" ", answer=""))
    assert "There is no passage." in shown
    assert "The answer is empty." in shown


def test_progress_counts_scored_answers() -> None:
    desk = ScoringDesk(items(), lambda item: None)
    desk.put(0, WORST)
    shown = render_progress(desk, 1, saved=False)
    assert "Answer 2 of 3 · 1 scored" in shown
    assert "Not saved" in shown


def test_the_page_needs_items_and_the_rubrics_in_order() -> None:
    with pytest.raises(ValueError, match="nothing to score"):
        build_scoring_ui((), lambda item: None, RUBRICS)
    with pytest.raises(ValueError, match="relevance, faithfulness, completeness"):
        build_scoring_ui(items(), lambda item: None, RUBRICS[::-1])
