"""Markdown, plain text, tables of values, encodings, and what has no reader."""

from pathlib import Path

import pytest

from contracts.errors import UnreadableFile
from ingestion.readers import SUPPORTED_SUFFIXES, reader_for
from tests.ingestion.readers.reading import kinds, read, read_text

MARKDOWN = """---
title: "Rack &amp; feed guide"
---
# Racks <!-- draft -->

Each rack has **two** feeds, see [the plan](http://plan.example/a_(b)).
They are labelled `feed_a` and `feed_b`.

## Fans

- replace *every* year
  or when loud
  1. small ones
- clean monthly

| Fan | Speed |
|-----|------:|
| F1  | 900 `rpm` |
| F2  | 1200 |

```sh
# not a heading
fanctl --speed 900
```

Notes
-----
> Quoted words.
"""


def test_reads_markdown(tmp_path: Path) -> None:
    page = read_text(tmp_path, "racks.md", MARKDOWN)
    assert kinds(page) == [
        ("heading", "Racks"),
        ("paragraph", "Each rack has two feeds, see the plan. They are labelled feed_a and feed_b."),
        ("heading", "Fans"),
        ("list", "- replace every year or when loud\n  1. small ones\n- clean monthly"),
        ("table", "Fan | Speed\nF1 | 900 rpm\nF2 | 1200"),
        ("code", "# not a heading\nfanctl --speed 900"),
        ("heading", "Notes"),
        ("paragraph", "Quoted words."),
    ]
    assert page.blocks[4].header_rows == 1
    assert reader_for(tmp_path / "racks.md").title(tmp_path / "racks.md") == "Rack & feed guide"


def test_reads_remarks_tabs_and_definitions_of_markdown(tmp_path: Path) -> None:
    text = (
        '## Fans {#fans .wide}\n\n!!! warning\n\n    - Do not touch.\n\n??? tip "Faster `fan`"\n    Use two.\n\n'
        '    Or three.\n\n=== "Linux"\n\n    ```sh\n    fan on\n    ```\n\n> [!NOTE]\n> It is loud.\n\n'
        ":::caution Heat?\nIt burns.\n:::\n\n!!! wow\n\n`speed`\n:   Turns.\n\n    Default: 30.\n"
    )
    assert kinds(read_text(tmp_path, "fans.md", text)) == [
        ("heading", "Fans"),
        ("paragraph", "Warning:"),
        ("list", "- Do not touch."),
        ("paragraph", "Faster fan: Use two."),
        ("paragraph", "Or three."),
        ("paragraph", "Linux:"),
        ("code", "fan on"),
        ("paragraph", "Note: It is loud."),
        ("paragraph", "Heat? It burns."),
        ("paragraph", "!!! wow"),
        ("list", "- speed: Turns. Default: 30."),
    ]


def test_template_tags_of_markdown_are_not_text(tmp_path: Path) -> None:
    text = (
        '# Travel\n\n{% include "steps.html"\nhide: no %}\n\n> [!NOTE] See [Tock]({% page "/tock" %}), '
        '[VLTP]({{< ref "v" >}}).\n\n{{% notice %}}\nUse {% if x %}the{% endif %} form.\n{{% /notice %}}\n\n'
        '{% tab title="macOS" %}\nPress `{% %}`.\n{% endtab %}\n\n{% highlight ruby %}\ndef a\n  b\n'
        "{% endhighlight %}\n\n<% content_for :nav do %>\n\n<div>\n{% include nav %}\nEnd of {{ x }}\n</div>\n\n"
        "```\n{% for x in y %}\n```\n"
    )
    assert kinds(read_text(tmp_path, "travel.md", text)) == [
        ("heading", "Travel"),
        ("paragraph", "See Tock, VLTP."),
        ("paragraph", "Use the form."),
        ("paragraph", "macOS: Press {% %}."),
        ("code", "def a\n  b"),
        ("paragraph", "End of {{ x }}"),
        ("code", "{% for x in y %}"),
    ]


