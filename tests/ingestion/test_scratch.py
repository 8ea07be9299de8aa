"""Temporary folders of processes that were killed: the next process removes them, and no other's."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from ingestion.scratch import remove_abandoned

ROOT = Path(__file__).resolve().parents[2]
LONG_AGO_S = 1_700_000_000
HOLD = (
    "from ingestion.scratch import scratch_folder\n"
    "with scratch_folder() as folder:\n"
    "    (folder / 'member.txt').write_text('unpacked')\n"
    "    print(folder.parent, flush=True)\n"
    "    input()\n"
)


def test_a_killed_process_leaves_its_folder_to_the_next_one(tmp_path: Path) -> None:
    environment = {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}

    def start() -> tuple[subprocess.Popen[str], Path]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD], env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        return process, Path(process.stdout.readline().strip())

    killed, left = start()
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert (left / "files" / "member.txt").is_file()
    living, held = start()
    os.utime(held, (LONG_AGO_S, LONG_AGO_S))
    assert remove_abandoned(tmp_path) == 0  # one was just made, the other is in use
    os.utime(left, (LONG_AGO_S, LONG_AGO_S))
    foreign = tmp_path / "golden-scratch-foreign"
    foreign.symlink_to(ROOT)
    next_one, _ = start()
    next_one.communicate("\n")
    assert not left.exists()
    assert (held / "files" / "member.txt").is_file()
    assert foreign.is_symlink()
    living.communicate("\n")
    assert sorted(tmp_path.iterdir()) == [foreign]
