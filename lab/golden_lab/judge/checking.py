"""Many answers checked: which share of their claims the passages support, and how near they come to a reference."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from contracts.grading import GoldItem
from golden_lab.engine import Engine
from golden_lab.judge.base import CheckedClaim, ReferenceGrades
from golden_lab.judge.engines import claim_checker_of, reference_grader_of
from golden_lab.metrics.faithfulness import claim_faithfulness, rad_score


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
