"""The judges over an engine, many answers graded and checked, and a judge held against a gold set."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from golden_lab.engine import Engine
from golden_lab.judge.agreement import (
    EXAMPLES_EACH,
    AgreementReport,
    JudgeExample,
    choose_examples,
    held_out,
    measure_agreement,
)
from golden_lab.judge.base import (
    Aggregation,
    AnswerComparer,
    AnswerGrader,
    CheckedClaim,
    ClaimChecker,
    ReferenceGrader,
    ReferenceGrades,
)
from golden_lab.judge.checked import PromptedClaimChecker, PromptedReferenceGrader
from golden_lab.judge.comparing import GradedAnswerComparer, PromptedAnswerComparer
from golden_lab.judge.embedded import EmbeddedAnswerGrader, EmbeddedClaimChecker, EmbeddedReferenceGrader
from golden_lab.judge.grades import CRITERIA, GoldItem, Grades
from golden_lab.judge.prompted import PromptedAnswerGrader
from golden_lab.metrics.answers import claim_faithfulness, rad_score
from golden_lab.run import SEED


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


OnAnswer = Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSetting:
    """How a language model judges; the embedded engine has no such choices.

    ``examples_each`` worked examples a criterion, ``completions`` a grade, aggregated by ``how``.
    """

    examples_each: int = EXAMPLES_EACH
    completions: int = 1
    how: Aggregation = "mean"


async def grade_all(
    grader: AnswerGrader, items: Sequence[GoldItem], *, on_answer: OnAnswer = lambda: None
) -> dict[str, Grades]:
    """Return the grades of each item, by id.

    Raises:
        Unavailable: the grader needs a language model that did not give what was asked for.
    """
    graded = {}
    for item in items:
        graded[item.id] = await grader.grade(item.to_grade)
        on_answer()
    return graded


async def calibrated_grader(
    engine: Engine, gold: Sequence[GoldItem], setting: JudgeSetting, *, on_answer: OnAnswer = lambda: None
) -> tuple[AnswerGrader, tuple[JudgeExample, ...]]:
    """Return the engine's grader, a language model with the examples of ``gold`` on which it was off most without any.

    The embedded engine takes no examples: its scale was fitted before.

    Raises:
        ConfigurationError: ``setting`` asks for fewer than one completion.
        Unavailable: the language model did not give what was asked for.
    """
    scored = [item for item in gold if item.scored]
    examples: tuple[JudgeExample, ...] = ()
    if engine.chat is not None and setting.examples_each > 0 and scored:
        first_pass = await grade_all(grader_of(engine), scored, on_answer=on_answer)
        examples = choose_examples(scored, first_pass, each=setting.examples_each)
    return grader_of(engine, examples, completions=setting.completions, how=setting.how), examples


async def judge_agreement(
    engine: Engine,
    gold: Sequence[GoldItem],
    setting: JudgeSetting,
    *,
    seed: int = SEED,
    on_answer: OnAnswer = lambda: None,
) -> tuple[AgreementReport, ...]:
    """Hold the engine's judge against a gold set: without examples and, where it takes any, with them.

    Both reports are over the same answers: those that were shown as examples count in neither.

    Raises:
        InvalidInput: no answer has a score.
        Unavailable: the language model did not give what was asked for.
    """
    grader, examples = await calibrated_grader(engine, gold, setting, on_answer=on_answer)
    some = [item for item in held_out(gold, examples) if any(item.score(name) is not None for name in CRITERIA)]
    reports = []
    if examples:
        plain = await grade_all(grader_of(engine), some, on_answer=on_answer)
        reports.append(_report(some, plain, f"{engine.name} ({engine.model}), no examples", examples, seed))
    graded = await grade_all(grader, some, on_answer=on_answer)
    shown = f", {len({each.item.id for each in examples})} examples" if examples else ""
    several = f", {setting.how} of {setting.completions}" if engine.chat is not None and setting.completions > 1 else ""
    reports.append(_report(some, graded, f"{engine.name} ({engine.model}){shown}{several}", examples, seed))
    return tuple(reports)


def _report(
    items: Sequence[GoldItem],
    graded: Mapping[str, Grades],
    judge: str,
    examples: Sequence[JudgeExample],
    seed: int,
) -> AgreementReport:
    return measure_agreement(items, graded, judge=judge, examples=examples, seed=seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedAnswer:
    """An answer's claims, each checked, and its grades against the reference; None where it has no reference."""

    claims: tuple[CheckedClaim, ...]
    reference: ReferenceGrades | None

    @property
    def faithfulness(self) -> float | None:
        """The RAGAS-style share of claims that the passages support, in [0, 1]; None where nothing is claimed."""
        return claim_faithfulness([claim.supported for claim in self.claims]) if self.claims else None

    @property
    def rad(self) -> float | None:
        """The RAD-style score against the reference, in [0, 1]; None without a reference."""
        if self.reference is None:
            return None
        return rad_score((self.reference.faithfulness, self.reference.appropriateness, self.reference.completeness))


async def check_all(
    engine: Engine, items: Sequence[GoldItem], *, on_answer: Callable[[], None] = lambda: None
) -> Mapping[str, CheckedAnswer]:
    """Return each item checked, by id.

    Raises:
        Unavailable: the engine's language model did not give what was asked for.
    """
    claims, references = claim_checker_of(engine), reference_grader_of(engine)
    checked = {}
    for item in items:
        answer = item.to_grade
        against = await references.grade(answer) if answer.reference.strip() else None
        checked[item.id] = CheckedAnswer(claims=await claims.check(answer), reference=against)
        on_answer()
    return checked
