"""The footer: what clients that show nothing but text are told of readings and sources, and how it goes again."""

import pytest

from contracts.answer import Answer, Citation
from contracts.jargon import Mention, Reading, Sense
from contracts.text import Span
from serving.footer import footer_of, without_footer
from tests.serving.running import citation

LOOP = Sense(id=1, term="DLL", extended_name="Delay-Locked *Loop*", context="Inter_faces")
LIBRARY = Sense(id=2, term="DLL", extended_name="Dynamic-Link Library", context="Software")
LAMB = Sense(id=3, term="DLL", extended_name="Dear Little Lamb")


def reading(term: str, **values: object) -> Reading:
    mention = Mention(text=term, span=Span(0, len(term)), term=term)
    return Reading(mention=mention, **{"status": "chosen", **values})  # type: ignore[arg-type]


READINGS = (
    reading("DLL", sense=LOOP, reason="because context = Inter_faces 87 %", alternatives=(LIBRARY, LAMB)),
    reading("SHR", status="documents", reason="not in the dictionary, but 3 passages of the documents use it"),
    reading("PRL", status="unknown", reason="neither the dictionary nor the documents know it"),
    reading("BE", status="ambiguous", alternatives=(LIBRARY, LAMB)),
)
CITATIONS = tuple(citation(number, document_name="bus_1.pdf", page=page) for number, page in ((1, 3), (2, 3), (3, 0)))


def test_readings_and_sources_are_listed() -> None:
    answer = Answer(outcome="answered", text="Yes.", question="?", readings=READINGS, citations=CITATIONS)
    assert footer_of(answer) == (
        "\n\n**Interpreted as**\n\n"
        "- **DLL** → Delay-Locked \\*Loop\\* (Inter\\_faces), because context = Inter\\_faces 87 %. It can also mean "
        "Dynamic-Link Library (Software); Dear Little Lamb: answer “DLL means Dynamic-Link Library” to ask again with "
        "that.\n"
        "- **SHR**, not in the dictionary, but 3 passages of the documents use it."
        "\n\n**Sources**\n\n- [1][2] bus\\_1.pdf, page 3\n- [3] bus\\_1.pdf"
    )


DEGRADED = ("write_answer: No answer in 60 s.", "quote_answer: It is quoted.", "judge_faithfulness: No answer.")


def test_footer_says_what_the_built_in_engine_did() -> None:
    answer = Answer(outcome="closest_passages", text="See there.", question="?", degraded=DEGRADED)
    assert footer_of(answer) == (
        "\n\n**Please note**\n\n"
        "- The sources did not support the language model's draft. They are quoted instead.\n"
        "- The language model's output was unusable for some steps, so the built-in engine did them: write answer and "
        "judge faithfulness."
    )


@pytest.mark.parametrize("readings", [(), READINGS])
@pytest.mark.parametrize("citations", [(), CITATIONS])
@pytest.mark.parametrize("degraded", [(), DEGRADED])
def test_footer_can_be_removed_again(
    readings: tuple[Reading, ...], citations: tuple[Citation, ...], degraded: tuple[str, ...]
) -> None:
    text = "Two things:\n\n- **one**\n- [2] the other"
    fields = {"readings": readings, "citations": citations, "degraded": degraded}
    answer = Answer(outcome="answered", text=text, question="?", **fields)
    assert without_footer(text + footer_of(answer)) == text
    assert without_footer(text + footer_of(answer) + "\n") == text + ("" if footer_of(answer) else "\n")
    unknown = answer.model_copy(update={"outcome": "unknown_term", "degraded": (), "citations": ()})
    assert footer_of(unknown) == ""


@pytest.mark.parametrize(
    "text", ["\n" * 300_000, "\n**Interpreted as**\n" * 30_000, "- **a** → b, " * 30_000, "**Sources**\n- [1]"]
)
def test_removing_the_footer_is_fast_for_any_text(text: str) -> None:
    # This would take minutes if the time grew with the square of the length.
    assert without_footer(text) in (text, text.rstrip("\n"), text.rpartition("\n**Interpreted as**\n")[0].rstrip("\n"))
