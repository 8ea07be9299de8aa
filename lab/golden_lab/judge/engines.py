"""The judges over an engine: prompted where it has a language model, embedded where not."""

from collections.abc import Sequence

from golden_lab.engine import Engine
from golden_lab.judge.base import Aggregation, AnswerComparer, AnswerGrader, ClaimChecker, ReferenceGrader
from golden_lab.judge.checked import PromptedClaimChecker, PromptedReferenceGrader
from golden_lab.judge.comparing import GradedAnswerComparer, PromptedAnswerComparer
from golden_lab.judge.embedded import EmbeddedAnswerGrader, EmbeddedClaimChecker, EmbeddedReferenceGrader
from golden_lab.judge.examples import JudgeExample
from golden_lab.judge.prompted import PromptedAnswerGrader


def grader_of(
    engine: Engine, examples: Sequence[JudgeExample] = (), *, completions: int = 1, how: Aggregation = "mean"
) -> AnswerGrader:
    """Return the grader; ``examples``, ``completions`` and ``how`` are a language model's only.

    Raises:
        ConfigurationError: ``completions`` is below 1, or the embedded grader's calibration file cannot be read.
    """
    if engine.chat is not None:
        return PromptedAnswerGrader(engine.chat, examples, completions=completions, how=how)
    judges = engine.judges
    return EmbeddedAnswerGrader(judges.faithfulness_judge, judges.answerability_judge, engine.embedder)


def comparer_of(engine: Engine) -> AnswerComparer:
    """Return who compares two answers."""
    if engine.chat is not None:
        return PromptedAnswerComparer(engine.chat)
    return GradedAnswerComparer(grader_of(engine))


def claim_checker_of(engine: Engine) -> ClaimChecker:
    """Return who checks an answer's claims."""
    if engine.chat is not None:
        return PromptedClaimChecker(engine.chat)
    return EmbeddedClaimChecker(engine.judges.faithfulness_judge)


def reference_grader_of(engine: Engine) -> ReferenceGrader:
    """Return who grades against a reference answer."""
    if engine.chat is not None:
        return PromptedReferenceGrader(engine.chat)
    return EmbeddedReferenceGrader(engine.judges.faithfulness_judge, engine.embedder)
