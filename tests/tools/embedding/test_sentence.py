"""What only the sentence-transformers embedder promises: errors that say what to do."""

import subprocess
import sys


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
