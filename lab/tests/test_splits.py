"""Groups of a data set: who may learn from them, and who scores on them."""

from collections import Counter

from golden_lab.splits import half, part_of

GROUPS = [f"article {number}" for number in range(4_000)]


def test_a_group_that_is_scored_on_is_no_part_of_what_is_learnt_from():
    for group in GROUPS:
        assert (part_of("wice", group) == "score") == (half("wice", group) == "score")


def test_three_quarters_of_the_fit_half_train_and_a_tenth_stops():
    shares = Counter(part_of("wice", group) for group in GROUPS if half("wice", group) == "fit")
    learnt = sum(shares.values())
    assert abs(shares["train"] / learnt - 0.75) < 0.03
    assert abs(shares["dev"] / learnt - 0.10) < 0.03
    assert abs(shares["calibration"] / learnt - 0.15) < 0.03


def test_a_split_that_nobody_scores_is_parted_whole():
    shares = Counter(part_of("squad2", group, whole=True) for group in GROUPS)
    assert set(shares) == {"train", "dev", "calibration"}
    assert abs(shares["train"] / len(GROUPS) - 0.75) < 0.03


def test_a_group_keeps_its_part_in_every_file_of_its_set():
    assert all(part_of("mtrag/tasks.jsonl.gz", group) == part_of("mtrag", group) for group in GROUPS)
