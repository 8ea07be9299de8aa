"""What ``inspect_dictionary`` finds, and what it leaves alone."""

from contracts.dictionary import Finding
from contracts.jargon import Context, Sense, SenseState
from jargon_db.inspecting import inspect_dictionary


def sense(
    number: int, term: str, name: str, context: str = "", *aliases: str, state: SenseState = "published"
) -> Sense:
    return Sense(id=number, term=term, extended_name=name, context=context, aliases=aliases, state=state)


def test_a_dictionary_in_order_has_no_findings() -> None:
    senses = [
        sense(1, "VCCQ", "Supply", "", "VccQ"),
        sense(2, "PLR", "Physical Layer Retransmission", "Protocols"),
        sense(3, "PLR", "Physical Layer Retransmission", "Test"),
        sense(4, "A", "Alpha", "", "B", state="rejected"),
        sense(5, "B", "Beta", "", "A"),
        sense(6, "PLR", "Parts Lost Ratio", state="draft"),
    ]
    contexts = [Context(name="Protocols", description="x"), Context(name="Test", description="y")]
    assert inspect_dictionary(senses, contexts) == ()
    assert inspect_dictionary(senses, contexts, lambda spelling: spelling in {"VccQ", "PLR", "A"}) == ()


def test_everything_to_look_at_is_found() -> None:
    senses = [
        sense(1, "A", "Alpha", "", "b"),
        sense(2, "B", "Beta", "", "a"),
        sense(3, "LUN", "Logical Unit Number"),
        sense(4, "LUN", "logical unit-numbers", "Test"),
        sense(5, "LUN", "Lunar", "Sky"),
    ]
    found = inspect_dictionary(senses, [Context(name="Test"), Context(name="Sky", description="x")], "LUN".__ne__)
    assert [(each.kind, each.senses) for each in found] == [
        ("circle", (1, 2)),
        ("alias-is-term", (1, 2)),
        ("alias-is-term", (2, 1)),
        ("context-missing", (3,)),
        ("meaning-twice", (3, 4)),
        ("context-undescribed", ()),
        ("never-used", (3, 4, 5)),
    ]
    assert found[0].text == "The aliases go in a circle: b -> a -> b."
    beside = "beside meanings in Sky, Test: bind it to a context."
    assert found[3].text == f"LUN means Logical Unit Number in every context, {beside}"
    assert found[4].text == "LUN means logical unit-numbers twice: in every context and Test."
    assert found[6] == Finding(
        kind="never-used", text="The documents never use LUN, nor an alias of it.", senses=(3, 4, 5)
    )
