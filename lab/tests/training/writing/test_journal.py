"""What was asked is kept as it comes, whatever ends the process."""

from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from golden_lab.training.writing.journal import open_journal


def test_a_torn_last_line_is_dropped_and_written_over(tmp_path: Path) -> None:
    path = tmp_path / "out.journal"
    with open_journal(path) as journal:
        journal.put("a", 1)
    with path.open("ab") as file:
        file.write(b'{"key": "b", "val')
    with open_journal(path) as journal:
        assert (journal.get("a"), journal.get("b")) == (1, None)
        journal.put("c", 3)
    with open_journal(path) as journal:
        assert (journal.get("a"), journal.get("c")) == (1, 3)


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "out.journal"
    path.write_text("id,name\n1,x\n", "utf-8")
    with pytest.raises(InvalidInput, match=r"line 1.*--fresh"), open_journal(path):
        pass
    assert path.read_text("utf-8") == "id,name\n1,x\n"
