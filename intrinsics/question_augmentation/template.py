"""Question augmentation with a template, which both engines use because it needs no model."""

import re
import time
from collections.abc import Sequence

from contracts.jargon import Reading
from contracts.question import AugmentedQuestion
from tools.judges import provenance_since

# An embedding model reads about 256 tokens, and the question must remain the larger part of them.
_MAX_DESCRIPTION_CHARACTERS = 140
_MAX_DEFINITIONS = 8

# For "What port does it use if I set none?", documents describe the value "by default".
_CHANGED = (
    r"(?:set|gave|give|given|change|changed|say|specify|specified|touch|pass|configure|configured|choose|tell|told)"
)
_ASKS_FOR_DEFAULT = re.compile(
    rf"\b(?:if|when|where) (?:i|we|you|one|nobody) (?:do not |don['’]?t |never )?(?:{_CHANGED} (?:nothing|none|no)\b"
    rf"|leave .{{0,30}}(?:alone|out)\b)|\b(?:if|when) (?:i|we|you|one) (?:do not|don['’]?t|never) {_CHANGED}\b"
    rf"|\b(?:(?:if|when) (?:it is not|it's not|not|nothing is)|unless(?: it is| it's)?) {_CHANGED}\b"
    r"|\bwithout (?:setting|changing|giving)\b"
    r"|\bout of the box\b", re.IGNORECASE,
)  # fmt: skip


class TemplateQuestionAugmenter:
    """Writes the question, the meanings of its jargon, and its context as one readable text.

    Misspelt terms are corrected in the text; a spelling that stands for several terms, or for none, is left unchanged.
    """

    async def augment(self, question: str, context: str, readings: Sequence[Reading]) -> AugmentedQuestion:
        started = time.perf_counter()
        question = _corrected(question, readings)
        if _ASKS_FOR_DEFAULT.search(question) and "default" not in question.casefold():
            question = f"{question.rstrip()} (by default)"
        lines = [question.strip()]
        seen: set[tuple[str, str]] = set()
        used: list[Reading] = []
        for reading in readings:
            if reading.sense is None:
                continue
            used.append(reading)
            key = (reading.sense.term.casefold(), reading.sense.extended_name.casefold())
            if key not in seen and len(seen) < _MAX_DEFINITIONS:
                seen.add(key)
                lines.append(_definition(reading))
        if context:
            lines.append(f"Context: {context}.")
        return AugmentedQuestion(
            question=question,
            text="\n".join(lines),
            context=context,
            readings=tuple(used),
            provenance=provenance_since(started, "template"),
        )


def _definition(reading: Reading) -> str:
    sense = reading.sense
    assert sense is not None
    description = _shortened(sense.description, _MAX_DESCRIPTION_CHARACTERS)
    notes = _shortened(sense.notes, max(0, _MAX_DESCRIPTION_CHARACTERS - len(description)))
    details = ". ".join(part for part in (description, notes) if part)
    return f"{reading.mention.term} means {sense.extended_name}" + (f" ({details})." if details else ".")


def _corrected(question: str, readings: Sequence[Reading]) -> str:
    """Replace each misspelt term with its correct spelling, starting with the last."""
    for reading in sorted(readings, key=lambda each: -each.mention.span.start):
        mention = reading.mention
        start, end = mention.span.start, mention.span.end
        if mention.corrected and question[start:end] == mention.text:
            question = question[:start] + mention.term + question[end:]
    return question


def _shortened(text: str, limit: int) -> str:
    """Return the first sentences of ``text`` that fit into ``limit`` characters, or else its first words."""
    text = " ".join(text.split()).rstrip(".")
    if len(text) <= limit:
        return text
    if limit < 20:
        return ""
    cut = text[: limit + 1]
    stop = cut.rfind(". ")
    return cut[:stop] if stop > limit // 3 else cut[: cut.rfind(" ")].rstrip(" ,;:–-") if " " in cut else ""
