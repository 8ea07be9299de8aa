"""Builds the parts of a refinement study: the writer, the checks, and the comparer."""

from typing import TYPE_CHECKING

from contracts.errors import ConfigurationError
from golden_lab.wiring.engines import build_engine
from golden_retriever.settings import Settings
from golden_retriever.wiring.chat import build_chat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.text import Passage
    from golden_lab.engine import Engine
    from golden_lab.judge.grades import AnswerComparer
    from golden_lab.refinement.attribution import FlagPassages
    from golden_lab.refinement.conditions import StudyParts


def build_study(
    settings: Settings,
    *,
    judge: str,
    judge_model: str = "",
    attribution_model: str = "",
    engine: "Engine | None" = None,
) -> "tuple[StudyParts, AnswerComparer | None]":
    """Return the writer with the checks, and the comparer (None: answers are not compared).

    The configured chat server writes; the checks are the embedded ones. ``judge`` is "llm", "embedded" or "none". The
    causal language model ``attribution_model`` (a folder or a GGUF file) determines which passages an answer relies on;
    without one, the labels of the passages do. ``engine`` replaces the embedded engine.

    Raises:
        ConfigurationError: the judge is unknown, or the chat server or the model is not set.
    """
    from golden_lab.judge.judges import comparer_of
    from golden_lab.judge.prompted import PromptedAnswerComparer
    from golden_lab.refinement.conditions import StudyParts

    if judge not in ("llm", "embedded", "none"):
        raise ConfigurationError(f'the judge "{judge}" is unknown: choose llm, embedded or none')
    chat = build_chat(settings)
    if chat is None or not settings.llm_model:
        raise ConfigurationError("the study needs a language model for writing: set GOLDEN_LLM with its name")
    checks = engine or build_engine(settings.model_copy(update={"profile": "embedded", "llm": ""}))
    comparer: AnswerComparer | None = comparer_of(checks) if judge == "embedded" else None
    if judge == "llm":
        comparer = PromptedAnswerComparer(chat, model=judge_model)
    parts = StudyParts(
        chat=chat,
        services=checks.judges,
        flag=_flags(attribution_model, checks) if attribution_model else None,
    )
    return parts, comparer


def _flags(model: str, checks: "Engine") -> "FlagPassages":
    """Return a function that flags passages by attribution with the causal language model ``model``."""
    from golden_lab.refinement.attribution import flag_by_attribution, load_model

    async def irrelevant(question: str, passages: "Sequence[Passage]") -> list[bool]:
        verdict = await checks.judges.relevance_judge.judge(question, passages)
        return [each.label in ("irrelevant", "misleading") for each in verdict.passages]

    return flag_by_attribution(load_model(model), irrelevant)
