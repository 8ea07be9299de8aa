"""The fixed critiques, and the threshold of S3 that comes with the product."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from contracts.errors import ConfigurationError

_PASSAGES = "{passages}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CritiqueTemplate:
    """The critique that goes to the writer on a rewrite, and the ``threshold`` of S3 below which it fires."""

    version: str
    threshold: float
    text: str

    def naming(self, passages: Sequence[int]) -> str:
        """Return the critique with the passages at these indexes (from 0) named by their numbers (from 1)."""
        numbers = [str(each + 1) for each in passages]
        named = " and ".join(filter(None, (", ".join(numbers[:-1]), numbers[-1]))) if numbers else "some passages"
        return self.text.replace(_PASSAGES, f"passage{'' if len(numbers) == 1 else 's'} {named}" if numbers else named)


@lru_cache(maxsize=8)
def stored_template(wording: str = "") -> CritiqueTemplate:
    """Return a critique that comes with the product (``wordings.toml``), "" for the one that it sends.

    Raises:
        ConfigurationError: there is no such wording.
    """
    stored = _stored()
    wordings = stored["wordings"]
    name = wording or str(stored["default"])
    if name not in wordings:
        raise ConfigurationError(f'there is no wording "{name}" of the critique; there are: {", ".join(wordings)}')
    return CritiqueTemplate(
        version=f"{stored['version']} {name}",
        threshold=float(stored["threshold"]),
        text=" ".join(wordings[name].split()),
    )


@lru_cache(maxsize=1)
def _stored() -> dict[str, Any]:
    return tomllib.loads(resources.files("intrinsics.refinement").joinpath("wordings.toml").read_text("utf-8"))
