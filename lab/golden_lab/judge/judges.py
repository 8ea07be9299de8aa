"""Make the judges of an engine, grade many answers, and compare a judge with a gold set."""

from collections.abc import Callable, Sequence

from golden_lab.engine import Engine
from golden_lab.judge.agreement import (
    EXAMPLES_EACH,
    AgreementReport,
    JudgeExample,
    choose_examples,
    held_out,
    measure_agreement,
)
from golden_lab.judge.comparison import GradedAnswerComparer
from golden_lab.judge.embedded import EmbeddedAnswerGrader, EmbeddedClaimChecker
from golden_lab.judge.grades import (
    CRITERIA,
    AnswerComparer,
    AnswerGrader,
    ClaimChecker,
    GoldItem,
    Grades,
)
from golden_lab.judge.prompted import (
    PromptedAnswerComparer,
    PromptedAnswerGrader,
    PromptedClaimChecker,
)
from golden_lab.run import SEED

OnAnswer = Callable[[], None]


def grader_of(engine: Engine, examples: Sequence[JudgeExample] = ()) -> AnswerGrader:
    """Return the grader of ``engine``; a language model is shown ``examples``.

    Raises:
        ConfigurationError: the embedded grader's calibration file cannot be read.
    """
    if engine.chat is not None:
        return PromptedAnswerGrader(engine.chat, examples)
    judges = engine.judges
    return EmbeddedAnswerGrader(judges.faithfulness_judge, judges.answerability_judge, engine.embedder)


def comparer_of(engine: Engine) -> AnswerComparer:
    """Return the comparer of two answers."""
    return PromptedAnswerComparer(engine.chat) if engine.chat else GradedAnswerComparer(grader_of(engine))


def claim_checker_of(engine: Engine) -> ClaimChecker:
    """Return the checker of an answer's claims."""
    chat = engine.chat
    return PromptedClaimChecker(chat) if chat else EmbeddedClaimChecker(engine.judges.faithfulness_judge)


async def grade_all(
    grader: AnswerGrader, items: Sequence[GoldItem], *, on_answer: OnAnswer = lambda: None
) -> dict[str, Grades]:
    """Return the grades of each item, by id.

    Raises:
        Unavailable: a required language model gave no usable reply.
    """
    graded = {}
    for item in items:
        graded[item.id] = await grader.grade(item.to_grade)
        on_answer()
    return graded


async def calibrated_grader(
    engine: Engine, gold: Sequence[GoldItem], examples_each: int = EXAMPLES_EACH, *, on_answer: OnAnswer = lambda: None
) -> tuple[AnswerGrader, tuple[JudgeExample, ...]]:
    """Return the engine's grader; a language model is shown the items of ``gold`` on which it was most wrong.

    ``examples_each`` examples are shown per criterion. The embedded engine takes none: its scale is already fitted.

    Raises:
        Unavailable: the language model gave no usable reply.
    """
    scored = [item for item in gold if item.scored]
    examples: tuple[JudgeExample, ...] = ()
    if engine.chat is not None and examples_each > 0 and scored:
        first_pass = await grade_all(grader_of(engine), scored, on_answer=on_answer)
        examples = choose_examples(scored, first_pass, each=examples_each)
    return grader_of(engine, examples), examples


async def judge_agreement(
    engine: Engine,
    gold: Sequence[GoldItem],
    examples_each: int = EXAMPLES_EACH,
    *,
    seed: int = SEED,
    on_answer: OnAnswer = lambda: None,
) -> tuple[AgreementReport, ...]:
    """Compare the engine's judge with a gold set: without examples and, if it takes any, with them.

    Both reports cover the same answers; those shown as examples count in neither report.

    Raises:
        InvalidInput: no answer has a score.
        Unavailable: the language model gave no usable reply.
    """
    calibrated, examples = await calibrated_grader(engine, gold, examples_each, on_answer=on_answer)
    some = [item for item in held_out(gold, examples) if any(item.score(name) is not None for name in CRITERIA)]
    shown = len({each.item.id for each in examples})
    graders = {", no examples": grader_of(engine), f", {shown} examples": calibrated} if shown else {"": calibrated}
    return tuple([
        measure_agreement(
            some,
            await grade_all(grader, some, on_answer=on_answer),
            judge=f"{engine.name} ({engine.model}){with_examples}",
            examples=examples,
            seed=seed,
        )
        for with_examples, grader in graders.items()
    ])  # fmt: skip
