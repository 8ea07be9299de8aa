"""Manual pages in plain text, as ``man`` prints them."""

from pathlib import Path

from tests.ingestion.readers.reading import kinds, read, read_text


def test_reads_a_manual_page_as_a_printer_would_get_it(tmp_path: Path) -> None:
    path = tmp_path / "lampd.txt"
    path.write_text(
        "N\bNA\bAM\bME\bE\n       lampd  -  lights  the  lamps of the yard when it gets dark, and puts hand-\n"
        "       made ones out\n\nKEYWORDS\n   Delay\n       Seconds to wait, for instance:\n\n         Delay: 300\n\n"
        "       +\bo   They count from dusk.\n\n       +\bo   They end at dawn.\n"
    )
    (page,) = read(path)
    assert kinds(page) == [
        ("heading", "NAME"),
        ("paragraph", "lampd - lights the lamps of the yard when it gets dark, and puts hand-made ones out"),
        ("heading", "KEYWORDS"),
        ("heading", "Delay"),
        ("paragraph", "Seconds to wait, for instance:"),
        ("code", "Delay: 300"),
        ("list", "       o   They count from dusk.\n       o   They end at dawn."),
    ]


def test_joins_what_is_wrapped_below_an_option_and_what_a_typesetter_hyphenated(tmp_path: Path) -> None:
    page = read_text(
        tmp_path,
        "lampctl.txt",
        "OPTIONS\n       --delay SECONDS\n              Wait  so  long before the lamps go on; without this op\u2010\n"
        "              tion they do at once.  The most is one day.\n"
        "              Use it with care.\n\n"
        "       -q     Say  nothing about the lamps that were put on and ques\u2010\n"
        "              tions of the user.\n\n"
        "       \u2022 The  first lamp, which is the one in the yard near the con\u2010\n         tainers\n"
        "       \u2022 The second\n",
    )
    assert kinds(page)[1:] == [
        (
            "paragraph",
            "--delay SECONDS: Wait so long before the lamps go on; without this option they do at once. "
            "The most is one day.\nUse it with care.",
        ),
        ("paragraph", "-q Say nothing about the lamps that were put on and questions of the user."),
        (
            "list",
            "       \u2022 The first lamp, which is the one in the yard near the containers\n       \u2022 The second",
        ),
    ]


def test_a_command_of_a_manual_page_heads_its_text(tmp_path: Path) -> None:
    page = read_text(
        tmp_path,
        "pump.1.txt",
        "COMMANDS\n   Daily work\n   start\n       Start the pump.\n\n       It runs.\n",
    )
    assert kinds(page) == [
        ("heading", "COMMANDS"),
        ("heading", "Daily work"),
        ("heading", "start"),
        ("paragraph", "Start the pump."),
        ("paragraph", "It runs."),
    ]
