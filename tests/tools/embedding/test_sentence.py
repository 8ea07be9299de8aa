"""What only the sentence-transformers embedder promises: errors that say what to do."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from contracts.errors import ConfigurationError
from tools.embedding.sentence import SentenceTransformerEmbedder


@pytest.mark.torch
@pytest.mark.slow
async def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    if importlib.util.find_spec("sentence_transformers") is None:
        pytest.skip("sentence-transformers is not installed (extra sentence-transformers)")
    with pytest.raises(ConfigurationError, match=str(tmp_path)):
        await SentenceTransformerEmbedder(str(tmp_path)).embed_documents(["x"])


def test_without_the_extra_the_command_that_installs_it_is_named() -> None:
    # A path finder of the interpreter itself hides the package, as on a machine that lacks it.
    script = (
        "import sys, asyncio\n"
        "sys.modules['sentence_transformers'] = None\n"
        "from tools.embedding.sentence import SentenceTransformerEmbedder\n"
        "try:\n"
        "    asyncio.run(SentenceTransformerEmbedder('some-model').embed_documents(['x']))\n"
        "except Exception as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("ConfigurationError")
    assert "pip install 'golden-retriever-bot[sentence-transformers]'" in done.stdout
