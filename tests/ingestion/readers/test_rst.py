"""reStructuredText, also in files of plain text, and what it may not reach or cost."""

from pathlib import Path

from tests.ingestion.readers.reading import kinds, read_text

MANUAL = """
Pump manual
===========

:Author: Jane
:orphan:
:Abstract:
  What the pump does.

Intro with :ref:`the plan <plan-1>`, ``code`` and |made|. [1]_

.. |made| replace:: a substitution

.. a comment that nobody reads

Steps:

1. Open

   - slowly
2. Close

Usage
-----

.. code-block:: sh

   pumpctl --on

.. note:: Keep it dry.

.. versionadded:: 2.1
   The flow meter.

.. toctree::

   other

.. table:: Pumps

   +------+---------------+
   | Name | Flow          |
   |      +-------+-------+
   |      | low   | high  |
   +======+=======+=======+
   | P1   | 20    | 30    |
   |      +-------+-------+
   |      | 21    | 31    |
   +------+-------+-------+

.. math:: a^2 + b^2

SWL
   Safe working load.

.. image:: x.png
   :alt: A pump

.. [1] The note.
"""


def test_reads_a_restructuredtext_manual(tmp_path: Path) -> None:
    page = read_text(tmp_path, "manual.rst", MANUAL)
    assert kinds(page) == [
        ("heading", "Pump manual"),
        ("paragraph", "Author: Jane"),
        ("paragraph", "Abstract: What the pump does."),
        ("paragraph", "Intro with the plan, code and a substitution. [1]"),
        ("paragraph", "Steps:"),
        ("list", "1. Open\n  - slowly\n2. Close"),
        ("heading", "Usage"),
        ("code", "pumpctl --on"),
        ("paragraph", "Note: Keep it dry."),
        ("paragraph", "Added in version 2.1: The flow meter."),
        ("caption", "Pumps"),
        ("table", "Name | Flow | Flow\nName | low | high\nP1 | 20 | 30\nP1 | 21 | 31"),
        ("code", "a^2 + b^2"),
        ("list", "- SWL: Safe working load."),
        ("paragraph", "A pump"),
        ("notes", "[1] The note."),
    ]
    assert [block.level for block in page.blocks if block.kind == "heading"] == [1, 2]
    assert page.blocks[11].header_rows == 2
    assert page.warnings == ()
    # A text file with directives is read in the same way.
    page = read_text(tmp_path, "pump.txt", "Pump\n====\n\n.. contents:: Here\n\npump.flow\n  litres a minute\n")
    assert kinds(page) == [("heading", "Pump"), ("list", "- pump.flow: litres a minute")]


def test_descriptions_and_remarks_keep_their_names(tmp_path: Path) -> None:
    text = (
        ".. option:: --cool C\n\n   Degrees.\n\n   Off with 0.\n\n.. confval:: lamps\n   :type: int\n   :default: 4\n\n"
        "   How many.\n\n.. admonition:: Heat\n\n   It burns.\n\n.. rubric:: Names\n\n.. grid:: 2\n\n   Jane, Joe.\n"
    )
    assert kinds(read_text(tmp_path, "options.rst", text)) == [
        ("list", "- --cool C: Degrees. Off with 0."),
        ("list", "- lamps (type: int, default: 4): How many."),
        ("paragraph", "Heat: It burns."),
        ("heading", "Names"),
        ("paragraph", "Jane, Joe."),
    ]


def test_reads_what_sphinx_adds_to_docutils(tmp_path: Path) -> None:
    text = ".. code-block:: sh\n   :caption: Start\n   :linenos:\n\n   $ fan on\n   $ fan ls\n\nspeed : int\n   RPM.\n"
    page = read_text(tmp_path, "sphinx.rst", text)
    assert kinds(page) == [("paragraph", "Start"), ("code", "$ fan on\n$ fan ls"), ("list", "- speed (int): RPM.")]
    assert page.warnings == ()


def test_includes_no_other_file_and_no_raw_markup(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the word is swordfish")
    (tmp_path / "secret.csv").write_text("swordfish,1")
    page = read_text(
        tmp_path,
        "evil.rst",
        f".. include:: {tmp_path}/secret.txt\n\n.. include:: secret.txt\n   :literal:\n\n"
        f".. csv-table:: T\n   :file: {tmp_path}/secret.csv\n\n.. literalinclude:: secret.txt\n\n"
        ".. raw:: html\n\n   <script>alert('x')</script>\n\n.. role:: r(raw)\n   :format: html\n\n"
        f".. raw:: html\n   :file: {tmp_path}/secret.txt\n\nPlain words stay.\n",
    )
    text = " ".join(text for _, text in kinds(page))
    assert "Plain words stay." in text
    assert "swordfish" not in text
    assert "alert" not in text
    assert any("from other files" in warning for warning in page.warnings)
    assert any("raw passages" in warning for warning in page.warnings)


def test_hostile_markup_is_bounded(tmp_path: Path) -> None:
    for source in [
        "".join(" " * depth + "deep\n\n" for depth in range(600)),
        "word `" * 4_000,
        "|a| " * 3_000 + "\n\n.. |a| replace:: |a|\n",
        "".join(f".. |a{n}| replace:: |a{n + 1}||a{n + 1}|\n" for n in range(40))
        + ".. |a40| replace:: lol\n\nword |a0|",
    ]:
        total = sum(len(text) for _, text in kinds(read_text(tmp_path, "evil.rst", source)))
        assert 0 < total <= 2 * len(source), source[:40]
