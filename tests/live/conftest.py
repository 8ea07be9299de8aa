"""One tiny model and one real server for all live tests of a process."""

from collections.abc import Iterator

import pytest

from tests.live.llama_server import ABSENT, LlamaServer, find_llama_server, running_llama_server
from tests.live.tiny_model import TinyModel, make_tiny_model


@pytest.fixture(scope="session")
def llama_program() -> str:
    """Return the program, or skip the test with a word on how to get it."""
    program = find_llama_server()
    if program is None:
        pytest.skip(ABSENT)
    return program


@pytest.fixture(scope="session")
def tiny_model(llama_program: str, tmp_path_factory: pytest.TempPathFactory) -> TinyModel:
    """Make the model."""
    return make_tiny_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="session")
def server(
    llama_program: str, tiny_model: TinyModel, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LlamaServer]:
    """Run the server."""
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with running_llama_server(llama_program, tiny_model, log) as running:
        yield running
