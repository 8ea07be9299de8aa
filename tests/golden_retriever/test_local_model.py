"""A GGUF file that cannot be served: what is wrong is said before anything is started."""

import sys
from pathlib import Path

import pytest

from contracts.errors import ConfigurationError
from golden_retriever.language_models.local_server import serving_file


async def assert_refused(path: Path) -> str:
    with pytest.raises(ConfigurationError) as caught:
        async with serving_file(path):
            pass
    return str(caught.value)


async def test_a_file_that_cannot_be_served_is_named_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "some.gguf"
    assert (
        await assert_refused(path) == f"There is no file {path}: GOLDEN_LLM or --model takes the path of a GGUF file."
    )
    path.write_bytes(b"<html>not found</html>")
    assert "is not a GGUF file" in await assert_refused(path)
    path.write_bytes(b"GGUF and no more")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    assert "pip install 'golden-retriever-bot[local]'" in await assert_refused(path)
