"""What is hostile about a folder: names, links, pipes, depth, and files that nobody may read."""

import os
import socket
from pathlib import Path

NAMES = ("two\nlines.txt", "quote'\".txt", "bell\x07\x1b[31m.txt", "-rf.txt", "x" * 251 + ".txt", "100%s{0}.txt")
ODD = {
    # name: what the report says of it
    "pipe.txt": "not a regular file",
    "socket.txt": "not a regular file",
    "itself": "leads nowhere",
    "up": "a link to a folder",
    "passwd.txt": "leads out of the folder",
    "zero.txt": "not a regular file|leads out of the folder",
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
