"""Steps that interpret the question: its conversation, jargon, context and senses."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agent.clarification import resume
from agent.mined_senses import readable_drafts
from agent.sense_corrections import read_correction
from agent.services import Services
from contracts.jargon import Correction, Lookup, Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.question import Asker, Choice, RewrittenQuestion, SensePick, Turn
from contracts.text import Passage
from contracts.verdicts import ContextVerdict, IdentifiedJargon
from intrinsics.combined.base import QuestionReader
from tools.citation_marks import remove_marks
from tools.jargon.base import JargonDictionary
from tools.jargon.sense_choice import choose_senses, means_none
from tools.jargon.sense_evidence import Evidence
from tools.jargon.sense_uses import SenseUse, find_corrections, find_uses, sense_likeness
from tools.jargon.spelling import nearest_spellings
from tools.language import fold, rarity, split_choices

AfterLookUp = Literal["report_unknown_terms", "ask_which_sense", "augment_question"]
_LOG = logging.getLogger(__name__)
# Corresponds to a Zipf frequency of 3.6: four times in a million words of English.
_COMMON_RARITY = 0.55
_SHORT = 2
# How many passages are read to determine the context; later passages are less and less relevant to the question.
_CONTEXT_PASSAGES = 8
# Passages with the plural of a term are counted up to this number.
_PLURALS_COUNTED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationReading:
    """A question interpreted in its conversation: ``standalone`` without its ``choices``, and the turns that are
    still relevant.

    ``resumed`` means that the message continues the previous question: it replies to a clarifying question, or it
    corrects a meaning. ``rewritten`` is None if no turns were relevant.
    """

    standalone: str
    choices: tuple[Choice, ...]
    picks: tuple[SensePick, ...]
    history: tuple[Turn, ...]
    resumed: bool
    rewritten: RewrittenQuestion | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionReading:
    """A question interpreted in its conversation, with its jargon and context, and who judged them."""

    conversation: ConversationReading
    jargon: IdentifiedJargon
    contexts: ContextVerdict
    provenance: Provenance


async def understand_question(
    question: str,
    history: tuple[Turn, ...],
    picks: tuple[SensePick, ...],
    asker: Asker,
    reader: QuestionReader,
    services: Services,
) -> QuestionReading:
    """Make the question stand alone, and find its jargon and context, in one call; ``reader`` may omit parts."""
    continued = await _continue(question, history, picks, services)
    contexts = await services.dictionary.contexts()
    read = await reader.read(
        continued.standalone, history=_plain(continued.history), contexts=contexts, department=asker.department
    )
    conversation = continued
    if continued.history:
        rewritten = read.rewritten
        if rewritten is None:
            rewritten = await services.question_rewriter.rewrite(continued.standalone, _plain(continued.history))
        conversation = replace(continued, standalone=rewritten.text, rewritten=rewritten)
    jargon = read.jargon or await services.jargon_identifier.identify(conversation.standalone)
    verdict = read.contexts or await classify_context(conversation.standalone, conversation.history, asker, services)
    return QuestionReading(conversation=conversation, jargon=jargon, contexts=verdict, provenance=read.provenance)


async def read_alone(question: str, asker: Asker, services: Services) -> tuple[IdentifiedJargon, ContextVerdict]:
    """Find the jargon and context of a question without a conversation, as the graph does."""
    if services.question_reader is None:
        return await asyncio.gather(
            services.jargon_identifier.identify(question), classify_context(question, (), asker, services)
        )
    read = await understand_question(question, (), (), asker, services.question_reader, services)
    return read.jargon, read.contexts


async def rewrite_question(
    question: str, history: tuple[Turn, ...], picks: tuple[SensePick, ...], services: Services
) -> ConversationReading:
    """Make the question stand alone; a reply to a clarifying question, or a correction, continues the last one."""
    continued = await _continue(question, history, picks, services)
    if not continued.history:
        return continued
    rewritten = await services.question_rewriter.rewrite(continued.standalone, _plain(continued.history))
    return replace(continued, standalone=rewritten.text, rewritten=rewritten)


async def _continue(
    question: str, history: tuple[Turn, ...], picks: tuple[SensePick, ...], services: Services
) -> ConversationReading:
    """Return the question to answer, not rewritten yet: the previous one if this message continues it."""
    resumed = resume(question, history) or await read_correction(question, history, services.dictionary)
    if resumed is not None:
        question, history, picks = resumed.question, resumed.history, (*picks, *resumed.picks)
    standalone, choices = split_choices(question)
    return ConversationReading(
        standalone=standalone,
        choices=choices,
        picks=picks,
        history=history,
        resumed=resumed is not None,
        rewritten=None,
    )


def _plain(history: Sequence[Turn]) -> list[Turn]:
    return [Turn(role=turn.role, text=remove_marks(turn.text)) for turn in history]


async def classify_context(question: str, history: Sequence[Turn], asker: Asker, services: Services) -> ContextVerdict:
    """Judge in which context the question was asked."""
    contexts = await services.dictionary.contexts()
    found: Sequence[Passage] = ()
    if contexts:
        found = await services.searcher.search([question], _CONTEXT_PASSAGES, groups=asker.groups)
    return await services.context_classifier.classify(
        question, contexts, history=history, department=asker.department, passages=found
    )


async def look_up_jargon(
    question: str,
    jargon: IdentifiedJargon,
    contexts: ContextVerdict,
    asker: Asker,
    picks: Sequence[SensePick],
    services: Services,
) -> tuple[Reading, ...]:
    """Look up each term in the dictionary and the documents, choose its sense, and store the asker's corrections."""
    mentions = first_mentions(jargon.mentions)
    if not mentions:
        return ()
    terms = [mention.term for mention in mentions]
    senses = await services.dictionary.senses(terms)
    lacking = [each.term for each in mentions if not senses.get(each.term) or means_none(each, picks)]
    drafts = await services.dictionary.drafts(lacking)
    lookups = [
        await look_up_mention(each, senses.get(each.term, ()), drafts.get(each.term, ()), asker, picks, services)
        for each in mentions
    ]
    ambiguous = {sense.id: sense for lookup in lookups if len(lookup.senses) > 1 for sense in lookup.senses}
    similarity = await sense_likeness([*ambiguous.values()], question, services.embedder)
    uses = await asyncio.gather(*(_uses(lookup, question, asker, services) for lookup in lookups))

    def read(picks: Sequence[SensePick]) -> list[tuple[Reading, ...]]:
        return [
            choose_senses(
                lookup,
                Evidence(
                    contexts=contexts,
                    similarity=similarity,
                    question=question,
                    department=asker.department,
                    uses=in_documents,
                    corrections=corrected,
                ),
                picks=picks,
            )
            for lookup, (in_documents, corrected) in zip(lookups, uses, strict=True)
        ]

    of_terms = read(picks)
    if picks:
        first, unaided = [each[0] for each in of_terms], [each[0] for each in read(())]
        await record_corrections(corrections_of(question, picks, first, unaided), services.dictionary)
    readings = [reading for of_term in of_terms for reading in of_term]
    return tuple(each for each in readings if not _is_doubtful(each, services.policy.unknown_jargon_threshold))


