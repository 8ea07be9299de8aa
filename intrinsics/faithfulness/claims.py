"""Determines which sentences make claims, and which parts of a claim no passage contains."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from contracts.text import Passage
from contracts.verdicts import SentenceFaithfulness
from intrinsics.faithfulness.figures import Figure, figures, rival_figure, source_figures, unsupported_figures
from tools.evidence.matching import text_stems
from tools.evidence.passages import find_unmentioned
from tools.evidence.question import QuestionTerm, is_code, term_stem
from tools.language import find_words, fold, rarity
from tools.reading.statements import read_statements

# The maximum probability of "faithful" if a number, name or negation contradicts the passages, however similar the
# rest of the sentence is.
CONTRADICTED_PROBABILITY = 0.1
LONGEST_REASON = 240

_MARKERS = re.compile(r"\s*\[\d+(?:\s*[,;–-]\s*\d+)*\]|[*`]{1,3}|^\s*(?:[-•*>#]+|\(?\d{1,2}[.)])\s+", re.MULTILINE)
_NO_CLAIM = re.compile(
    r"^(?:hi|hello|hey|dear|sure|certainly|of course|thanks?|thank you|you'?re welcome|great question|good question|"
    r"sources?|references?|see also|answer|summary|note)\b[\s,!.:]*(?:there|you|the|all|everyone)?[\s!.:]*$|"
    r"^(?:i hope|hope this|let me know|feel free|please (?:let|ask|contact|note that i)|happy to|"
    r"if you have (?:any|more|further)|"
    r"i(?:'m| am) (?:sorry|afraid|not sure|unable)|i (?:do not|don't|cannot|can't|could not|couldn't)|"
    r"sources?\s*:|references?\s*:|see also\b)|"
    r"^(?:here (?:is|are)|the following (?:is|are)|according to|based on|"
    r"as (?:stated|described|shown|mentioned) in|from)\b"
    r"[^.]{0,80}:$|"
    r"^(?:based on|according to) (?:the |these |your )?(?:given |provided |above )?"
    r"(?:passages?|documents?|context|information|text)"
    r"(?: provided| given| above)?[\s,.:]*$",
    re.IGNORECASE,
)
_NOTHING_FOUND = re.compile(
    r"\b(?:passages?|documents?|context|information|text|sources?)\b.{0,40}\b(?:do|does|did)"
    r"(?: not|n['’]t)\s+(?:\w+\s+)?"
    r"(?:mention|provide|contain|say|specify|include|give|state|explain|describe|answer)|"
    r"^(?:therefore,? |so,? |thus,? |however,? )?(?:it is|it's) (?:difficult|not possible|impossible|unclear)\b|"
    r"^unable to answer\b|^(?:sure|certainly|of course)\b.{0,30}\bhelp\b|\bhere(?:'s| is| are)\b.{0,120}:$|"
    r"\byou can follow these steps:?$",
    re.IGNORECASE,
)
# If an answer refers to a passage by number, the number is not a claim.
_REFERENCE = re.compile(
    r"\s*\((?:see )?passages? \d+(?:(?:,| and|, and) \d+)*\)|"
    r"^(?:according to|based on|as (?:stated|mentioned|described|noted) in)\s+(?:the |these |your )?"
    r"(?:given |provided |above )?(?:passages?|documents?|handbook|manual|context|information|text)(?: \d+)?,\s*|"
    r"^passage \d+ (?:also )?(?:mentions|says|states|suggests|notes|explains|indicates)(?: that)?\s+",
    re.IGNORECASE,
)
_YES_NO = re.compile(r"^(?:yes|no|correct|right|true|false|indeed)\b\s*[,.:;!–—-]*\s*", re.IGNORECASE)


# The line before selected table rows; the program counts the rows, so no passage contains the number.
_COUNTED_ROWS = re.compile(r"\d+ of \d+ rows:")


def plain_sentence(sentence: str) -> str:
    """Return ``sentence`` without citation markers, emphasis, list markers, a leading yes or no, or references."""
    text = _YES_NO.sub("", _MARKERS.sub("", sentence).strip()).strip()
    return _REFERENCE.sub("", text).strip()


def makes_claim(sentence: str) -> bool:
    """Return whether ``sentence`` makes a claim that passages could support; greetings, hedges and questions do not."""
    if not find_words(sentence) or sentence.endswith("?") or _COUNTED_ROWS.fullmatch(sentence):
        return False
    return not _NO_CLAIM.match(sentence) and not _NOTHING_FOUND.search(sentence)


# If an answer states a page, a slide or a passage, the number does not come from the text of a passage.
_PLACE = re.compile(r"\b(?:pages?|slides?|passages?)\s+\d+(?:(?:\s*[,–-]\s*|\s+and\s+)\d+)*", re.IGNORECASE)
# Words more common than about seven in a million (WARNING, NOTE) are written in capitals for emphasis.
_CAPITALS_RARITY = 0.52
# At this probability, a sentence is equally likely to be faithful or unfaithful.
_UNDECIDED = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """The parts of a claim that are in no passage, heading or title, and a human-readable ``reason``
    ("" if there are none).

    ``figures`` are numbers with their units; ``codes`` are names that consist of digits and letters, or of capitals.
    ``of_question`` is true if all of them come from the question and the numbers have no unit.
    """

    figures: tuple[Figure, ...]
    codes: tuple[str, ...]
    of_question: bool
    reason: str

    def __bool__(self) -> bool:
        return bool(self.figures or self.codes)


def find_absent(claim: str, question: str, passages: Sequence[Passage]) -> Absence:
    """Return the numbers and codes in ``claim`` that none of ``passages`` contains.

    Numbers agree if they have the same value and equivalent units, or if one of them has no unit; numbers in words
    ("two") also count. An abbreviation matches its spelt-out words, and a code also matches similar spellings.
    """
    said = _PLACE.sub(" ", claim)
    texts = [each.text for index, one in enumerate(passages) for each in read_statements(one, index)]
    headings = [" \n".join((each.document_title, *each.chunk.heading_path)) for each in passages]
    held = [figure for text in (*texts, *headings) for figure in source_figures(text)]
    missing = unsupported_figures(figures(said), held)
    absent = [term for term in find_unmentioned(said, passages) if _is_code(term)]
    codes = tuple(said[term.start : term.end] for term in absent)
    asked_figures = {figure.value for figure in figures(question) if not figure.unit}
    asked_stems = text_stems(question)
    # The number in "P-900" is part of the code and is not reported separately.
    alone = [each for each in missing if not any(each.value in code for code in codes)]
    reason = f"No passage mentions {' or '.join(codes)}." if codes else ""
    return Absence(
        figures=missing,
        codes=codes,
        of_question=all(not each.unit and each.value in asked_figures for each in missing)
        and all(term_stem(each.text) in asked_stems for each in absent),
        reason=_figure_reason(said, alone[0], texts) if alone else reason,
    )


def overrule(verdict: SentenceFaithfulness, absence: Absence) -> SentenceFaithfulness:
    """Return a model's verdict on a claim, corrected if part of the claim is absent from the passages.

    The claim is then unfaithful whatever its label is, or at most partial if all absent parts come from the question.
    """
    if absence and not absence.of_question:
        probability = min(verdict.probability, CONTRADICTED_PROBABILITY)
        return SentenceFaithfulness(label="unfaithful", probability=probability, reason=absence.reason)
    if absence and verdict.label == "faithful":
        probability = min(verdict.probability, _UNDECIDED)
        return SentenceFaithfulness(label="partial", probability=probability, reason=absence.reason)
    return verdict


def _is_code(term: QuestionTerm) -> bool:
    named = term.literal and any(letter.isalpha() for letter in term.text)
    return named and (is_code(term.text) or rarity(fold(term.text)) >= _CAPITALS_RARITY)


def _figure_reason(claim: str, figure: Figure, sources: Sequence[str]) -> str:
    """Explain that no source contains ``figure``, with the number that the closest source contains instead, if any."""
    wanted = text_stems(claim)
    nearest = max(sources, key=lambda text: len(wanted & text_stems(text)), default="")
    if 2 * len(wanted & text_stems(nearest)) >= len(wanted):
        rival = rival_figure(figure, source_figures(nearest), figures(claim))
        if rival is not None:
            return f"The passages say {rival.text}, not {figure.text}."
    return f"No passage mentions {figure.text}."


NOTHING_READ = SentenceFaithfulness(label="unfaithful", probability=0.0, reason="There are no passages.")
NOTHING_CLAIMED = SentenceFaithfulness(label="no_claim", probability=1.0, reason="It claims nothing.")


async def judge_claims(
    question: str,
    sentences: Sequence[str],
    passages: Sequence[Passage],
    ask: Callable[[Sequence[int]], Awaitable[Mapping[int, SentenceFaithfulness]]],
) -> tuple[SentenceFaithfulness, ...]:
    """Return one verdict per sentence. ``ask`` judges those that make claims, by index; its verdicts are then checked.

    ``ask`` is not called if no sentence makes a claim, or if there are no passages; then every claim is unfaithful.
    """
    claims = {n: plain for n, each in enumerate(sentences) if makes_claim(plain := plain_sentence(each))}
    found: dict[int, SentenceFaithfulness] = {}
    if not any(passage.text.strip() for passage in passages):
        found = dict.fromkeys(claims, NOTHING_READ)
    elif claims:
        judged, absent = await asyncio.gather(
            ask(list(claims)),
            asyncio.to_thread(lambda: {n: find_absent(each, question, passages) for n, each in claims.items()}),
        )
        found = {n: overrule(judged[n], absent[n]) for n in claims}
    return tuple(found.get(n, NOTHING_CLAIMED) for n in range(len(sentences)))
