"""Lists which data each stored fit used, so that no benchmark scores data that a threshold was fitted on."""

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError
from golden_lab.results import SplitUse

# Each stored fit as package and file, followed by the fits that each judgement depends on.
_CROSS_ENCODER = ("tools.cross_encoder.weights", "card.json")
_RANKING = ("tools.reading", "ranking.json")
_ANSWERABILITY = ("intrinsics.answerability", "calibration.json")
_FAITHFULNESS = ("intrinsics.faithfulness", "calibration.json")
_CITATION = ("intrinsics.citation", "thresholds.json")
_CONTEXTS = ("intrinsics.context_classification", "calibration.json")
_FUSION = ("tools.search", "fusion.json")
_SENSES = ("tools.jargon", "senses.json")
_SUPPORT = ("golden_lab.triple_attribution", "calibration.json")
_GRADES = ("golden_lab.judge", "calibration.json")
_RANKED = (_CROSS_ENCODER, _RANKING)

FITTED_FILES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "answerability": (*_RANKED, _ANSWERABILITY),
    "context_relevance": _RANKED,
    "passage_reranking": _RANKED,
    "faithfulness": (_FAITHFULNESS,),
    "certainty": (*_RANKED, _ANSWERABILITY, _FAITHFULNESS),
    "citation": (_CITATION,),
    "context_classification": (_CONTEXTS,),
    "answer_generation": _RANKED,
    "retrieval": (_FUSION, *_RANKED),
    "query_expansion": (_FUSION,),
    "question_augmentation": (_FUSION,),
    "senses": (_SENSES,),
    "triple_attribution": (_SUPPORT,),
    "judge": (_GRADES, _FAITHFULNESS, *_RANKED, _ANSWERABILITY),
    "bot": (*_RANKED, _ANSWERABILITY, _FAITHFULNESS, _CITATION, _CONTEXTS, _FUSION, _SENSES),
}


@lru_cache(maxsize=2)
def embedded_fits(cross_encoder: Path | None = None) -> Mapping[str, tuple[SplitUse, ...]]:
    """Return, for each judgement of the embedded engine, the splits that any part of it was fitted on.

    ``cross_encoder`` is the folder of a cross-encoder that is used instead of the one shipped with the program.

    Raises:
        ConfigurationError: a stored fit does not state what it was fitted on; the message names the file.
    """
    own = {} if cross_encoder is None else {_CROSS_ENCODER: uses_in(cross_encoder / "card.json")}
    return {
        name: tuple(
            dict.fromkeys(use for stored in files for use in (own[stored] if stored in own else uses_of(*stored)))
        )
        for name, files in FITTED_FILES.items()
    }


def uses_of(package: str, file: str) -> tuple[SplitUse, ...]:
    """Return the data that was used for the fit stored as ``file`` in ``package``. Raises as ``embedded_fits`` does."""
    return uses_in(Path(str(resources.files(package).joinpath(file))))


def uses_in(path: Path) -> tuple[SplitUse, ...]:
    """Return the data that was used for the fit stored in the JSON file ``path``. Raises as ``embedded_fits`` does."""
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(stored.get("fits"), list):
        raise ConfigurationError(f'{path} does not state what it was fitted on: it needs the key "fits"')
    return tuple(SplitUse(file=use["file"], part=use["part"]) for use in stored["fits"])
