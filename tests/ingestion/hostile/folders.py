"""What is hostile about a folder: names, links, pipes, depth, files that nobody may read, and the hostile ones."""

import os
import re
import socket
from pathlib import Path

from ingestion.reports import FileReport
from tests.ingestion.hostile.files import HOSTILE

NAMES = ("two\nlines.txt", "quote'\".txt", "bell\x07\x1b[31m.txt", "-rf.txt", "x" * 251 + ".txt", "100%s{0}.txt")
ODD = {
    # name: the reason in the report
    "pipe.txt": "not a regular file",
    "socket.txt": "not a regular file",
    "itself": "a link: name its target",
    "up": "a link to a folder",
    "passwd.txt": "a link: name its target",
    "zero.txt": "a link: name its target",
}
DEPTH = 60


def write_odd_folder(folder: Path) -> None:
    """Write names, links and pipes into ``folder``; the files in it are good ones."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(NAMES):
        (folder / name).write_text(f"Oddly named file {number} says that buoy {number} is green.", encoding="utf-8")
    with open(os.fsencode(folder) + b"/caf\xe9.txt", "wb") as file:
        file.write(b"Not to be read.")
    os.mkfifo(folder / "pipe.txt")
    here = os.getcwd()
    with socket.socket(socket.AF_UNIX) as listening:
        os.chdir(folder)  # a socket's path may have 107 bytes
        try:
            listening.bind("socket.txt")
        finally:
            os.chdir(here)
    (folder / "itself").symlink_to(folder / "itself")
    (folder / "up").symlink_to(folder)
    (folder / "passwd.txt").symlink_to("/etc/passwd")
    (folder / "zero.txt").symlink_to("/dev/zero")
    deep = folder
    for _ in range(DEPTH):
        deep = deep / "deeper"
        deep.mkdir()
    (deep / "bottom.txt").write_text("The sunken chest lies at the bottom.", encoding="utf-8")


def make(folder: Path) -> None:
    """Write the hostile files into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for each in HOSTILE:
        content = each.content()
        (folder / each.name).write_bytes(content.encode() if isinstance(content, str) else content)
    write_odd_folder(folder / "odd")


def unexpected_outcomes(folder: Path, reports: list[FileReport]) -> list[str]:
    """Return what ended otherwise than it should, by the reports of the files."""
    found: list[str] = []
    for each in HOSTILE:
        place = str(folder / each.name)
        files = [report for report in reports if report.path == place or report.path.startswith(f"{place}!/")]
        if not files:
            found.append(f"{each.name}: nothing is said of it")
        for report in files:
            message = f"{report.reason} {' '.join(report.warnings)}"
            if report.status not in each.statuses or not re.search(each.says, message):
                found.append(f"{each.name}: {report.status} {message}")
    for name, says in ODD.items():
        (report,) = [report for report in reports if report.path == str(folder / "odd" / name)]
        if report.status != "skipped" or not re.search(says, report.reason):
            found.append(f"{name}: {report.status} {report.reason}")
    return found
