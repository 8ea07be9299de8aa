"""Which intrinsic runs on which engine: the predefined profiles, and exceptions from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

# "embedded": no language model. "llm": a prompt of the language model. "adapter": a LoRA adapter on the server.
Engine = Literal["embedded", "llm", "adapter"]
Profile = Literal["embedded", "balanced", "quality"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineChoice:
    """The engines that an intrinsic has, and the one it runs on in two profiles; in the third all are embedded."""

    engines: tuple[Engine, ...]
    balanced: Engine
    quality: Engine


_WRITES = EngineChoice(engines=("embedded", "llm", "adapter"), balanced="llm", quality="llm")
_JUDGES = EngineChoice(engines=("embedded", "llm", "adapter"), balanced="embedded", quality="llm")
# Judgements that share a call with others, and have no adapter.
_SHARED = EngineChoice(engines=("embedded", "llm"), balanced="embedded", quality="llm")
_EMBEDDED = EngineChoice(engines=("embedded",), balanced="embedded", quality="embedded")

ENGINES: Mapping[str, EngineChoice] = MappingProxyType(
    {
        "question_rewriting": _JUDGES,
        "query_expansion": _EMBEDDED,
        "jargon_identification": _SHARED,
        "context_classification": _SHARED,
        "question_augmentation": _EMBEDDED,
        "context_relevance": _JUDGES,
        "passage_reranking": _SHARED,
        "answerability": _JUDGES,
        "answer_generation": _WRITES,
        "citation": _JUDGES,
        "faithfulness": _JUDGES,
        "certainty": _JUDGES,
        "refinement": _EMBEDDED,
        "summarisation": _WRITES,
        "question_writing": EngineChoice(engines=("llm", "adapter"), balanced="llm", quality="llm"),
        "term_mining": _JUDGES,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionCost:
    """What a question costs on the language model: the maximum of calls, and the tokens of prompts and replies."""

    calls: int
    prompt_tokens: int
    reply_tokens: int


# Tokens of plain questions about the examples (docs/benchmarks/speed.md), with an answer of 100 tokens or more.
COSTS: Mapping[Profile, QuestionCost] = MappingProxyType(
    {
        "embedded": QuestionCost(calls=0, prompt_tokens=0, reply_tokens=0),
        "balanced": QuestionCost(calls=2, prompt_tokens=1_500, reply_tokens=150),
        "quality": QuestionCost(calls=6, prompt_tokens=8_400, reply_tokens=400),
    }
)


def engines_of(profile: Profile, exceptions: str = "") -> Mapping[str, Engine]:
    """Return the engine of each intrinsic in ``profile``, with ``exceptions`` such as "summarisation=embedded".

    Raises:
        ValueError: an exception names no intrinsic, no engine, or one that the intrinsic does not have, or two for one.
    """
    chosen: dict[str, Engine] = {
        name: {"embedded": "embedded", "balanced": choice.balanced, "quality": choice.quality}[profile]
        for name, choice in ENGINES.items()
    }
    return {**chosen, **read_exceptions(exceptions)}


def read_exceptions(text: str) -> Mapping[str, Engine]:
    """Read "intrinsic=engine" pairs, comma-separated; empty text means none. Raises as ``engines_of`` does."""
    found: dict[str, Engine] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, sign, engine = (each.strip() for each in part.partition("="))
        if not sign or not name or not engine:
            raise ValueError(f'"{part}" is not of the form intrinsic=engine, such as summarisation=embedded')
        if name not in ENGINES:
            raise ValueError(f'there is no intrinsic "{name}"; there are: {", ".join(sorted(ENGINES))}')
        if engine not in get_args(Engine):
            raise ValueError(f'there is no engine "{engine}"; there are: {", ".join(get_args(Engine))}')
        has = ENGINES[name].engines
        if engine not in has:
            raise ValueError(f"{name} does not run on the engine {engine}; it runs on: {', '.join(has)}")
        if found.get(name, engine) != engine:
            raise ValueError(f"{name} is given two engines")
        found[name] = engine
    return found