def test_commands_below_steps_belong_to_the_steps(tmp_path: Path) -> None:
    steps = "1. Stop.\n```\nfan off\n```\n2. Start.\n```\nfan on\n```\n\nOr:\n\n- Check:\n```\nfan ls\n```\n"
    assert kinds(read_text(tmp_path, "fans.md", steps)) == [
        ("list", "1. Stop."),
        ("code", "  fan off"),
        ("list", "2. Start."),
        ("code", "  fan on"),
        ("paragraph", "Or:"),
        ("list", "- Check:"),
        ("code", "  fan ls"),
    ]


def test_reads_plain_text(tmp_path: Path) -> None:
    text = (
        "Night duty\n==========\n\nThe guard walks through all of the halls twice in every night and writes down\n"
        "what was found.\n\nPHONES\n\nGate      4100\nBoiler    4200\nOffice    4300\n\n- lamp\n- keys\n"
    )
    page = read_text(tmp_path, "plain.txt", text)
    assert kinds(page) == [
        ("heading", "Night duty"),
        ("paragraph", "The guard walks through all of the halls twice in every night and writes down what was found."),
        ("heading", "PHONES"),
        ("table", "Gate | 4100\nBoiler | 4200\nOffice | 4300"),
        ("list", "- lamp\n- keys"),
    ]
    assert page.blocks[3].header_rows == 0
    # Form feeds separate pages.
    path = tmp_path / "pages.txt"
    path.write_text("Page one.\nJane  [Page 1]\n\fRFC 9  Lamps\nPage two.")
    assert [(page.number, kinds(page)[0][1]) for page in read(path)] == [(1, "Page one."), (2, "Page two.")]


def test_items_far_from_their_marks_are_not_a_table(tmp_path: Path) -> None:
    bullets = "•   One lamp, if any,\n    burns.  None is out.\n\n•   A door is shut.\n\n•   A key is kept."
    numbered = "1.   Open it.\n2.   Wait.\n3.   Shut it."
    table = "- Gate     4100\n- Boiler   4200\n- Hall     4300"
    page = read_text(tmp_path, "rules.txt", f"Lamps\n\n{bullets}\n\nDo this.\n\n{numbered}\n\nCall them.\n\n{table}\n")
    assert kinds(page) == [
        ("heading", "Lamps"),
        ("list", "• One lamp, if any, burns. None is out.\n•   A door is shut.\n•   A key is kept."),
        ("paragraph", "Do this."),
        ("list", numbered),
        ("paragraph", "Call them."),
        ("table", "- Gate | 4100\n- Boiler | 4200\n- Hall | 4300"),
    ]


def test_reads_tables_drawn_with_lines(tmp_path: Path) -> None:
    text = (
        "The rights are:\n+---+--------+\n| r | Room is|\n|   | seen   |\n+---+--------+\n| w | Room is|\n"
        "|   | changed|\n+---+--------+\n\nLimits\n------\n\n  Scheme  | Least  | Most\n  ------------------\n"
        "  fast    |      1 |    31\n  slow    |   1000 | 99999\n  slowest |   1000 | 99999\n"
    )
    page = read_text(tmp_path, "rights.txt", text)
    assert kinds(page) == [
        ("paragraph", "The rights are:"),
        ("table", "r | Room is seen\nw | Room is changed"),
        ("heading", "Limits"),
        ("table", "Scheme | Least | Most\nfast | 1 | 31\nslow | 1000 | 99999\nslowest | 1000 | 99999"),
    ]
    assert page.blocks[3].header_rows == 1
    # Drawn tables and examples with empty lines.
    text = (
        "LIMITS\n       The limits of each pump, which the guards\n       may not change, are listed here:\n"
        "       ---------------------\n       | Pump  | Flow | Heat |\n       ---------------------\n"
        "       | P1    | 20   |      |\n       | P2    | 30   | 4 W  |\n       ---------------------\n\n"
        "       Files look like this:\n\n         pump p1\n           flow = 20\n\n         pump p2 {flow}\n\n"
        "       And that is all there is.\n\n"
        "┌───┬──────┐\n│r  │ read │\n├───┼──────┤\n"
        "│   │      │\n│w  │ one  │\n│   │ line │\n├───┼──────┤\n│x  │ go   │\n└───┴──────┘\n"
    )
    page = read_text(tmp_path, "pump.txt", text)
    assert kinds(page) == [
        ("heading", "LIMITS"),
        ("paragraph", "The limits of each pump, which the guards may not change, are listed here:"),
        ("table", "Pump | Flow | Heat\nP1 | 20 | \nP2 | 30 | 4 W"),
        ("paragraph", "Files look like this:"),
        ("code", "pump p1\n  flow = 20\n\npump p2 {flow}"),
        ("paragraph", "And that is all there is."),
        ("table", "r | read\nw | one line\nx | go"),
    ]
    assert page.blocks[2].header_rows == 1


