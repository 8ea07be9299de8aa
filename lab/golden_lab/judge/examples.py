"""Worked examples for a judge: where it disagreed most with a person, and the check that they do not count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.errors import InvalidInput
from contracts.grading import CRITERIA, Criterion, GoldItem, Grades

EXAMPLES_EACH = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeExample:
    """A gold item shown to the judge under one criterion, and by how much the judge had been off (judge - person)."""

    criterion: Criterion
    item: GoldItem
    disagreement: float


def choose_examples(
    gold: Sequence[GoldItem], first_pass: Mapping[str, Grades], *, each: int = EXAMPLES_EACH
) -> tuple[JudgeExample, ...]:
    """Choose up to ``each`` examples a criterion: the items on which a judge without examples was off most.

    Only items with the person's score and an explanation in their words can be examples. Of those equally far off, a
    score not shown yet comes first, so that the judge does not learn one number. At most half of the items are used in
    all: the rest must carry the agreement.

    Source: Saxena and Owyang 2025, section 4.2 and appendix D: few-shot examples of the largest difference, each with
    the human judge's explanation.
    """
    chosen: list[JudgeExample] = []
    used: set[str] = set()
    most = len(gold) // 2
    for criterion in CRITERIA:
        pool = []
        for item in gold:
            score = item.score(criterion)
            if score is not None and item.explanation.strip() and item.id in first_pass:
                pool.append((first_pass[item.id].of(criterion) - score, score, item))
        shown: set[int] = set()
        for _ in range(each):
            open_ = [one for one in pool if one[2].id in used or len(used) < most]
            if not open_:
                break
            best = min(open_, key=lambda one: (-abs(one[0]), one[1] in shown, one[2].id))
            pool.remove(best)
            shown.add(best[1])
            used.add(best[2].id)
            chosen.append(JudgeExample(criterion=criterion, item=best[2], disagreement=best[0]))
    return tuple(chosen)


def held_out(gold: Sequence[GoldItem], examples: Sequence[JudgeExample]) -> tuple[GoldItem, ...]:
    """Return the items that no example gives away: neither the same item nor the same answer under another id."""
    ids = {example.item.id for example in examples}
    texts = {_text(example.item) for example in examples}
    return tuple(item for item in gold if item.id not in ids and _text(item) not in texts)


def check_no_leak(gold: Sequence[GoldItem], examples: Sequence[JudgeExample]) -> None:
    """Refuse to measure agreement on an item that the judge was shown.

    Raises:
        InvalidInput: an item is an example; the text names it.
    """
    kept = {item.id for item in held_out(gold, examples)}
    shown = [item.id for item in gold if item.id not in kept]
    if shown:
        raise InvalidInput(
            f"The judge was shown {', '.join(shown[:5])} as examples: these cannot count in its agreement. "
            "Measure on the items that are held out."
        )


def _text(item: GoldItem) -> tuple[str, str]:
    return " ".join(item.question.split()).casefold(), " ".join(item.answer.split()).casefold()
