"""Training data of the cross-encoder: labels and answer positions are correct, and no scored data is used."""

import random
import re
from collections import defaultdict
from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from golden_lab.manuals.questions import ManualQuestion
from golden_lab.splits import part_of
from golden_lab.training.cross_encoder.asked_examples import asked_examples
from golden_lab.training.cross_encoder.examples import CrossEncoderExample
from golden_lab.training.cross_encoder.manual_examples import manual_examples
from golden_lab.training.cross_encoder.public_examples import mtrag_examples, squad2_examples, squad_examples
from golden_lab.training.cross_encoder.run import gather_examples
from golden_lab.training.cross_encoder.table_examples import table_examples
from lab.tests.training.cross_encoder.samples import MANUAL, write_manual, write_sets
from tests.conformance.reading_cases import make_passage

BySource = dict[str, list[CrossEncoderExample]]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sets(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def of_manual(tmp_path_factory: pytest.TempPathFactory) -> BySource:
    """The examples of many random draws from one manual."""
    folder = write_manual(tmp_path_factory.mktemp("manuals"))
    return by_source(each for seed in range(30) for each in manual_examples(folder, random.Random(seed), most_files=5))


def by_source(examples) -> BySource:
    found = defaultdict(list)
    for each in examples:
        found[each.source].append(each)
    return found


def asks(example: CrossEncoderExample, word: str) -> bool:
    """Return whether the question contains ``word``, possibly with two letters swapped."""
    return any(sorted(each) == sorted(word) for each in re.findall(r"\w+", example.question.lower()))


def answer(example: CrossEncoderExample) -> str:
    return example.text[example.span.start : example.span.end]


def test_answer_span_is_marked_and_near_misses_do_not_contain_it(data: Path) -> None:
    found = by_source(example for _, example in squad_examples(data, random.Random(1), share=1.0))
    assert {"squad/answered", "squad/sentence_absent", "squad/near_paragraph", "squad/name_swapped"} <= set(found)
    for source, examples in found.items():
        for each in examples:
            assert each.answered == (source == "squad/answered") == (each.span is not None)
    assert all(re.fullmatch(r"19\d\d", answer(each)) for each in found["squad/answered"])
    assert not any(re.search(r"19\d\d", each.text) for each in found["squad/sentence_absent"])


def test_human_written_unanswerable_questions_are_negative_examples(data: Path) -> None:
    for _, each in squad2_examples(data, random.Random(1)):
        assert each.answered == asks(each, "built")
        assert not each.answered or answer(each) == "1900"


def test_judged_passages_keep_their_label(data: Path) -> None:
    for _, each in mtrag_examples(data, random.Random(1)):
        assert each.answered == each.text.endswith("is long.")


def test_examples_come_from_the_train_part_only(data: Path, tmp_path: Path) -> None:
    learnt, held = gather_examples(data, None, seed=7, tables_per_subject=1)
    for part, examples in (("train", learnt), ("dev", held)):
        for each in examples:
            town = re.search(r"Town \d+", each.text) or re.search(r"Town \d+", each.place)
            if town is not None:
                set_name = each.source.split("/")[0]
                whole = set_name == "squad"
                assert part_of("squad2" if whole else set_name, town.group(), whole=whole) == part
    assert gather_examples(data, None, seed=7, tables_per_subject=1) == (learnt, held)
    with pytest.raises(InvalidInput, match="train_v1"):
        gather_examples(tmp_path, None, seed=7, tables_per_subject=1)


def test_asked_question_yields_its_answer_and_near_misses() -> None:
    own = make_passage("The pump holds 12 litres. It weighs 9 kg.\n\nThe hall is open on Mondays.\n\n- cold\n- dark")
    other = make_passage("The pump was tested in the hall for a year, and nothing was found.")
    asked = ManualQuestion(
        id="q", corpus="training", half="training", kind="fact", question="how much goes into the pump",
        document="pump.html", quote="The pump holds 12 litres.", passage=own.text[:20],
    )  # fmt: skip
    answered, *near = list(asked_examples(asked, [own, other], random.Random(1)))
    assert (answered.answered, answer(answered)) == (True, asked.quote)
    assert "The hall is open on Mondays." in {each.text for each in near}
    assert other.text in {each.text for each in near}
    assert not any(each.answered or asked.quote in each.text for each in near)
    missing = asked.model_copy(update={"kind": "unanswerable", "question": "how old is the pump", "quote": ""})
    misses = list(asked_examples(missing, [other, own], random.Random(1)))
    assert misses
    assert all(not each.answered and each.text in own.text for each in misses)


def test_section_answers_its_own_heading_only(of_manual: BySource) -> None:
    for each in of_manual["manual/section"]:
        assert each.answered
        assert ("flat floor" in each.text) == asks(each, "install")
    for each in of_manual["manual/other_section"]:
        assert not each.answered
        assert not (asks(each, "install") and "flat floor" in each.text)


def test_answer_span_is_the_line_of_the_term(of_manual: BySource) -> None:
    assert {answer(each) for each in of_manual["manual/term"]} == {
        "- speed_limit: How fast the wheel may turn at most, in turns each minute.",
        "- quiet_mode: Turns the wheel slowly at night, so that nobody is woken.",
    }
    for each in of_manual["manual/term"]:
        assert asks(each, answer(each)[2:].split(":")[0])
    assert of_manual["manual/other_term"]
    assert not any(each.answered for each in of_manual["manual/other_term"])


def test_a_cell_is_the_answer_to_its_row_and_column(of_manual: BySource) -> None:
    rows = {
        "100": ("about 12 V", "about 3 kg"),
        "200": ("about 24 V", "about 5 kg"),
        "300": ("about 48 V", "about 9 kg"),
    }
    assert of_manual["manual/cell"]
    for each in of_manual["manual/cell"]:
        (row,) = [number for number in rows if asks(each, number)]
        assert answer(each) == rows[row][0 if asks(each, "voltage") else 1]
        assert each.text.startswith("Model | Voltage | Weight\n")
    for each in of_manual["manual/other_row"]:
        assert not each.answered
        assert not any(asks(each, number) and f"P-{number}" in each.text for number in rows)


def test_missing_attribute_is_a_negative_example(of_manual: BySource) -> None:
    absent = of_manual["manual/attribute_absent"]
    assert absent
    assert not any(each.answered for each in absent)
    # The text states how fast the wheel turns, so no example is labelled as if it did not.
    assert not any("how fast" in each.question and "How fast" in each.text for each in absent)


def test_manuals_in_other_languages_are_left_out(tmp_path: Path) -> None:
    folder = write_manual(tmp_path)
    (folder / "pump-doc" / "html" / "index.html").unlink()
    assert list(manual_examples(folder, random.Random(1), most_files=5)) == []


@pytest.mark.parametrize("place", ["pump-doc/html/index.html", "pump-doc/usr/share/doc/pump-doc/html/index.html"])
def test_a_manual_whose_questions_are_kept_apart_is_left_out(tmp_path: Path, place: str) -> None:
    for path in (tmp_path / place, tmp_path / "wheel-doc/html/index.html"):
        path.parent.mkdir(parents=True)
        path.write_text(MANUAL, encoding="utf-8")

    def count(*held_out: str) -> int:
        return len(list(manual_examples(tmp_path, random.Random(1), most_files=5, held_out=held_out)))

    assert 0 < count("pump-doc-doc-pump-doc-html-index.html") < count("other-doc-doc-other-doc-html-index.html")


def test_table_answers_only_with_matching_row_column_and_cell(subtests: pytest.Subtests) -> None:
    examples = list(table_examples(random.Random(4), tables_per_subject=8))
    assert {part for part, _ in examples} == {"train", "dev"}
    assert not {each.place.split(" > ")[0] for part, each in examples if part == "train" and each.place} & {
        each.place.split(" > ")[0] for part, each in examples if part == "dev" and each.place
    }
    made = by_source(each for _, each in examples)
    for cell in made["table/cell"]:
        header, *rows = (line.split(" | ") for line in cell.text.splitlines())
        row = next(row for row in rows if answer(cell) in row)
        same = [each for each in (*made["table/other_column"], *made["table/other_row"], *made["table/empty_cell"])
                if each.question.casefold() == cell.question.casefold()]  # fmt: skip
        with subtests.test(question=cell.question):
            assert len(header) == len(row)
            assert not any(each.answered or each.text == cell.text for each in same)
    for best in made["table/superlative"]:
        assert answer(best) in {line.split(" | ")[0] for line in best.text.splitlines()[1:]}
