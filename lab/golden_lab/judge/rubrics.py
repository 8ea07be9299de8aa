"""The rubric's words and the prompts: the same scale for people and for judges."""

import tomllib
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from contracts.errors import ConfigurationError
from golden_lab.judge.grades import CRITERIA, HIGHEST_GRADE, Criterion, Rubric
from tools.prompts import Prompt, load_prompt
from tools.reading.fencing import fence_texts

RUBRICS_FOLDER = Path(__file__).parents[1] / "rubrics"


class _Scale(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    asks: str = Field(min_length=1)
    levels: tuple[str, ...] = Field(min_length=HIGHEST_GRADE, max_length=HIGHEST_GRADE)


class _Scales(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str = Field(min_length=1)
    relevance: _Scale
    faithfulness: _Scale
    completeness: _Scale


@lru_cache(maxsize=8)
def _read_scales(path: Path) -> _Scales:
    try:
        return _Scales.model_validate(tomllib.loads(path.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"The rubric {path} cannot be read: {error}.") from error
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        raise ConfigurationError(f"The rubric {path} is not a rubric: {problems}.") from error


def load_rubrics(folder: Path = RUBRICS_FOLDER) -> tuple[Rubric, ...]:
    """Return the rubric of each criterion, in the order of ``CRITERIA``.

    Raises:
        ConfigurationError: ``scales.toml`` cannot be read, lacks a key or has an unknown one; the text names it.
    """
    scales = _read_scales(folder / "scales.toml")
    found = []
    for criterion in CRITERIA:
        scale: _Scale = getattr(scales, criterion)
        found.append(Rubric(criterion=criterion, asks=scale.asks, levels=scale.levels))
    return tuple(found)


def scales_version(folder: Path = RUBRICS_FOLDER) -> str:
    """Return the version of the scales' words."""
    return _read_scales(folder / "scales.toml").version


@lru_cache(maxsize=32)
def load_rubric_prompt(name: str, folder: Path = RUBRICS_FOLDER) -> Prompt:
    """Return prompt ``name`` of the rubrics ("pairwise").

    Raises:
        ConfigurationError: it cannot be read, lacks a key or has an unknown one; the text names it.
    """
    return load_prompt(folder / f"{name}.toml")


def scale_words(folder: Path = RUBRICS_FOLDER) -> MappingProxyType[Criterion, str]:
    """Return each criterion's scale as a prompt shows it, best grade first."""
    return MappingProxyType(
        {
            rubric.criterion: "\n".join(
                f"{grade}: {rubric.levels[grade - 1]}" for grade in range(len(rubric.levels), 0, -1)
            )
            for rubric in load_rubrics(folder)
        }
    )


def fence_one(label: str, text: str, fence: str) -> str:
    """Put one text between marks that name it."""
    return f"<<{label} {fence}>>\n{text.strip() or '(empty)'}\n<<end {label} {fence}>>"


def fence_passages(passages: tuple[str, ...], fence: str) -> str:
    """Put passages between numbered marks, or say that there are none."""
    return fence_texts(passages, fence) if passages else fence_one("passage", "(there is no passage)", fence)