def test_reads_headings_and_code_of_plain_text(tmp_path: Path) -> None:
    text = (
        "LAMPD(8)        Lamps        LAMPD(8)\n\n# lamps Commands\n\nLamps are put on.\n\n# lampctl on\n\n"
        "Rules of the house\n\nNobody may put a lamp on while it is still light outside.\n\n"
        "A: Lamps of the upper floor are put on by the porter who comes\n   first.\n\n"
        "They are set with:\n\n---%<---\nlamp {\n  on = yes\n\n  off = no\n}\n---%<---\n\nNo more\n\n---%<---\nend\n"
    )
    assert kinds(read_text(tmp_path, "lampd.txt", text)) == [
        ("heading", "LAMPD(8)"),
        ("heading", "lamps Commands"),
        ("paragraph", "Lamps are put on."),
        ("paragraph", "# lampctl on"),
        ("heading", "Rules of the house"),
        ("paragraph", "Nobody may put a lamp on while it is still light outside."),
        ("paragraph", "A: Lamps of the upper floor are put on by the porter who comes first."),
        ("paragraph", "They are set with:"),
        ("code", "lamp {\n  on = yes\n\n  off = no\n}"),
        ("paragraph", "No more"),
        ("paragraph", "---%<---\nend"),
    ]
    # Lines with the same beginning stay separate.
    lines = "Level 1: a pump is down. Call the desk.\nLevel 2: two are down. Call at once.\nLevel 3: danger. Go out."
    page = read_text(tmp_path, "levels.txt", f"Levels\n\n{lines}\n")
    assert kinds(page) == [("heading", "Levels"), ("paragraph", lines)]
    page = read_text(tmp_path, "slow.txt", "The lamp starts.  It then\nwaits a bit.  It is\nand is slow.  It ends.\n")
    assert [block.kind for block in page.blocks] == ["paragraph"]
    # An example is no heading, whatever its letters are.
    page = read_text(tmp_path, "bytes.txt", "It sends:\n\nBYTES\n\nor\n\n>BYTES:{IN}\n\nas text.\n")
    assert not any(block.level for block in page.blocks)
    # Numbers may be far from their headings.
    page = read_text(tmp_path, "rfc.txt", "1.  Lamps\n\nBurn.\n\n1.2\tHow long?\n\nAn hour.\n\n3. Now.\n\nEnd.\n")
    assert [(block.text, block.level) for block in page.blocks if block.level] == [
        ("1. Lamps", 2),
        ("1.2 How long?", 3),
    ]


def test_reads_separated_values(tmp_path: Path) -> None:
    page = read_text(tmp_path, "rooms.csv", 'Room;Use\nA1;"tools; parts"\nA2;paint\n')
    assert kinds(page) == [("table", "Room | Use\nA1 | tools; parts\nA2 | paint")]
    assert page.blocks[0].header_rows == 1


def test_encoding_is_taken_from_byte_order_mark_or_utf8_else_windows_1252(tmp_path: Path) -> None:
    path = tmp_path / "accents.txt"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"):
        path.write_bytes("Käse für Gäste kostet 5 €.".encode(encoding))
        (page,) = read(path)
        assert page.blocks[0].text == "Käse für Gäste kostet 5 €."
        assert [("Windows-1252" in warning) for warning in page.warnings] == [True] * (encoding == "cp1252")


def test_refuses_missing_and_unknown_files(tmp_path: Path) -> None:
    unknown = tmp_path / "c.xyz"
    unknown.write_text("text")
    with pytest.raises(UnreadableFile, match="cannot be opened"):
        read(tmp_path / "none.txt")
    with pytest.raises(UnreadableFile, match="supported: ") as caught:
        read(unknown)
    assert all(suffix in str(caught.value) for suffix in SUPPORTED_SUFFIXES)


