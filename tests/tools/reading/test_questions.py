"""What a question asks for, its concepts in texts, and whether it was asked before."""

import importlib
import pkgutil

import pytest

import tools.evidence
import tools.language
import tools.reading
from tests.hashing_embedder import HashingEmbedder
from tools.reading.concepts import question_concepts, read_words
from tools.reading.questions import analyse_question, split_parts
from tools.repeated_questions import AskedBefore


def test_kind_and_dimension_of_a_question() -> None:
    for question, kind, dimension in [
        ("What is the supply voltage of the P-200?", "quantity", "voltage"),
        ("How long does the pump run?", "quantity", "time"),
        ("How fast is the link?", "quantity", "rate"),
        ("How many pumps are there?", "count", ""),
        ("For how many milliseconds does it run?", "quantity", "time"),
        ("How much does it cost?", "quantity", "money"),
        ("When was the pump built?", "time", ""),
        ("Who repairs the pump?", "person", ""),
        ("Where is the pump?", "place", ""),
        ("Why does the pump stop?", "reason", ""),
        ("How do I start the pump?", "procedure", ""),
        ("List the pumps.", "list", ""),
        ("Which pumps are supported?", "list", ""),
        ("Is the pump blue?", "yes_no", ""),
        ("What is the difference between the P-200 and the P-300?", "comparison", ""),
        ("P-200 or P-300, whats the difference", "comparison", ""),
        ("whats a pressure switch", "definition", ""),
        ("The lever is stuck, how else can I start the pump?", "procedure", ""),
        ("The lever is stuck, what do I do?", "procedure", ""),
        ("What do the pumps do?", "fact", ""),
        ("What does DPS stand for?", "definition", ""),
        ("What is a pressure switch?", "definition", ""),
        ("What is DPS?", "definition", ""),
        ("Which pump is blue?", "fact", ""),
        ("Which alarms can sound when a pump stops?", "list", ""),
        ("Which pump runs where the hall is closed?", "fact", ""),
        ("What three valves control the flow?", "list", ""),
        ("What is the phone number of the hall?", "fact", ""),
        ("What is the number of pumps?", "count", ""),
        ("", "fact", ""),
    ]:
        shape = analyse_question(question)
        assert (shape.kind, shape.dimension) == (kind, dimension), question


def test_term_to_define_and_requested_attribute_are_found() -> None:
    expected = {
        "What does DPS stand for?": "DPS",
        "What is a pressure switch in pumps?": "pressure switch",
        "what is NV-DDR3": "NV-DDR3",
        "Define DPS.": "DPS",
        "What is the meaning of DPS?": "DPS",
        "What is meant by the term DPS?": "DPS",
    }
    assert {question: analyse_question(question).term for question in expected} == expected
    # The requested attribute.
    expected = {
        "What is the VccQ of NV-DDR3?": "VccQ",
        "Which voltage does the P-200 need?": "voltage",
        "VccQ of NV-DDR3?": "VccQ",
        "Which output modes does the pump have?": "output modes",
        "Which pump limits apply to the hall?": "pump limits",
        "Which pump limits the flow?": "pump",
        "How many bearings does it have?": "bearings does",
    }
    assert {question: analyse_question(question).asked for question in expected} == expected


def test_question_is_split_into_parts() -> None:
    assert split_parts("What is DPS, and how does it work?") == ("What is DPS", "how does it work?")
    assert split_parts("What is DPS? Who sells it?") == ("What is DPS?", "Who sells it?")
    assert split_parts("What is the pressure and flow?") == ("What is the pressure and flow?",)


def test_word_form_or_prefix_gets_partial_credit() -> None:
    expected = {"registers": 1.0, "registry": 0.6, "regi": 0.6, "reg": 0.6, "re": 0.0, "reg7": 0.0, "gist": 0.0}
    assert {text: question_concepts("register")[0].presence(read_words(text)) for text in expected} == expected


@pytest.mark.parametrize("package", [tools.evidence, tools.language, tools.reading])
def test_caches_between_questions_are_bounded(package: object) -> None:
    found = []
    for module in pkgutil.iter_modules(package.__path__):  # type: ignore[attr-defined]
        for each in vars(importlib.import_module(f"{package.__name__}.{module.name}")).values():  # type: ignore[attr-defined]
            if hasattr(each, "cache_parameters"):
                found.append(each.cache_parameters()["maxsize"])
    assert found
    assert all(bound is not None and bound <= 65_536 for bound in found)


async def test_repeated_question_is_recognised_among_many_but_not_about_another_code() -> None:
    before = AskedBefore(HashingEmbedder())
    assert not await before.knows("Who resizes a ring?")
    await before.add(["What is the VCCQ level of DDR3?"])
    assert await before.knows("what is the vccq level of ddr3 ?")
    assert not await before.knows("What is the VCCQ level of DDR4?")
    assert not await before.knows("Who resizes an SHR?")
    questions = [f"How long does machine M{number} cool down?" for number in range(600)]
    for start in range(0, 600, 50):
        await before.add(questions[start : start + 50])
    assert await before.knows("how long does machine M599 cool down now?")
    assert not await before.knows("How long does machine M600 cool down?")
