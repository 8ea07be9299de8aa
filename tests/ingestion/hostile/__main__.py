"""Make a folder of hostile files, and see what ingestion says of them.

    python -m tests.ingestion.hostile FOLDER              make the files
    python -m tests.ingestion.hostile FOLDER --ingest     make them, ingest them with the command line, and check it

The second prints the line of each file, the seconds and the largest memory of a worker, and exits with 1 where a file
ended otherwise than it should. It takes some minutes: the slow files are part of it.
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.ingestion.hostile.files import HostileFile
from tests.ingestion.hostile.folders import ODD, write_odd_folder
from tests.ingestion.hostile.others import OTHERS
from tests.ingestion.hostile.pdfs import PDFS


def make(folder: Path, *, slow: bool) -> tuple[HostileFile, ...]:
    """Write the hostile files into ``folder``, the slow ones too if asked; return them."""
    chosen = tuple(each for each in (*OTHERS, *PDFS) if slow or not each.slow)
    folder.mkdir(parents=True, exist_ok=True)
    for each in chosen:
        each.write(folder / each.name)
    write_odd_folder(folder / "odd")
    return chosen


def misfits(folder: Path, chosen: tuple[HostileFile, ...], told: list[dict[str, Any]]) -> list[str]:
    """Return what ended otherwise than it should; ``told`` are the events of ``golden ingest --json``."""
    found: list[str] = []
    for each in chosen:
        place = str(folder / each.name)
        files = [event for event in told if event["path"] == place or event["path"].startswith(f"{place}!/")]
        if not files:
            found.append(f"{each.name}: nothing is said of it")
        for event in files:
            said = f"{event.get('reason') or ''} {' '.join(event.get('warnings') or ())}"
            if event["status"] not in each.statuses or not re.search(each.says, said):
                found.append(f"{each.name}: {event['status']} {said}")
    for name, says in ODD.items():
        (event,) = [event for event in told if event["path"] == str(folder / "odd" / name)]
        if event["status"] != "skipped" or not re.search(says, event["reason"]):
            found.append(f"{name}: {event['status']} {event['reason']}")
    return found


def _ingest(folder: Path, chosen: tuple[HostileFile, ...]) -> int:
    with tempfile.TemporaryDirectory(prefix="golden-hostile-") as data:
        environment = {**os.environ, "GOLDEN_DATA_DIR": data, "GOLDEN_WORKERS": "2"}
        started = time.monotonic()
        command = [sys.executable, "-m", "golden_retriever", "ingest", str(folder), "--json"]
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        seconds = time.monotonic() - started
    print(result.stderr, end="")
    told = [json.loads(line) for line in result.stdout.splitlines()]
    files = [event for event in told if event["event"] == "file"]
    for event in files:
        print(f"{event['seconds']:7.1f} s  {event['status']:9}  {event['path']!r}: {event.get('reason') or ''}")
        for warning in event.get("warnings") or ():
            print(f"{'':22}{warning}")
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"{len(files)} files in {seconds:.0f} s, at most {most:,} MB in one process, exit status {result.returncode}")
    wrong = misfits(folder, chosen, files)
    print("\n".join(wrong))
    return 1 if wrong or result.returncode else 0


if __name__ == "__main__":
    where = Path(sys.argv[1]).resolve()
    made = make(where, slow=True)
    sys.exit(_ingest(where, made) if "--ingest" in sys.argv else 0)
