"""The real default model, opened once."""

from tests.intrinsics.conftest import minilm

__all__ = ["minilm"]
