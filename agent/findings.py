"""Findings: what a node found, in one line for people."""

from collections.abc import Sequence

from agent.claims import count_held
from agent.composing import sentences_of
from agent.steps.answer import ReviewedDraft
from agent.steps.passages import JudgedPassages
from agent.steps.question import ConversationReading, first_mentions
from agent.wording import percent
from contracts.answer import CitedSentence, ClarifyingOption
from contracts.jargon import Reading
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import CitationVerdict, ContextVerdict, Draft, FaithfulnessVerdict, IdentifiedJargon


def rewritten(read: ConversationReading) -> str:
    """Say how a question of a conversation was read."""
    if read.rewritten is None:
        return f"goes on with: {read.standalone}"
    return f"read as: {read.standalone}" if read.rewritten.changed or read.resumed else "stands alone"


def identified(jargon: IdentifiedJargon) -> str:
    """Name the jargon of a question."""
    terms = [
        f"{mention.text} → {mention.term}" if mention.corrected else mention.term
        for mention in first_mentions(jargon.mentions)
    ]
    return f"jargon: {', '.join(terms)}" if terms else "no jargon"


def classified(contexts: ContextVerdict) -> str:
    """Name the context of a question."""
    best = contexts.best
    return f"context: {best} {percent(contexts.probability_of(best))}" if best else "no context stands out"


def looked_up(jargon: IdentifiedJargon, readings: Sequence[Reading]) -> str:
    """Say how each term was read."""
    if not jargon.mentions:
        return "nothing to look up"
    return "; ".join(map(_reading, readings)) or "no term of ours"


def unknown_terms(unknown: Sequence[Reading]) -> str:
    """Name the unknown terms."""
    return f"unknown: {', '.join(reading.mention.text for reading in unknown)}"


def ambiguous(options: Sequence[ClarifyingOption]) -> str:
    """Say how many senses of a term are plausible."""
    return f"{options[0].sense.term}: {len(options)} senses are plausible"


def augmented(question: AugmentedQuestion, entries: Sequence[Passage]) -> str:
    """Say what was worked into a question."""
    count = len(question.readings)
    finding = f"{_count(count, 'definition')} worked in" if count else "as it is"
    return finding + (", the dictionary itself may answer" if entries else "")


def retrieved(passages: Sequence[Passage]) -> str:
    """Count the passages and their documents."""
    documents = len({passage.chunk.document_id for passage in passages})
    return f"{len(passages)} passages of {_count(documents, 'document')}" if passages else "no passages"


def relevant(judged: JudgedPassages) -> str:
    """Count the relevant passages."""
    verdicts = judged.verdict.passages
    return f"{len(verdicts)} passages, {sum(each.label in ('relevant', 'partial') for each in verdicts)} relevant"


def answerable(probability: float) -> str:
    """Say how probably the passages hold the answer."""
    return f"answerable {percent(probability)}"


def expanded(variants: Sequence[str]) -> str:
    """Count the other wordings."""
    return _count(len(variants), "other wording")


def declined(draft: Draft) -> str:
    """Say why nothing is answered."""
    return "nothing that was written is supported" if draft.text else "the documents do not hold the answer"


def written(draft: Draft) -> str:
    """Count the sentences of a draft."""
    return _count(len(sentences_of(draft.text)), "sentence")


def cited(draft: Draft, verdict: CitationVerdict, sentences: Sequence[CitedSentence]) -> str:
    """Count the cited sentences of a draft, and the writer's own marks that hold."""
    finding = f"{sum(bool(each.citations) for each in sentences)} of {len(sentences)} sentences cited"
    held, claimed = count_held(draft, verdict.links)
    return finding + (f", {held} of {claimed} of the writer's own marks borne out" if claimed else "")


def faithful(verdict: FaithfulnessVerdict) -> str:
    """Count the faithful sentences."""
    return (
        f"{sum(each.label == 'faithful' for each in verdict.sentences)} of {len(verdict.sentences)} sentences faithful"
    )


def reviewed(review: ReviewedDraft) -> str:
    """Say what was decided about a draft, and by which figures."""
    if review.choice is not None:
        kept = "the first draft" if review.choice.kept == "first" else "the rewrite"
        return f"keep {kept}: {review.choice.reason}"
    record = review.record
    relation = "below" if record.signal < record.threshold else "at or above"
    finding = f"{'write again' if record.fired else 'keep'}: {record.policy}, {record.signal_name} {record.signal:.2f} "
    finding += f"is {relation} {record.threshold:.2f}"
    return finding + "".join(f"; {reason}" for reason in record.reasons)


def certain(probability: float) -> str:
    """Say how certain an answer is."""
    return f"{percent(probability)} certain"


def _reading(reading: Reading) -> str:
    if reading.sense is not None:
        context = f" ({reading.sense.context})" if reading.sense.context else ""
        return f"{reading.mention.term} = {reading.sense.extended_name}{context}"
    words = {"documents": "used in the documents", "ambiguous": "several senses", "unknown": "unknown"}
    return f"{reading.mention.term}: {words.get(reading.status, reading.status)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
