"""What is asked about a document, in people's words, and what is not."""

from contracts.jargon import MinedTerm
from contracts.text import BlockKind, Chunk
from serving.question_candidates import find_candidates


def passage(text: str, *headings: str, kind: BlockKind = "paragraph") -> Chunk:
    return Chunk(id=text, document_id="d", kind="passage", ordinal=0, text=text, page=1, last_page=1,
                 heading_path=headings, block_kind=kind)  # fmt: skip


def asked(*chunks: Chunk, mined: tuple[MinedTerm, ...] = (), written: bool = False) -> set[str]:
    return {each.text for each in find_candidates(chunks, mined, written=written)}


def test_question_headings_become_candidates() -> None:
    text = "Q: Can I use cloud pictures?\nNot yet. Why not? Nobody knows."
    assert asked(passage(text, "FAQ", "3.1 How do I reset my password?")) == {
        "Can I use cloud pictures?",
        "How do I reset my password?",
    }
    others = [passage(text) for text in ("Ready to run?", "Why?", "What does it do in the end?")]
    assert asked(passage("Read on.", "What is this?"), *others) == set()


def test_procedures_become_how_to_candidates() -> None:
    steps = "1. Switch the pump off.\n2. Open the cover."
    tasks = (
        "4 Replacing a Fuse",
        "How to start the pump",
        "To remove the old oil",
        "Replace the filter of your pump",
        "Cutting and pasting",
        "Running the P-200",
    )
    assert asked(*(passage(steps, "Pumps", task, kind="list") for task in tasks)) == {
        "How do I replace a fuse?",
        "How do I start the pump?",
        "How do I remove the old oil?",
        "How do I replace the filter of my pump?",
        "How do I run the P-200?",
    }
    others = ("Pricing", "Sterling silver", "Spring of the year", "Warning: read this", "Supply voltage")
    assert asked(*(passage(steps, other, kind="list") for other in others)) == set()
    assert asked(passage("The fuse is old.", "Replacing a fuse")) == set()


def test_table_cells_become_candidates() -> None:
    text = """Machine | Flow rate [l/min] | Power supply | Keeper | Notes | Done by | Cups emptied | Nuvi 2 | Leaves to
P-200 | 12 | 48 V | Nils Berg | old | crew | 8 | 1.2 | G1
Wafer prober | 30 | - | the crew | | | 9 | 1.3 | G2
PX-9 | yes | no | | | | | |
Twice-1 | 1 | 2 V | | | | | |
Twice-1 | 2 | 4 V | | | | | |
Moderate | 4 | 5 V | | | | | |
P 7; see below | 3 | 3 V | | | | | |"""
    assert asked(passage(text, "Machines", kind="table")) == {
        "What is the flow rate of P-200?",
        "What is the power supply of P-200?",
        "Who is the keeper of P-200?",
        "What is the flow rate of the wafer prober?",
        "What is the keeper of the wafer prober?",
    }


def test_things_in_columns_are_asked_for_like_things_in_rows() -> None:
    text = """ | DHS-S | DHS-L | Pressure
Heat output | up to 150 kW | 900 kW | x
Inspection interval (months) | 48 | 24 | y"""
    assert asked(passage(text, "Types", kind="table")) == {
        "What is the heat output of DHS-S?",
        "What is the heat output of DHS-L?",
        "What is the inspection interval of DHS-S?",
        "What is the inspection interval of DHS-L?",
    }


def test_defined_terms_become_candidates() -> None:
    def term(short: str, score: float) -> MinedTerm:
        return MinedTerm(term=short, extended_name="x", evidence="x", page=1, score=score)

    text = "A check valve is a valve with one way. LOTO is a lock on a switch. "
    text += "Air is a gas. The value is a number. It is a pump. BOM is the only way."
    assert asked(passage(text), mined=(term("PLR", 1.0), term("tADL", 0.6))) == {
        "What is a check valve?",
        "What is LOTO?",
        "What does PLR stand for?",
    }


def test_questions_written_by_a_language_model_are_used() -> None:
    summary = Chunk(id="s", document_id="d", kind="summary", ordinal=0, text="It cools.\nWhat cools the press?", page=1,
                    last_page=1)  # fmt: skip
    assert asked(summary) == set()
    assert asked(summary, written=True) == {"What cools the press?"}
