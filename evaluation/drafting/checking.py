"""Whether a written question makes a case: answerable, found, with one meaning."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.answers import context_of
from agent.services import Services
from agent.steps.passages import augment_question, retrieve
from agent.steps.question import classify_context, identify_jargon, look_up_jargon
from contracts.jargon import Reading
from contracts.question import Asker
from contracts.text import Passage
from tools.language import content_stems

# A sense that is nearly as probable as another is no gold reading.
_CERTAIN = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedQuestion:
    """What the bot makes of a question: the probability that its passage answers it, whether search brings it back.

    ``ambiguous`` says that the bot would ask back, or that the documents give one of its terms several meanings.
    ``reading`` is the dictionary term that was read with certainty, ``context`` the one in which it was.
    """

    answerability: float
    found: bool
    ambiguous: bool
    reading: Reading | None
    context: str


async def check_question(question: str, passage: Passage, services: Services) -> CheckedQuestion:
    """Read, augment and search ``question`` by the steps of the graph, and judge it against ``passage`` alone."""
    anyone = Asker()
    jargon = await identify_jargon(question, services)
    contexts = await classify_context(question, (), anyone, services)
    readings = await look_up_jargon(question, jargon, contexts, anyone, (), services)
    context = context_of((), readings, contexts.best)
    augmented, _ = await augment_question(question, context, readings, services)
    found = await retrieve(augmented, readings, services)
    verdict = await services.answerability_judge.judge(augmented, [passage])
    certain = [each for each in readings if _is_certain(each)]
    reading = certain[0] if certain else None
    return CheckedQuestion(
        answerability=verdict.probability,
        found=any(_holds(each, passage) for each in found.passages),
        ambiguous=any(each.status == "ambiguous" for each in readings) or await _means_several(readings, services),
        reading=reading,
        context=reading.sense.context if reading and reading.sense else "",
    )


async def _means_several(readings: Sequence[Reading], services: Services) -> bool:
    """Say whether the documents spell out a term of the question in several ways that no dictionary entry decides."""
    terms = [each.mention.term for each in readings if each.status == "documents"]
    mined = await services.dictionary.drafts(terms) if terms else {}
    return any(len({content_stems(each.extended_name) for each in senses}) > 1 for senses in mined.values())


def _is_certain(reading: Reading) -> bool:
    return reading.status == "chosen" and reading.sense is not None and reading.probability >= _CERTAIN


def _holds(found: Passage, passage: Passage) -> bool:
    return found.chunk.id == passage.chunk.id
