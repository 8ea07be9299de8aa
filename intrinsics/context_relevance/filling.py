"""Relevance judged passage by passage: what one passage cannot get must not spoil the others' verdicts."""

from collections.abc import Callable, Sequence

from contracts.errors import Unavailable
from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import PassageRelevance, RelevanceVerdict
from intrinsics.context_relevance.base import RelevanceJudge


async def fill_gaps(
    judged: Sequence[PassageRelevance | Unavailable],
    question: str,
    passages: Sequence[Passage],
    second: RelevanceJudge | None,
    provenance: Callable[[], Provenance],
) -> RelevanceVerdict:
    """Return the verdict made of ``judged``, one a passage, with those of ``second`` where there is an error.

    The provenance then says of how many passages.

    Raises:
        Unavailable: the first error, where there is no second judge, or no passage with text has a verdict.
    """
    failed = {index: each for index, each in enumerate(judged) if isinstance(each, Unavailable)}
    verdicts = tuple(each for each in judged if not isinstance(each, Unavailable))
    if not failed:
        return RelevanceVerdict(passages=verdicts, provenance=provenance())
    error = next(iter(failed.values()))
    asked = sum(bool(passage.text.strip()) for passage in passages)
    if second is None or len(failed) == asked:
        raise error
    # Whole, since a judge may hold passages against one another.
    instead = (await second.judge(question, passages)).passages
    return RelevanceVerdict(
        passages=tuple(instead[index] if isinstance(each, Unavailable) else each for index, each in enumerate(judged)),
        provenance=provenance().model_copy(
            update={"degraded": f"the language model gave no verdict on {len(failed)} of {asked} passages ({error})"}
        ),
    )
