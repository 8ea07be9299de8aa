"""What ``inspect_dictionary`` finds, and what it leaves alone."""

from contracts.jargon import Context, Sense, SenseState
from jargon_db.findings import inspect_dictionary


def sense(number: int, term: str, name: str, context: str = "", state: SenseState = "published") -> Sense:
    return Sense(id=number, term=term, extended_name=name, context=context, state=state)


def test_a_dictionary_in_order_has_no_findings() -> None:
    senses = [
        sense(1, "VCCQ", "Supply"),
        sense(2, "PLR", "Physical Layer Retransmission", "Protocols"),
        sense(3, "PLR", "Physical Layer Retransmission", "Test"),
        sense(4, "VCCQ", "Alpha", state="rejected"),
        sense(5, "PLR", "Parts Lost Ratio", "Test", state="draft"),
    ]
    contexts = [Context(name="Protocols", description="x"), Context(name="test", description="y")]
    assert inspect_dictionary(senses, contexts) == ()


def test_everything_to_look_at_is_found() -> None:
    senses = [
        sense(1, "LUN", "Logical Unit Number"),
        sense(2, "lun", "logical unit-numbers", "Test"),
        sense(3, "LUN", "Lunar", "Sky"),
        sense(4, "LUN", "Lunatic", "SKY"),
    ]
    contexts = [Context(name="Test"), Context(name="Sky", description="x"), Context(name="Idle", description="y")]
    found = inspect_dictionary(senses, contexts)
    assert [(each.kind, each.senses) for each in found] == [
        ("meaning-twice", (1, 2)),
        ("meanings-together", (3, 4)),
        ("context-undescribed", ()),
        ("context-unused", ()),
    ]
    assert found[0].text == "lun means logical unit-numbers twice: in every context and Test."
    assert found[1].text == "LUN means Lunar and Lunatic, both in Sky."
    assert found[3].text == "No meaning uses the context 'Idle'."
