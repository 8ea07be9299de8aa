"""The trained encoder: whether there is one, and which judgements use it."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from golden_retriever.profiles import ENCODED
from golden_retriever.settings import Settings

if TYPE_CHECKING:
    from tools.encoder import PairEncoder
    from tools.judges import JoinedEncoder


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedEncoder:
    """Weights in ``folder`` with their calibration, and the intrinsics that ``used_by``."""

    folder: Path
    encoder: "PairEncoder"
    used_by: frozenset[str]

    def joined(self, intrinsic: str) -> "JoinedEncoder | None":
        """Return the encoder as it stands behind ``intrinsic``, None where that does not use it."""
        from tools.encoder.joining import load_joined
        from tools.judges import JoinedEncoder

        if intrinsic not in self.used_by:
            return None
        return JoinedEncoder(self.encoder, load_joined(self.folder, intrinsic))


def build_encoder(settings: Settings) -> TrainedEncoder | None:
    """Return the trained encoder that the settings ask for; None where it is off, or none came with the program.

    Raises:
        ConfigurationError: the weights that the settings name, or their calibration, are missing or damaged.
    """
    folder = settings.encoder_folder or shipped_weights()
    if settings.encoder == "off" or (
        settings.encoder == "on" and not settings.encoder_folder and not _is_there(folder)
    ):
        return None
    from tools.encoder.joining import better_with_encoder

    better = better_with_encoder(folder)
    used_by = better if settings.encoder == "on" else frozenset(settings.encoder.split(","))
    return TrainedEncoder(folder=folder, encoder=_opened(folder), used_by=used_by & ENCODED)


def shipped_weights() -> Path:
    """Return the folder in which the program's own weights lie, where it has any."""
    import tools.encoder

    return Path(tools.encoder.__path__[0]) / "weights"


def _is_there(folder: Path) -> bool:
    from tools.encoder.joining import CALIBRATION_FILE

    return (folder / CALIBRATION_FILE).is_file()


@lru_cache(maxsize=2)
def _opened(folder: Path) -> "PairEncoder":
    from tools.embedding.weights import find_default_model
    from tools.encoder.onnx import OnnxPairEncoder

    return OnnxPairEncoder(folder, find_default_model() / "tokenizer.json")
