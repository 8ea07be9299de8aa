"""Ray that is not there: the package, or the cluster. What its workers do is tested with all pools of readers."""

import socket
import sys

import pytest

from contracts.errors import ConfigurationError, Unavailable
from ingestion.limits import IngestionLimits
from ingestion.workers.cluster import RayReaderPool


def test_ray_that_is_not_installed_is_asked_for_with_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigurationError, match=r'pip install "golden-retriever-bot\[ray\]"'):
        RayReaderPool("", IngestionLimits(), None)


def test_a_cluster_that_does_not_answer_is_said_to_be_absent_at_once() -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(Unavailable, match=f"no Ray cluster at {address}.*ray start --head"):
            RayReaderPool(address, IngestionLimits(), None)
