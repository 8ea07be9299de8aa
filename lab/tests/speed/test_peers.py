"""Golden Retriever beside other libraries."""

from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from golden_lab.speed.peers import choose_files


def test_the_files_that_answer_are_read_with_others_in_one_order(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.html").write_text("text", encoding="utf-8")
    chosen = choose_files(tmp_path, {"3.html", "7.html"}, 5)
    assert len(chosen) == 5
    assert {"3.html", "7.html"} < {path.name for path in chosen}
    assert chosen == choose_files(tmp_path, {"3.html", "7.html"}, 5)
    with pytest.raises(InvalidInput, match=r"99\.html"):
        choose_files(tmp_path, {"99.html"}, 5)