async def record_unknown_terms(
    question: str, readings: Sequence[Reading], context: str, services: Services
) -> tuple[Reading, ...]:
    """Add the unknown terms in ``readings`` to the manager's list, and return their readings."""
    unknown = tuple(reading for reading in readings if reading.status == "unknown")
    for reading in unknown:
        await services.dictionary.record_unknown(reading.mention.text, question, context)
    return unknown


async def look_up_mention(
    mention: Mention,
    senses: Sequence[Sense],
    drafts: Sequence[Sense],
    asker: Asker,
    picks: Sequence[SensePick],
    services: Services,
) -> Lookup:
    """Return what the dictionary (``senses``, ``drafts``) and the documents of ``asker`` contain about a term."""
    if senses and not means_none(mention, picks):
        return Lookup(mention=mention, senses=tuple(senses))
    frequency = await asyncio.to_thread(_count_uses, mention.term, asker, services)
    if frequency:
        mined = await asyncio.to_thread(readable_drafts, drafts, services.lexical, asker.groups)
        return Lookup(mention=mention, senses=tuple(senses), mined=mined, document_frequency=frequency)
    limit = services.policy.suggestions
    in_dictionary = await services.dictionary.near_spellings(mention.term, limit)
    in_documents = await asyncio.to_thread(services.lexical.near_spellings, mention.term, limit, groups=asker.groups)
    near = nearest_spellings(mention.term, (*in_dictionary, *in_documents), limit)
    return Lookup(mention=mention, senses=tuple(senses), suggestions=near)


