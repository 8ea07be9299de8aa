"""The command line that every calibration shares, its embedder, and the split by group."""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from golden_lab.splits import half
from golden_lab.vectors import StoredEmbedder
from tools.embedding.base import Embedder


@dataclass(slots=True, kw_only=True)
class Arguments:
    """What a calibration is run with. ``scratch`` keeps vectors between runs; ``out`` "" writes beside the judge."""

    data: Path
    scratch: Path
    out: str = ""
    seed: int = 7
    embedder_name: str = field(default="")

    def output(self, module: ModuleType) -> Path:
        """Return where the calibration file of the judge in ``module`` goes."""
        return Path(self.out) if self.out else Path(str(module.__file__)).with_name("calibration.json")


def arguments(name: str) -> Arguments:
    """Read the command line of calibration ``name``."""
    parser = argparse.ArgumentParser(prog=f"python -m golden_lab.calibration.{name}", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the benchmark data, one folder a set")
    parser.add_argument("--scratch", type=Path, required=True, help="a folder for vectors, outside the repository")
    parser.add_argument("--out", default="", help="where to write the coefficients (default: beside the judge)")
    parser.add_argument("--seed", type=int, default=7)
    read = parser.parse_args()
    read.scratch.mkdir(parents=True, exist_ok=True)
    return Arguments(data=read.data, scratch=read.scratch, out=read.out, seed=read.seed)


def open_embedder(run: Arguments) -> Embedder:
    """Open the default embedder with its vectors kept in the scratch folder."""
    from tools.embedding.onnx import OnnxEmbedder
    from tools.embedding.weights import find_default_model

    embedder = StoredEmbedder(OnnxEmbedder(find_default_model(), run.scratch), run.scratch / "vectors.db")
    run.embedder_name = embedder.name
    return embedder


def held_out_rows(set_name: str, groups: Sequence[str]) -> NDArray[np.bool_]:
    """Say which rows are not fitted on: those whose group lies in the half of data set ``set_name`` that is scored."""
    return np.array([half(set_name, group) == "score" for group in groups], dtype=np.bool_)


def kinds(names: Sequence[str], values: Sequence[bool]) -> dict[str, float]:
    """Return the share of true values of each kind, with its count in the name."""
    found: dict[str, list[bool]] = defaultdict(list)
    for name, value in zip(names, values, strict=True):
        found[name].append(value)
    return {f"{name} (n={len(each)})": round(sum(each) / len(each), 4) for name, each in sorted(found.items())}


def report(figures: dict[str, Any]) -> None:
    """Print the figures."""
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