def test_codes_and_labels_beside_lines_are_a_list(tmp_path: Path) -> None:
    text = """  The exit code is the sum of these conditions:
     0    - No errors
     4    - Errors left, and the lamp should
            be off
     128  - Library error

  It accepts these suffixes:

     s - Seconds
     m - Minutes
     h - Hours

  The result of a run in the yard:

     $ yard list
     Red  - Lamp
     Blue - Lamp
     Wood - Hammer
"""
    assert kinds(read_text(tmp_path, "codes.txt", text)) == [
        ("paragraph", "The exit code is the sum of these conditions:"),
        ("list", "     - 0: No errors\n     - 4: Errors left, and the lamp should be off\n     - 128: Library error"),
        ("paragraph", "It accepts these suffixes:"),
        ("list", "     - s: Seconds\n     - m: Minutes\n     - h: Hours"),
        ("paragraph", "The result of a run in the yard:"),
        ("code", "$ yard list\nRed  - Lamp\nBlue - Lamp\nWood - Hammer"),
    ]
    # Nothing but terms with their descriptions.
    text = "lamp - a light\nyard lamp - a light outdoors\nbulb  - the part that burns\n"
    expected = "- lamp: a light\n- yard lamp: a light outdoors\n- bulb: the part that burns"
    assert kinds(read_text(tmp_path, "terms.txt", text)) == [("list", expected)]
    # Labels beside single lines.
    text = """It ends with a status:

       0      if all lamps burn

       1:     if a lamp is out

       127    if there is no lamp

       2      if a wire is torn, which takes
              an hour to mend
"""
    assert kinds(read_text(tmp_path, "status.txt", text)) == [
        ("paragraph", "It ends with a status:"),
        ("list", "       - 0: if all lamps burn\n       - 1: if a lamp is out\n       - 127: if there is no lamp"),
        ("paragraph", "2: if a wire is torn, which takes\nan hour to mend"),
    ]
    two = "       0      if all lamps burn\n\n       1      if a lamp is out\n"
    assert "list" not in dict(kinds(read_text(tmp_path, "two.txt", two)))


def test_a_question_is_the_heading_of_its_answer(tmp_path: Path) -> None:
    text = """Q:   When the yard opens, a bell rings. Is there
     a way to stop it?

A:   Put this line in the book of rules:
        bell off

Q2. Who rings the bell?
A2. The keeper rings it.

Q: Nobody answers this.
"""
    assert kinds(read_text(tmp_path, "faq.txt", text)) == [
        ("heading", "When the yard opens, a bell rings. Is there a way to stop it?"),
        ("paragraph", "Put this line in the book of rules:\nbell off"),
        ("heading", "Who rings the bell?"),
        ("paragraph", "The keeper rings it."),
        ("paragraph", "Q: Nobody answers this."),
    ]
    text = "Q: The bell is too loud.\nA: Wrap it in felt.\n"
    assert kinds(read_text(tmp_path, "loud.txt", text))[0] == ("heading", "Q: The bell is too loud.")
    # A number is enough above an indented answer.
    text = "1. Can it be locked,\n   by whom?\n\n   By Ann.\n\n2. Why stiff? I oil it.\n\n   Wax it.\n\n3. Lock it.\n"
    expected = ["1. Can it be locked, by whom?", "By Ann.", "2. Why stiff? I oil it.", "Wax it.", "3. Lock it."]
    found = kinds(read_text(tmp_path, "numbered.txt", text))
    assert found == list(zip(["heading", "paragraph", "heading", "paragraph", "paragraph"], expected, strict=True))


def test_headings_beside_and_between_rules(tmp_path: Path) -> None:
    parts = ["=====\nLAMPS\n=====\nShort.", "-------- Wires --------\n\nRed.", "Poles -----\n\nGrey."]
    parts += ["1. Light\n~~~~~~~~\nTurn.", "2. Dim\n~~~~~~\nTurn back.", f"Old lamps\n{chr(39) * 9}\nThrow away."]
    texts = ["LAMPS", "Short.", "Wires", "Red.", "Poles", "Grey.", "1. Light", "Turn.", "2. Dim", "Turn back."]
    found = kinds(read_text(tmp_path, "handbook.txt", "\n\n".join(parts)))
    assert found == list(zip(["heading", "paragraph"] * 6, [*texts, "Old lamps", "Throw away."], strict=True))
