"""Which intrinsic runs on which engine: the ready profiles, and exceptions from them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, cast, get_args

Engine = Literal["embedded", "llm"]
Profile = Literal["embedded", "balanced", "quality"]

_WRITES: tuple[Profile, ...] = ("balanced", "quality")
_JUDGES: tuple[Profile, ...] = ("quality",)

# Every intrinsic that is chosen, with the profiles in which it runs on the language model. One without an
# implementation there is named in _EMBEDDED_ONLY.
_ON_LLM: Mapping[str, tuple[Profile, ...]] = MappingProxyType(
    {
        "question_rewriting": _JUDGES,
        "query_expansion": _JUDGES,
        "jargon_identification": _JUDGES,
        "context_classification": _JUDGES,
        "answer_generation": _WRITES,
        "summarisation": _WRITES,
        "question_writing": _WRITES,
        "term_mining": _JUDGES,
    }
)
_EMBEDDED_ONLY = (
    "question_augmentation",
    "context_relevance",
    "passage_reranking",
    "answerability",
    "citation",
    "faithfulness",
    "certainty",
    "refinement",
)


def engines_of(profile: Profile, exceptions: str = "") -> Mapping[str, Engine]:
    """Return the engine of each intrinsic in ``profile``, with ``exceptions`` such as "summarisation=embedded".

    Raises:
        ValueError: an exception names no intrinsic, no engine, or one that the intrinsic does not have, or two for one.
    """
    chosen: dict[str, Engine] = {name: "llm" if profile in on else "embedded" for name, on in _ON_LLM.items()}
    chosen.update(dict.fromkeys(_EMBEDDED_ONLY, "embedded"))
    return {**chosen, **read_exceptions(exceptions)}


def read_exceptions(text: str) -> Mapping[str, Engine]:
    """Read "intrinsic=engine" pairs, comma-separated; empty text holds none. Raises as ``engines_of`` does."""
    found: dict[str, Engine] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, sign, engine = (each.strip() for each in part.partition("="))
        if not sign or not name or not engine:
            raise ValueError(f'"{part}" is not of the form intrinsic=engine, such as summarisation=embedded')
        if name not in _ON_LLM and name not in _EMBEDDED_ONLY:
            known = ", ".join(sorted((*_ON_LLM, *_EMBEDDED_ONLY)))
            raise ValueError(f'there is no intrinsic "{name}"; there are: {known}')
        if engine not in get_args(Engine):
            raise ValueError(f'there is no engine "{engine}" for {name}; there are: {", ".join(get_args(Engine))}')
        if engine == "llm" and name in _EMBEDDED_ONLY:
            raise ValueError(f"{name} runs on the engine embedded only")
        if found.get(name, engine) != engine:
            raise ValueError(f"{name} is given two engines")
        found[name] = cast(Engine, engine)
    return found
