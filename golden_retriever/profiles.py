"""Which intrinsic runs on which engine: the predefined profiles, and exceptions from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

# "embedded": no language model. "llm": a prompt for the language model. "adapter": a LoRA adapter on the server.
Engine = Literal["embedded", "llm", "adapter"]
Profile = Literal["embedded", "balanced", "quality"]


_EMBEDDED: tuple[Engine, ...] = ("embedded",)
# Judgements that share a call with others and have no adapter.
_SHARED: tuple[Engine, ...] = ("embedded", "llm")
_EVERY: tuple[Engine, ...] = ("embedded", "llm", "adapter")

# The engines that each intrinsic supports.
ENGINES: Mapping[str, tuple[Engine, ...]] = MappingProxyType(
    {
        "question_rewriting": _EVERY,
        "query_expansion": _EMBEDDED,
        "jargon_identification": _SHARED,
        "context_classification": _SHARED,
        "question_augmentation": _EMBEDDED,
        "context_relevance": _EVERY,
        "passage_reranking": _SHARED,
        "answerability": _EVERY,
        "answer_generation": _EVERY,
        "citation": _EVERY,
        "faithfulness": _EVERY,
        "certainty": _EVERY,
        "refinement": _EMBEDDED,
        "summarisation": _EVERY,
        "question_writing": ("llm", "adapter"),
        "term_mining": _EVERY,
    }
)
# The intrinsics for which "balanced" uses the language model; "quality" uses it wherever possible.
_WRITTEN = frozenset({"answer_generation", "summarisation", "question_writing"})


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionCost:
    """The maximum cost of a question on the language model: calls, and tokens of prompts and replies."""

    calls: int
    prompt_tokens: int
    reply_tokens: int


# Tokens for plain questions about the examples (docs/benchmarks/speed.md), with answers of at least 100 tokens.
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
        ValueError: an exception names an unknown intrinsic or engine, an engine that the intrinsic lacks, or two
        engines for one intrinsic.
    """
    prompted = {name for name, engines in ENGINES.items() if "llm" in engines}
    on_llm = {"embedded": frozenset[str](), "balanced": _WRITTEN, "quality": prompted}[profile]
    chosen: dict[str, Engine] = {name: "llm" if name in on_llm else "embedded" for name in ENGINES}
    return {**chosen, **read_exceptions(exceptions)}


def read_exceptions(text: str) -> Mapping[str, Engine]:
    """Read comma-separated "intrinsic=engine" pairs ("": none). Raises the same errors as ``engines_of``."""
    found: dict[str, Engine] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, sign, engine = (each.strip() for each in part.partition("="))
        if not sign or not name or not engine:
            raise ValueError(f'"{part}" is not of the form intrinsic=engine, such as summarisation=embedded')
        if name not in ENGINES:
            raise ValueError(f'there is no intrinsic "{name}"; choose from: {", ".join(sorted(ENGINES))}')
        if engine not in get_args(Engine):
            raise ValueError(f'there is no engine "{engine}"; choose from: {", ".join(get_args(Engine))}')
        if engine not in ENGINES[name]:
            raise ValueError(f"{name} does not run on the engine {engine}; it runs on: {', '.join(ENGINES[name])}")
        if found.get(name, engine) != engine:
            raise ValueError(f"{name} is given two engines")
        found[name] = engine
    return found