def _count_uses(term: str, asker: Asker, services: Services) -> int:
    """Count the passages that contain a term, or only its plural (SDMs for SDM). This call blocks."""
    return services.lexical.document_frequency(term, groups=asker.groups) or len(
        services.lexical.find_phrase(f"{term}s", _PLURALS_COUNTED, as_written=True, groups=asker.groups)
    )


async def _uses(
    lookup: Lookup, question: str, asker: Asker, services: Services
) -> tuple[tuple[SenseUse, ...], tuple[SenseUse, ...]]:
    """Return how the documents use a term with several senses, and how earlier askers interpreted it."""
    if len(lookup.senses) < 2:
        return (), ()
    in_documents, corrections = await asyncio.gather(
        find_uses(
            lookup.mention.term, lookup.senses, question, services.lexical, services.searcher, groups=asker.groups
        ),
        services.dictionary.corrections(),
    )
    return in_documents, await find_corrections(lookup.senses, corrections, question, services.embedder)


def corrections_of(
    question: str, picks: Sequence[SensePick], read: Sequence[Reading], unaided: Sequence[Reading]
) -> tuple[Correction, ...]:
    """Return what ``picks`` changed: a correction for each term of ``question`` that would be interpreted differently
    without them.

    ``read`` are the readings with the picks; ``unaided`` are the readings of the same terms without them, in the same
    order. Terms with one meaning are skipped, and so are picks from an earlier question.
    """
    fresh = {(fold(pick.term), fold(pick.extended_name)) for pick in picks if not pick.kept}
    found = []
    for reading, before in zip(read, unaided, strict=True):
        sense = reading.sense
        if sense is None or not reading.alternatives or sense == before.sense:
            continue
        spellings = {fold(reading.mention.term), fold(reading.mention.text)}
        if any((spelling, fold(sense.extended_name)) in fresh for spelling in spellings):
            named = sense.model_dump(include={"term", "extended_name", "context"})
            found.append(Correction(question=question, **named))
    return tuple(found)


async def record_corrections(corrections: Sequence[Correction], dictionary: JargonDictionary) -> None:
    """Store ``corrections``; a failure is logged and does not stop the answer."""
    try:
        for correction in corrections:
            await dictionary.record_correction(correction)
    except Exception:
        # The user gets the chosen meaning even if it cannot be stored for others.
        _LOG.warning("a corrected meaning could not be stored", exc_info=True)


def next_after(readings: Sequence[Reading]) -> AfterLookUp:
    """Return the next node: an unknown term stops the question, because meanings are never guessed."""
    statuses = {reading.status for reading in readings}
    if "unknown" in statuses:
        return "report_unknown_terms"
    if "ambiguous" in statuses:
        return "ask_which_sense"
    return "augment_question"


def first_mentions(mentions: Sequence[Mention]) -> list[Mention]:
    """Keep the first mention of each term; keep its extended names only if the term itself is absent, or they differ.

    Two different extended names of one term ("bit error", "back end") are two of its senses.
    """
    names: dict[str, set[str]] = {}
    for mention in mentions:
        if mention.kind == "name":
            names.setdefault(mention.term, set()).add(fold(mention.text))
    said = {mention.term for mention in mentions if mention.kind != "name"}
    first: dict[tuple[str, str], Mention] = {}
    for mention in mentions:
        name = fold(mention.text) if mention.kind == "name" else ""
        if not name or mention.term not in said or len(names[mention.term]) > 1:
            first.setdefault((mention.term, name), mention)
    return list(first.values())


def _is_doubtful(reading: Reading, threshold: float) -> bool:
    """Return whether an unknown word is probably not jargon; an ordinary word, or "TV", must not stop the question."""
    mention = reading.mention
    if reading.status != "unknown" or reading.alternatives:
        return False
    # Common words, such as CPU or HTML, are generally known; for words of two letters, frequency shows nothing.
    is_common = len(mention.text) > _SHORT and rarity(mention.text) <= _COMMON_RARITY
    return mention.known or mention.probability <= threshold or is_common
