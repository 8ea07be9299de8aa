"""What was fitted on what: the ledger that keeps the bench from scoring what a threshold has seen."""

import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError
from evaluation.results import SplitUse

# Each stored fit, by package and file, and the judgements whose scores rest on it.
_READING = ("tools.reading", "coefficients.json")
_ANSWERABILITY = ("intrinsics.answerability", "calibration.json")
_RELEVANCE = ("intrinsics.context_relevance", "calibration.json")
_RERANKING = ("intrinsics.passage_reranking", "calibration.json")
_FAITHFULNESS = ("intrinsics.faithfulness", "calibration.json")
_CERTAINTY = ("intrinsics.certainty", "calibration.json")
_CITATION = ("intrinsics.citation", "thresholds.json")
_CONTEXTS = ("intrinsics.context_classification", "calibration.json")
_FUSION = ("tools.search", "fusion.json")
_SENSES = ("tools.jargon", "senses.json")
_SUPPORT = ("golden_lab.triple_attribution", "calibration.json")
_GRADES = ("golden_lab.judge", "calibration.json")

FITTED_FILES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "answerability": (_ANSWERABILITY, _READING),
    "context_relevance": (_RELEVANCE,),
    "passage_reranking": (_RERANKING,),
    "faithfulness": (_FAITHFULNESS,),
    "certainty": (_CERTAINTY, _ANSWERABILITY, _RELEVANCE, _FAITHFULNESS, _READING),
    "citation": (_CITATION,),
    "context_classification": (_CONTEXTS,),
    "answer_generation": (_READING, _FAITHFULNESS),
    "retrieval": (_FUSION, _RERANKING),
    "query_expansion": (_FUSION,),
    "question_augmentation": (_FUSION,),
    "senses": (_SENSES,),
    "triple_attribution": (_SUPPORT,),
    "judge": (_GRADES, _FAITHFULNESS, _ANSWERABILITY, _READING),
    "bot": (
        _READING, _ANSWERABILITY, _RELEVANCE, _RERANKING, _FAITHFULNESS, _CERTAINTY, _CITATION, _CONTEXTS, _FUSION,
        _SENSES,
    ),
}  # fmt: skip


@lru_cache(maxsize=1)
def embedded_fits() -> Mapping[str, tuple[SplitUse, ...]]:
    """Return for each judgement of the embedded engine the splits that anything in it was fitted on.

    Raises:
        ConfigurationError: a stored fit does not say what it was fitted on; the text names the file.
    """
    return {
        name: tuple(dict.fromkeys(use for package, file in files for use in uses_of(package, file)))
        for name, files in FITTED_FILES.items()
    }


def fits_with_encoder(folder: Path, used_by: Collection[str]) -> Mapping[str, tuple[SplitUse, ...]]:
    """Return ``embedded_fits`` where the judgements ``used_by`` use the trained encoder in ``folder`` too.

    Its calibration names what it, and the weights beside it, have seen; what rests on one of these judgements rests on
    that too. Raises as ``embedded_fits`` does.
    """
    path = folder / "calibration.json"
    seen = _uses(json.loads(path.read_text(encoding="utf-8")), str(path))
    packages = {f"intrinsics.{name}" for name in used_by}
    resting = {name for name, files in FITTED_FILES.items() if packages & {package for package, _ in files}}
    return {
        name: tuple(dict.fromkeys((*uses, *(seen if name in {*used_by, *resting} else ()))))
        for name, uses in {**dict.fromkeys(used_by, ()), **embedded_fits()}.items()
    }


def uses_of(package: str, file: str) -> tuple[SplitUse, ...]:
    """Return what the fit stored as ``file`` in ``package`` was fitted on. Raises as ``embedded_fits`` does."""
    stored: dict[str, Any] = json.loads(resources.files(package).joinpath(file).read_text(encoding="utf-8"))
    return _uses(stored, f"{package.replace('.', '/')}/{file}")


def _uses(stored: Mapping[str, Any], place: str) -> tuple[SplitUse, ...]:
    if not isinstance(stored.get("fits"), list):
        raise ConfigurationError(f'{place} does not say what it was fitted on: it needs the key "fits"')
    return tuple(SplitUse(file=use["file"], part=use["part"]) for use in stored["fits"])
