"""What a step found, as a human-readable line."""

from collections.abc import Sequence

from agent.steps import question
from agent.steps.question import ConversationReading
from agent.wording import percent
from contracts.answer import RefinementRecord
from contracts.jargon import Reading
from contracts.verdicts import ContextVerdict, IdentifiedJargon, RelevanceVerdict


def question_finding(read: ConversationReading) -> str:
    """Describe how a question was interpreted in its conversation."""
    if read.rewritten is None and read.resumed:
        return f"goes on with: {read.standalone}"
    changed = read.resumed or (read.rewritten is not None and read.rewritten.changed)
    return f"read as: {read.standalone}" if changed else "stands alone"


def jargon_finding(jargon: IdentifiedJargon) -> str:
    """List the terms that were found."""
    terms = [
        f"{mention.text} → {mention.term}" if mention.corrected else mention.term
        for mention in question.first_mentions(jargon.mentions)
    ]
    return f"jargon: {', '.join(terms)}" if terms else "no jargon"


def context_finding(contexts: ContextVerdict) -> str:
    """Name the most probable context."""
    best = contexts.best
    return f"context: {best} {percent(contexts.probability_of(best))}" if best else "no context stands out"


def relevance_finding(verdict: RelevanceVerdict) -> str:
    """Count the relevant passages."""
    relevant = sum(each.label in ("relevant", "partial") for each in verdict.passages)
    return f"{len(verdict.passages)} passages, {relevant} relevant"


def lookup_finding(jargon: IdentifiedJargon, readings: Sequence[Reading]) -> str:
    """Describe how the terms were interpreted."""
    if not jargon.mentions:
        return "nothing to look up"
    words = {"documents": "used in the documents", "ambiguous": "several senses", "unknown": "unknown"}
    said = []
    for reading in readings:
        if reading.sense is None:
            said.append(f"{reading.mention.term}: {words.get(reading.status, reading.status)}")
        else:
            said.append(f"{reading.mention.term} = {reading.sense.name_in_context}")
    return "; ".join(said) or "no known term"


def review_finding(record: RefinementRecord) -> str:
    """Explain why a draft is kept or rewritten."""
    relation = "below" if record.signal < record.threshold else "at or above"
    finding = f"{'write again' if record.fired else 'keep'}: {record.policy}, {record.signal_name} {record.signal:.2f} "
    finding += f"is {relation} {record.threshold:.2f}"
    return finding + "".join(f"; {reason}" for reason in record.reasons)
