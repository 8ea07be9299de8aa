"""Manual pages in plain text, as ``man`` prints them."""

from pathlib import Path

from tests.ingestion.readers.reading import kinds, read, read_text


def test_reads_a_manual_page_with_overstruck_letters(tmp_path: Path) -> None:
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
    # A command is a heading.
    text = "COMMANDS\n   Daily work\n   start\n       Start the pump.\n\n       It runs.\n"
    assert kinds(read_text(tmp_path, "pump.1.txt", text)) == [
        ("heading", "COMMANDS"),
        ("heading", "Daily work"),
        ("heading", "start"),
        ("paragraph", "Start the pump."),
        ("paragraph", "It runs."),
    ]


def test_joins_wrapped_and_hyphenated_lines_of_an_option(tmp_path: Path) -> None:
    text = (
        "OPTIONS\n       --delay SECONDS\n              Wait  so  long before the lamps go on; without this op\u2010\n"
        "              tion they do at once.  The most is one day.\n"
        "              Use it with care.\n\n"
        "       -b BRIGHTNESS\n       --brightness=BRIGHTNESS\n              Shine so brightly.\n\n"
        "       -e, --each\n\n              One by one.\n\n"
        "       -q     Say  nothing about the lamps that were put on and ques\u2010\n"
        "              tions of the user.\n\n"
        "       \u2022 The  first lamp, which is the one in the yard near the con\u2010\n         tainers\n"
        "       \u2022 The second\n"
    )
    assert kinds(read_text(tmp_path, "lampctl.txt", text))[1:] == [
        (
            "paragraph",
            "--delay SECONDS: Wait so long before the lamps go on; without this option they do at once. "
            "The most is one day.\nUse it with care.",
        ),
        ("paragraph", "-b BRIGHTNESS, --brightness=BRIGHTNESS: Shine so brightly."),
        ("paragraph", "-e, --each: One by one."),
        ("paragraph", "-q: Say nothing about the lamps that were put on and questions of the user."),
        (
            "list",
            "       \u2022 The first lamp, which is the one in the yard near the containers\n       \u2022 The second",
        ),
    ]


def test_term_next_to_its_description_stays_separate(tmp_path: Path) -> None:
    text = (
        "OPTIONS\n       usedns  use DNS to find the lamps of the yard that have no address in the\n"
        "               table\n\n"
        "       lookup Find the lamps of the yard in the table of addresses as they were\n"
        "              put down\n\n"
        "       lampctl network-lamps of the yard with all of the options that there are\n"
        "               today\n\n"
        "       Either  the  yard  or  the hall  has  a  lamp.  This is a long paragraph\n"
        "       of text.\n"
    )
    assert [text for _, text in kinds(read_text(tmp_path, "lampd.conf.txt", text))[1:]] == [
        "usedns: use DNS to find the lamps of the yard that have no address in the table",
        "lookup: Find the lamps of the yard in the table of addresses as they were put down",
        "lampctl network-lamps of the yard with all of the options that there are today",
        "Either the yard or the hall has a lamp. This is a long paragraph of text.",
    ]


def test_running_headers_and_footers_are_left_out(tmp_path: Path) -> None:
    head, foot = (
        "LAMPD(8)              Yard tools              LAMPD(8)",
        "lampd 2.1             May 2026              lampd(8)",
    )
    texts = ["       The lamps go on.", "       See lampd(8).", "       They go off."]
    page = read_text(
        tmp_path, "lampd.8.txt", "\n\n".join([head, *texts[:2], foot, head, texts[2], "BSD    May 1    BSD\n"])
    )
    assert kinds(page) == [("heading", "LAMPD(8)"), *(("paragraph", text.strip()) for text in texts)]
    assert len(read_text(tmp_path, "rows.txt", "Rows of lamps\n\nYard   nine   Yard\n").blocks) == 2
